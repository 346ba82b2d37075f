/** Statements: what a sentence says that lasts, as its words and as something to compare. */
import { languageOf, type Language } from '../text/language.ts';
import { sentenceRanges } from '../text/sentences.ts';
import { spokenLine } from '../text/spoken-line.ts';
import { createStem } from '../text/stem.ts';
import { isContentWord, plainWords } from '../text/words.ts';
import type { StatementKind } from '../records/extracted-statement.ts';
import type { Rule, RuleBook } from './rule.ts';
import { DE } from './rules/de.ts';
import { EN } from './rules/en.ts';
import { ES } from './rules/es.ts';
import { ZH } from './rules/zh.ts';

export const RULE_BOOKS: Readonly<Record<Language, RuleBook>> = { en: EN, de: DE, es: ES, zh: ZH };

const STEMS: Readonly<Record<Language, (word: string) => string>> = {
  en: createStem('english'),
  de: createStem('german'),
  es: createStem('spanish'),
  zh: (word) => word,
};

export interface Statement {
  /** The sentence's own words; a clause without its subject gets it back. */
  readonly text: string;
  /** The words of the message, as they stand there. */
  readonly quote: string;
  readonly language: Language;
  readonly kind: StatementKind;
  /** Statements of one topic can be compared: `residence`, `date:launch`. */
  readonly topic: string;
  readonly single: boolean;
  readonly negative: boolean;
  /** Stems of what it says of its topic. */
  readonly values: readonly string[];
  /** Stems of what it says is no more; none where it names nothing. */
  readonly ended: readonly string[];
}

/** Longer sentences are talk; what lasts in them is said again in fewer words. */
const SENTENCE_UNITS_MAX = 240;
/** Of one message. */
const SENTENCES_MAX = 200;

/** The sentences of a message that are its speaker's own: no code, no quoted lines. */
export function ownSentences(content: string): readonly string[] {
  const own = content
    .replace(/```[\s\S]*?(?:```|$)/gu, '\n')
    .replace(/^\s*>.*$/gmu, '')
    .replace(/`[^`\n]*`/gu, ' ');
  return sentenceRanges(own)
    .slice(0, SENTENCES_MAX)
    .map(({ start, end }) => own.slice(start, end))
    .flatMap((sentence) => sentence.split(/(?<=[。！？；])/u))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

/** What a person says that lasts; nothing where any doubt is. */
export function statementsOf(content: string): readonly Statement[] {
  const languages = languagesOf(content);
  if (languages.some((language) => RULE_BOOKS[language].commissioned.test(content))) return [];
  return ownSentences(content).flatMap((sentence) => {
    if (sentence.length > SENTENCE_UNITS_MAX || isUttered(sentence)) return [];
    for (const language of languages) {
      const book = RULE_BOOKS[language];
      const said = sentence.replace(book.filler, '');
      const statements = statementsIn(said, language);
      if (statements.length > 0) return book.passing.test(said) ? [] : statements;
    }
    return [];
  });
}

/** Where a sentence goes on with another statement about its speaker. */
interface ClauseRule {
  readonly first: RegExp;
  readonly joint: RegExp;
  /** A verb whose subject is the one of the clause before, and that subject. */
  readonly bare: RegExp;
  readonly subject: string;
}

const VERBS = {
  en: 'am|live|work|have|own|like|love|hate|prefer|use|speak|play|study|drive',
  de: 'bin|habe|wohne|lebe|arbeite|mag|liebe|hasse|esse|trinke|spreche|fahre',
  es: 'soy|tengo|vivo|trabajo|prefiero|uso|hablo|odio|me gusta|no como|no bebo',
} as const;

const CLAUSES: Readonly<Record<Language, ClauseRule>> = {
  en: {
    first: /^(?:I|I['’](?:m|ve)|My)\b/iu,
    joint: new RegExp(
      String.raw`,?\s(?:and|but)\s(?=(?:I|I['’](?:m|ve)|my|${VERBS.en})\s)|` +
        String.raw`,\s(?=(?:I|I['’](?:m|ve)|my)\s)`,
      'iu',
    ),
    bare: new RegExp(String.raw`^(?:${VERBS.en})\s`, 'iu'),
    subject: 'I ',
  },
  de: {
    first: /^(?:Ich|Mein\p{L}*)\b/iu,
    joint: new RegExp(
      String.raw`,?\s(?:und|aber)\s(?=(?:ich|mein\p{L}*|${VERBS.de})\s)|` +
        String.raw`,\s(?=(?:ich|mein\p{L}*)\s)`,
      'iu',
    ),
    bare: new RegExp(String.raw`^(?:${VERBS.de})\s`, 'iu'),
    subject: 'Ich ',
  },
  es: {
    first: new RegExp(String.raw`^(?:Yo|Mi|Me|No|${VERBS.es})\s`, 'iu'),
    joint: new RegExp(
      String.raw`,?\s(?:y|pero)\s(?=(?:mi|${VERBS.es})\s)|,\s(?=(?:mi|${VERBS.es})\s)`,
      'iu',
    ),
    bare: /(?!)/u,
    subject: '',
  },
  zh: { first: /^我/u, joint: /[，,](?:而且|并且|也|但)?(?=我)/u, bare: /(?!)/u, subject: '' },
};

/**
 * The statements of one sentence. One that says two things of its speaker is two statements, since
 * either may end without the other.
 */
function statementsIn(sentence: string, language: Language): readonly Statement[] {
  const whole = readStatement(sentence, language);
  const { first, joint, bare, subject } = CLAUSES[language];
  if (!first.test(sentence)) return whole === null ? [] : [whole];
  const statements = sentence.split(joint).flatMap((clause): readonly Statement[] => {
    const quote = clause.trim();
    const text = capitalized(bare.test(quote) ? `${subject}${quote}` : quote);
    const read = readStatement(text, language);
    return read === null || RULE_BOOKS[language].passing.test(text) ? [] : [{ ...read, quote }];
  });
  if (statements.length > 1) return statements;
  return whole === null ? [] : [whole];
}

function capitalized(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** What a text says that lasts, and of whom: of the speaker or user where `of` is empty. */
export interface Lasting {
  readonly of: string;
  readonly statements: readonly Statement[];
}

/** The user as tools call them, which every rule book puts into the first person. */
const USERS: Readonly<Record<Language, string>> = {
  en: 'The user',
  de: 'Der Nutzer',
  es: 'El usuario',
  zh: '用户',
};
const USER = /^(?:(?:the |der |die |el |la )?(?:user|nutzer|nutzerin|usuario|usuaria)\b|用户)/iu;
/** A name at the beginning, with what follows it in a statement. */
const NAMED = /^(?<name>\p{Lu}[\p{L}\p{M}-]+(?:\s\p{Lu}[\p{L}\p{M}-]+){0,2}?)(?:['’]s)?\s/u;
const NAMED_UNSPACED = /^(?<name>\p{Script=Han}{2,4}?)(?=现?在?住|对|不?喜欢|是|搬到)/u;

/** As `statementsOf`, and also what somebody says of a person by name or of `the user`. */
export function lastingOf(content: string): Lasting {
  const text = content.trim();
  const spoken = spokenLine(text);
  if (spoken !== null) {
    return { of: spoken.speaker.toLowerCase(), statements: statementsOf(spoken.said) };
  }
  const statements = statementsOf(text);
  if (statements.length > 0) return { of: '', statements };
  const of = USER.test(text) ? '' : nameAtStart(text);
  const statement = of === null ? null : inThirdPerson(text, of);
  return statement === null
    ? { of: '', statements: [] }
    : { of: (of ?? '').toLowerCase(), statements: [statement] };
}

function nameAtStart(text: string): string | null {
  const name = (NAMED.exec(text) ?? NAMED_UNSPACED.exec(text))?.groups?.['name'] ?? null;
  return name === null || !isContentWord(name.toLowerCase()) ? null : name;
}

/**
 * One sentence about a person.
 * @param name that it begins with; empty for one that begins with the user
 */
function inThirdPerson(text: string, name: string): Statement | null {
  if (isUttered(text) || ownSentences(text).length > 1) return null;
  for (const language of languagesOf(text)) {
    const book = RULE_BOOKS[language];
    // In place of the name, since a pattern for each name would have to be compiled.
    const about = name === '' ? text : `${USERS[language]}${text.slice(name.length)}`;
    const said = book.inFirstPerson(about, []);
    if (said === about || book.passing.test(said)) continue;
    const statement = readStatement(said, language);
    if (statement !== null) return statement;
  }
  return null;
}

/** A memory that anybody may have written, of the owner of its scope. */
export function knownStatement(content: string, names: readonly string[]): Statement | null {
  for (const language of languagesOf(content)) {
    const book = RULE_BOOKS[language];
    const text = book.inFirstPerson(content.replace(book.filler, ''), names);
    const statement = readStatement(text, language);
    if (statement !== null) return statement;
  }
  return null;
}

/**
 * The sentence is too short to detect its language, so the rules of all languages of its script
 * apply.
 */
function languagesOf(content: string): readonly Language[] {
  const likely = languageOf(content);
  if (likely === 'zh') return ['zh'];
  return [likely, ...(['en', 'de', 'es'] as const).filter((each) => each !== likely)];
}

/** A question, a quotation, or a joke. */
function isUttered(sentence: string): boolean {
  return (
    /[?？]["'»”)\]]*\s*$/u.test(sentence) ||
    /^["'“„«「『]/u.test(sentence) ||
    /\p{Extended_Pictographic}|[:;]-?[)DP](?!\p{L})/u.test(sentence)
  );
}

function readStatement(text: string, language: Language): Statement | null {
  const book = RULE_BOOKS[language];
  for (const rule of book.rules) {
    const groups = rule.pattern.exec(text)?.groups;
    const value = groups?.['value']?.trim();
    if (groups === undefined || value === undefined || book.pointing.test(value)) continue;
    const values = stemsOf(value, language);
    if (values.length === 0) continue;
    const { kind, negative } = rule;
    return {
      text,
      quote: text,
      language,
      kind,
      negative,
      ...topicOf(rule, groups['thing'], language),
      values,
      ended: stemsOf(groups['old'] ?? '', language),
    };
  }
  return null;
}

/** A decision for something is one at a time; without a thing there are many. */
function topicOf(
  { topic, single }: Rule,
  thing: string | undefined,
  language: Language,
): Pick<Statement, 'topic' | 'single'> {
  if (thing === undefined) return { topic, single };
  const known = RULE_BOOKS[language].things[thing.toLowerCase()];
  const name = known ?? stemsOf(thing, language).join(' ');
  if (topic.includes('{thing}')) return { topic: topic.replace('{thing}', name), single };
  return name === '' ? { topic, single } : { topic: `${topic}:${name}`, single: true };
}

export function stemsOf(text: string, language: Language): readonly string[] {
  const words = plainWords(text).filter((word) => isContentWord(word) || /\d/u.test(word));
  return [...new Set(words.map(STEMS[language]))];
}
