/** Reads statements: what a sentence says that lasts, in its words and in a comparable form. */
import { saysAlso } from '../text/additive-words.ts';
import { once } from '../once.ts';
import { namesSender } from '../text/speaks-of-self.ts';
import { languageOf, type Language } from '../text/language.ts';
import { memoized } from '../text/memoized.ts';
import { anyOf, anyWord } from '../text/pattern.ts';
import { sentenceRanges } from '../text/sentences.ts';
import { createStem } from '../text/stem.ts';
import { STOP_WORDS } from '../text/stop-words.ts';
import { capitalized, isContentWord, plainWords } from '../text/words.ts';
import { withoutOnset } from './announced-day.ts';
import { inFirstPersonOf } from './into-first-person.ts';
import { likelyRules, RULE_BOOKS } from './rule-index.ts';
import { withoutForwarded } from './others-words/forwarded-text.ts';
import {
  isQuestionQuoteOrJoke,
  isCommissioned,
  isPassing,
  standingClauses,
} from './passing-remarks.ts';
import { isInQuotes, quotedRanges } from './others-words/quotations.ts';
import { retractionIn } from './retraction.ts';
import type { Rule } from './rule.ts';
import { isBesideMainJob, joinsAsMember } from './side-job.ts';
import { DAY_OF_TASK, END_OF_PERIOD } from './rules/tasks-and-goals.ts';

/** Whether a text, in any of the languages, has a time relative to the day it was said. */
export function isRelative(text: string): boolean {
  return (
    END_OF_PERIOD.test(text) ||
    Object.values(RULE_BOOKS).some(({ relative }) => relative.test(text))
  );
}

export const STEMS: Readonly<Record<Language, (word: string) => string>> = {
  en: createStem('english'),
  de: createStem('german'),
  es: createStem('spanish'),
  zh: (word) => word,
};

export interface Statement extends Pick<
  Rule,
  'kind' | 'topic' | 'single' | 'negative' | 'isMentioned'
> {
  /** The sentence's own words; a clause without its subject gets it back. */
  readonly text: string;
  /** The words exactly as in the message. */
  readonly quote: string;
  readonly language: Language;
  /** Stems of what it says about its topic. */
  readonly values: readonly string[];
  /** Stems of what it says has ended; empty if it names nothing. */
  readonly ended: readonly string[];
}

/** The topic of a sentence that says only that something else has ended. */
export const CHANGE_TOPIC = 'change';
/** The topic of a report, which is kept only if it ends a task. */
export const DONE_TOPIC = 'done';

/** Longer sentences are talk; what lasts in them is said again in fewer words. */
export const SENTENCE_UNITS_MAX = 240;
/** Maximum sentences of one message. */
const SENTENCES_MAX = 200;

/** Cache limits: several rules read the same text one after another. */
const READ_LAST = { entriesMax: 64, unitsMax: 1_024 };

/**
 * A quoted line with the empty lines before it. It begins at the first of them: a pattern that is
 * tried at each of many empty lines reads all that follow.
 */
const QUOTED_LINE = /^(?<!^[^\S\n\r\u2028\u2029]*[\n\r\u2028\u2029])\s*>.*$/gmu;

/** Returns a message without documents, blocks of code and quoted lines. */
export function withoutPastedLines(content: string): string {
  return withoutForwarded(content)
    .replace(/```[\s\S]*?(?:```|$)/gu, '\n')
    .replace(QUOTED_LINE, '');
}

/**
 * Returns the sentences of a message that are its speaker's own, without quotations and without
 * words in code: `print('I live in Leeds')`.
 */
export const ownSentences = memoized((content): readonly string[] => {
  const own = withoutPastedLines(content).replace(/`[^`\n]*`/gu, (code) =>
    namesSender(code) ? ' ' : code,
  );
  const quoted = quotedRanges(own);
  return sentenceRanges(own)
    .slice(0, SENTENCES_MAX)
    .filter(({ start, end }) => !isInQuotes(quoted, start, end))
    .map(({ start, end }) => own.slice(start, end))
    .flatMap((sentence) => sentence.split(/(?<=[。！？；])/u))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}, READ_LAST);

/** Returns the lasting statements of a message; none if there is any doubt. */
export const statementsOf = memoized((content): readonly Statement[] => {
  const languages = languagesOf(content);
  if (isCommissioned(content, languages)) return [];
  return ownSentences(content).flatMap((sentence) => {
    if (sentence.length > SENTENCE_UNITS_MAX || isQuestionQuoteOrJoke(sentence)) return [];
    if (retractionIn(sentence) !== null) return [];
    for (const language of languages) {
      const book = RULE_BOOKS[language];
      const said = sentence.replace(book.filler, '');
      const statements = statementsIn(said, language);
      if (statements.length > 0)
        return statements.some((each) => lasts(each, said)) ? statements : [];
    }
    return [];
  });
}, READ_LAST);

/** Whether a sentence says it for good; a task is for its day. */
function lasts({ kind, language }: Statement, sentence: string): boolean {
  const said = kind === 'Task' ? sentence.replaceAll(DAY_OF_TASK, ' ') : sentence;
  return !isPassing(said, language);
}

/** How a sentence continues with another statement about its speaker. */
interface ClauseRule {
  readonly first: RegExp;
  readonly joint: RegExp;
  /** A verb that shares the subject of the clause before, and that subject. */
  readonly bare: RegExp;
  readonly subject: string;
  /** As `subject`, for what can harm somebody: `vegetarian and allergic to nuts`. */
  readonly harmed: string;
}

/** What still holds when the rest of its sentence ends. */
const HARMED = '(?:allergic|intolerant|allergisch|alérgic[oa]|intolerante)(?!\\p{L})';
const IS_HARMED = new RegExp(`^(?:${HARMED}|对[^，,。]{1,12}过敏)`, 'iu');

const VERBS = {
  en: 'am|live|work|have|own|like|love|hate|prefer|use|speak|play|study|drive|take',
  de: 'bin|habe|wohne|lebe|arbeite|mag|liebe|hasse|esse|trinke|spreche|fahre|nehme',
  es: 'soy|tengo|vivo|trabajo|prefiero|uso|hablo|odio|conduzco|tomo|me gusta|no como|no bebo',
} as const;

/** What somebody is, does, has or likes, without the subject `我`. */
const ZH_BARE =
  String.raw`(?:现在|目前)?(?:住在[^，,。；！的]{2,30}|在[^，,。；！]{2,20}(?:工作|上班)|` +
  String.raw`在[^，,。；！]{2,12}(?:做|当|担任)[^，,。；！]{2,8}|对[^，,。；！]{1,12}过敏|` +
  String.raw`(?:还)?(?:有|养了?)[^，,。；！的]{1,4}(?:孩子|儿子|女儿|[哥弟姐妹]{1,2}|[猫狗])|` +
  String.raw`(?:很)?喜欢[^，,。；！的]{1,8}|会说[^，,。；！的]{1,8}|开[^，,。；！的了]{1,8}|` +
  String.raw`(?:一直)?(?:吃素|不[吃喝][^，,。；！的了]{1,6})|每天[吃喝][^，,。；！的了]{1,8}|` +
  String.raw`是一?名[^，,。；！的]{2,8})(?=[，,。；！]|$)`;

const CLAUSES: Readonly<Record<Language, ClauseRule>> = {
  en: {
    first: /^(?:I|I['’](?:m|ve)|My)\b/iu,
    joint: new RegExp(
      String.raw`,?\s(?:and|but)\s(?=(?:I|I['’](?:m|ve)|my|(?:now\s)?(?:${VERBS.en}))\s|` +
        String.raw`${HARMED})|` +
        String.raw`(?:,|\s[-–—])\s(?=(?:I|I['’](?:m|ve)|my|(?:now\s)?(?:${VERBS.en}))\s|${HARMED})`,
      'iu',
    ),
    bare: new RegExp(String.raw`^(?:now\s)?(?:${VERBS.en})\s`, 'iu'),
    subject: 'I ',
    harmed: 'I am ',
  },
  de: {
    first: /^(?:Ich|Mein\p{L}*)\b/iu,
    joint: new RegExp(
      String.raw`,?\s(?:und|aber)\s(?=(?:ich|mein\p{L}*|${VERBS.de})\s|${HARMED})|` +
        String.raw`(?:,|\s[-–—])\s(?=(?:ich|mein\p{L}*|${VERBS.de})\s|${HARMED})`,
      'iu',
    ),
    bare: new RegExp(String.raw`^(?:${VERBS.de})\s`, 'iu'),
    subject: 'Ich ',
    harmed: 'Ich bin ',
  },
  es: {
    first: new RegExp(String.raw`^(?:Yo|Mi|Me|No|${VERBS.es})\s`, 'iu'),
    joint: new RegExp(
      String.raw`,?\s(?:y|pero)\s(?=(?:mi|${VERBS.es})\s|${HARMED})|` +
        String.raw`(?:,|\s[-–—])\s(?=(?:mi|${VERBS.es})\s|${HARMED})`,
      'iu',
    ),
    bare: /(?!)/u,
    subject: '',
    harmed: 'Soy ',
  },
  zh: {
    first: /^我/u,
    // A clause without a subject, if the one before begins with what the speaker is or does.
    joint: new RegExp(
      String.raw`[，,](?:而且|并且|也|但)?(?=我)|` +
        String.raw`(?<=^我(?:已经)?(?:叫|是|今年|现在|住|在|离开|辞|搬|换|对(?!象)|[有养开弹玩教戴骑]|` +
        String.raw`不?吃|不喝|爱(?!人)|喜欢(?!的)|讨厌|收集|会说|每天)` +
        String.raw`[^，,。]*(?:[，,]${ZH_BARE})*)[，,](?:而且|并且|也|但)?(?=${ZH_BARE})`,
      'u',
    ),
    bare: new RegExp(`^${ZH_BARE}`, 'u'),
    subject: '我',
    harmed: '我',
  },
};

/**
 * Returns the clauses of a sentence that says several things about its speaker, each with its
 * subject: one may end without the others.
 */
export function clausesIn(
  sentence: string,
  language: Language,
): readonly { readonly quote: string; readonly text: string }[] {
  const { first, joint, bare, subject, harmed } = CLAUSES[language];
  if (!first.test(language === 'en' ? asWritten(sentence) : sentence)) return [];
  let isOfAnother = false;
  const clauses: { quote: string; text: string }[] = [];
  for (const quote of sentence.split(joint).map((clause) => clause.trim())) {
    const own = IS_HARMED.test(quote) ? harmed : bare.test(quote) ? subject : '';
    // `My parents live in Leeds and work at Bosch`: the verb has their subject.
    if (own !== '' && isOfAnother) return [];
    if (own === '') isOfAnother = MY.test(quote);
    clauses.push({ quote, text: capitalized(`${own}${quote}`) });
  }
  return clauses;
}

/** A subject that an English verb without one shares, unless it is the speaker's own. */
const MY = /^My\s(?!\p{L}+$)/iu;

function statementsIn(sentence: string, language: Language): readonly Statement[] {
  const clauses = clausesIn(sentence, language);
  const statements = (clauses.length > 1 ? clauses : []).flatMap(({ quote, text }) => {
    const read = readStatement(text, language);
    return read === null || !lasts(read, text) ? [] : [{ ...read, quote }];
  });
  if (statements.length > 1) return statements;
  const whole = readStatement(sentence, language);
  if (whole !== null) return [...mentionedBeside(whole, sentence), whole];
  return statements.length > 0 && IS_OPEN.test(sentence) ? [] : statements;
}

/** `I love my new job at Bosch` says what its speaker likes, and mentions an employer. */
function mentionedBeside({ topic, language }: Statement, sentence: string): readonly Statement[] {
  const mentioned = readStatement(
    sentence,
    language,
    (rule) => rule.isMentioned && rule.topic !== topic,
  );
  return mentioned === null || mentioned.topic === topic ? [] : [mentioned];
}

/** `I might quit and work at Bosch`: `might` may apply to the verb of the second clause too. */
const IS_OPEN = anyOf(
  anyWord(`
    to, can, could, may, might, will, would, should, must, shall, let, if, when, gonna, wanna, not,
    never, wenn, falls, würde, si
  `),
  String.raw`['’](?:d|ll)(?!\p{L})|n['’]t(?!\p{L})|如果|想要?`,
);

/** Of a longer memory, the sentences up to here are read: patterns may look at pairs of words. */
const READ_UNITS_MAX = 2 * SENTENCE_UNITS_MAX;
const BEGINNING = new RegExp(String.raw`^[^]{0,${READ_UNITS_MAX}}[.!?。！？\n]`, 'u');

/** Reads a memory about the owner of its scope, whoever wrote it; null if no rule matches. */
export function knownStatement(memory: string, names: readonly string[]): Statement | null {
  const content = memory.length > READ_UNITS_MAX ? (BEGINNING.exec(memory)?.[0] ?? '') : memory;
  if (retractionIn(content) !== null && ownSentences(content).length === 1) return null;
  for (const language of languagesOf(content)) {
    const book = RULE_BOOKS[language];
    const text = inFirstPersonOf(language, content.replace(book.filler, ''), names);
    const statement = readStatement(text, language);
    if (statement !== null) return statement;
  }
  return null;
}

/** Returns a memory about the owner of its scope as the owner would say it. */
export function inFirstPerson(content: string, names: readonly string[]): string {
  for (const language of languagesOf(content)) {
    const text = inFirstPersonOf(language, content, names);
    if (text !== content) return text;
  }
  return content;
}

/**
 * Returns the languages whose rules apply, the likeliest first. A sentence is too short to detect
 * its language for certain, so the rules of all languages of its script apply.
 */
export const languagesOf = memoized((content): readonly Language[] => {
  const likely = languageOf(content);
  if (likely === 'zh') return ['zh'];
  return [likely, ...(['en', 'de', 'es'] as const).filter((each) => each !== likely)];
}, READ_LAST);

/** Returns what remains of a text without questions, wishes, guesses and the like. */
export function lastingPart(content: string): string {
  const [language = 'en'] = languagesOf(content);
  if (isCommissioned(content, [language])) return '';
  const said = ownSentences(content).filter((each) => !isQuestionQuoteOrJoke(each));
  if (said.some((each) => !isPassing(each, language))) return content;
  return said.flatMap((each) => standingClauses(each, language)).join('\n');
}

/** Hasty spellings: `i live in Leeds`, `im a nurse`. */
const SMALL_I = /(?<![\p{L}\p{N}'’.])i(?=['’\s])/gu;
const SMALL_IM = /(?<=^(?:(?:and|but|so|well|btw),? )?)im(?= )/giu;
const SMALL_IVE = /(?<=^(?:(?:and|but|so|well|btw),? )?)ive(?= )/giu;

export function readStatement(
  text: string,
  language: Language,
  applies: (rule: Rule) => boolean = () => true,
): Statement | null {
  const book = RULE_BOOKS[language];
  const quoted = once(() => quotedRanges(text));
  const plain = text.replace(STRESSED, '$<said>');
  const typed = language === 'en' ? asWritten(plain) : plain;
  for (const rule of likelyRules(typed, language).rules.filter(applies)) {
    const match = rule.pattern.exec(typed);
    const groups = match?.groups;
    const value = groups?.['value']?.trim();
    if (match === null || groups === undefined || value === undefined) continue;
    if (book.pointing.test(value) || isInQuotes(quoted(), match.index, match.index + 1)) continue;
    const isJob = rule.topic === EMPLOYER;
    if (isJob && joinsAsMember(text, value)) continue;
    const { kind, negative, isMentioned } = rule;
    const values = valueStems(negative ? value.replace(NO_LONGER, ' ') : value, language);
    if (values.length === 0) continue;
    const isBeside = isJob && isBesideMainJob(text, value);
    const { topic, single } = isBeside ? SIDE_JOB : topicOf(rule, groups['thing'], language);
    const replaced = kind === 'Decision' ? book.replaced.exec(value)?.groups?.['old'] : null;
    return {
      text,
      quote: text,
      language,
      kind,
      negative,
      isMentioned,
      topic,
      single: single && (isMentioned || !saysAlso(text) || MOVED.test(text)),
      values,
      ended: stemsOf(groups['old'] ?? replaced ?? '', language),
    };
  }
  const held = withoutOnset(text);
  const announced = held === text ? null : readStatement(held, language, applies);
  return announced === null ? null : { ...announced, text, quote: text };
}

const EMPLOYER = 'employer';
/** There may be several, and a new employer ends none of them. */
const SIDE_JOB = { topic: 'employer:side', single: false };
/** Words that set the speaker apart from others: `Ich selbst heiße Ida`, `我自己住在广州`. */
const STRESSED = new RegExp(
  String.raw`^(?<said>(?:I|Ich|Yo)(?= (?:myself|selbst|persönlich|mism[oa]) )|` +
    String.raw`Ich \p{L}+(?= (?:selbst|dagegen|hingegen) )|我(?=自己|本人))` +
    String.raw`(?: \p{L}+(?= )|自己|本人)`,
  'u',
);

/** Words that only say that the rest is not so: `muss den Bericht doch nicht schicken`. */
const NO_LONGER = /(?<!\p{L})(?:any ?more|after all|nicht mehr|doch nicht)(?!\p{L})/iu;

/** Words of change: `We also moved to Lyon` adds a change, not a second home. */
const MOVED = anyOf(
  anyWord(`
    moved, switched, changed, postponed, now, no longer, quit, left, umgezogen, gewechselt, jetzt,
    verschoben, nicht mehr, mudé, mudamos, cambi\\p{L}+, ahora, ya no
  `),
  '搬|换|改|现在|不再',
);

/** Whether a sentence has words of change. */
export function tellsOfMove(sentence: string): boolean {
  return MOVED.test(sentence);
}

export function asWritten(typed: string): string {
  return typed.replace(SMALL_I, 'I').replace(SMALL_IM, 'I’m').replace(SMALL_IVE, 'I’ve');
}

/** A decision for something is one at a time; without a thing there are many. */
function topicOf(
  { topic, single }: Rule,
  thing: string | undefined,
  language: Language,
): Pick<Statement, 'topic' | 'single'> {
  if (thing === undefined) return { topic, single };
  const book = RULE_BOOKS[language];
  const kept = single ? thing.replace(book.another, '') : thing;
  const known = book.things.get(kept.toLowerCase());
  const name = known ?? stemsOf(kept, language).join(' ');
  if (topic.includes('{thing}')) return { topic: topic.replace('{thing}', name), single };
  return name === '' ? { topic, single } : { topic: `${topic}:${name}`, single: true };
}

/** Returns the stems of the words of a text that say what it is about. */
export function stemsOf(text: string, language: Language): readonly string[] {
  const words = plainWords(text).filter((word) => isContentWord(word) || /\d/u.test(word));
  return [...new Set(words.map(STEMS[language]))];
}

const CAPITALIZED = /(?<!\p{L})\p{Lu}\p{Ll}+(?!\p{L})/gu;

/**
 * Returns the stems of the words of a value. A capital letter makes a name of a word that elsewhere
 * says nothing: `Nice`, and `Will` where it is all of the value.
 */
export function valueStems(value: string, language: Language): readonly string[] {
  const capitalized = plainWords(value.match(CAPITALIZED)?.join(' ') ?? '');
  const names = capitalized.filter((word) => !STOP_WORDS.has(word)).map(STEMS[language]);
  const stems = [...new Set([...stemsOf(value, language), ...names])];
  return stems.length > 0 ? stems : capitalized.map(STEMS[language]);
}
