/**
 * Extraction without a model: finds the lasting statements in the messages of a conversation.
 *
 * Flow: sentences of a message → those that a rule reads and that last → each checked against its
 * message like a fact of a summary (core/grounding) → statements with their source and time.
 */
import { groundEach } from '../grounding/grounding.ts';
import { TRUST_OF_ROLE, type Trust } from '../trust.ts';
import { countedFrom, type Source } from '../sources/source.ts';
import { utf8Bytes } from '../storable-text.ts';
import { reportsDone } from './done-task.ts';
import { isBareReport, isTakenBack } from './done-task-by-pronoun.ts';
import { announcedDay } from './announced-day.ts';
import { correctionsIn } from './correction.ts';
import { retractionIn } from './retraction.ts';
import { RULE_BOOKS } from './rule-index.ts';
import {
  beforeQuestion,
  isStandingRequest,
  stretchesOf,
  type Stretch,
} from './plain-statements.ts';
import { isAmong, jokedTurns } from './joked-turns.ts';
import { ownParts, wordsBeforeRequests } from './own-words.ts';
import {
  asWritten,
  CHANGE_TOPIC,
  DONE_TOPIC,
  languagesOf,
  ownSentences,
  isRelative,
  SENTENCE_UNITS_MAX,
  statementsOf,
  stemsOf,
  valueStems,
  type Statement,
} from './statement.ts';
import {
  isCommissioned,
  isPassing,
  isQuestionQuoteOrJoke,
  isQuoteOrJoke,
} from './passing-remarks.ts';
import { DAY_OF_TASK } from './rules/tasks-and-goals.ts';
import type { SaidAt } from '../said-at.ts';
import { languageOf, type Language } from '../text/language.ts';
import { isQuestion } from '../text/question.ts';

/** The topic of a fact that no rule of a topic reads; it ends nothing. */
export const PLAIN_TOPIC = 'fact';

/** What an assistant says it has learned from its work; nothing else that it says is kept. */
const LEARNED: Readonly<Record<Language, RegExp>> = {
  en: new RegExp(
    String.raw`^(?:Lesson learned|Note to self|Noted for next time|I(?:['’]ve|` +
      String.raw` have)? learned that)[:,]?\s(?<value>[^?]{10,240})$`,
    'u',
  ),
  de: /^(?:Merke|Gelernt|Notiz an mich|Ich habe gelernt, dass)[:,]?\s(?<value>[^?]{10,240})$/u,
  es: /^(?:Lección aprendida|Nota para mí|He aprendido que)[:,]?\s(?<value>[^?]{10,240})$/u,
  zh: /^(?:经验教训|记下|我学到(?:了)?)[:：,，]?(?<value>[^?？]{4,120})$/u,
};

function learnedStatements(content: string): readonly Statement[] {
  const language = languageOf(content);
  return ownSentences(content).flatMap((sentence): readonly Statement[] => {
    const value = LEARNED[language].exec(sentence)?.groups?.['value'];
    if (value === undefined) return [];
    const values = valueStems(value, language);
    if (values.length === 0) return [];
    return [
      {
        text: sentence,
        quote: sentence,
        language,
        kind: 'Lesson',
        topic: 'lesson',
        single: false,
        negative: false,
        isMentioned: false,
        values,
        ended: [],
      },
    ];
  });
}

/** Opens what somebody else said: `Mi jefe escribió: «Lo mandé»`. */
const SAYS = /[:：]\s*["“„«「『]/u;

/** Whether a sentence reports, neither in jest nor of long ago, that its speaker did something. */
function isLastingReport(sentence: string, language: Language): boolean {
  if (isQuestionQuoteOrJoke(sentence) || SAYS.test(sentence)) return false;
  if (!reportsDone(sentence) && !isBareReport(sentence)) return false;
  return !isPassing(sentence.toLowerCase().replaceAll(DAY_OF_TASK, ' '), language);
}

/**
 * Finds sentences that only end something, such as a task. One that ends a known memory becomes one
 * (`decide`).
 */
function changeStatements(content: string): readonly Heard[] {
  const languages = languagesOf(content);
  const [likely = 'en'] = languages;
  const sentences = ownSentences(content);
  const said = sentences.flatMap((sentence) => beforeQuestion(sentence, likely));
  return said.flatMap((quote): readonly Heard[] => {
    const [change] = correctionsIn([quote], languages);
    const isReport = sentences.includes(quote) && isLastingReport(quote, likely);
    if ((change === undefined && !isReport) || statementsOf(quote).length > 0) return [];
    const language = change?.language ?? likely;
    const topic = change === undefined ? DONE_TOPIC : CHANGE_TOPIC;
    const { filler } = RULE_BOOKS[language];
    const text = retractionIn(quote) === null ? quote.replace(filler, '') : quote;
    const heard = sentences.includes(quote) ? {} : { heard: quote };
    const said = { text, quote, ...heard, language, kind: 'Self', topic } as const;
    const values = stemsOf(text, language);
    return [{ ...said, single: false, negative: true, isMentioned: true, values, ended: [] }];
  });
}

export interface Message extends SaidAt {
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'system' | 'tool';
  readonly speaker: string | null;
  readonly content: string;
}

export interface Extracted {
  readonly statement: Statement;
  readonly message: Message;
  /** The text to keep: the statement, with the day it was said if it has a relative time. */
  readonly text: string;
  readonly trust: Trust;
  /** Ids of memories that it ends according to a model; the rules compare on their own. */
  readonly replaces: readonly string[];
  /** Of a report, the sentences of the latest turns before it, the nearest last. */
  readonly talk?: readonly string[];
}

/** Returns the statements of the messages, in order; the words of each are in its message. */
export function extract(messages: readonly Message[]): readonly Extracted[] {
  const own = ownParts(messages);
  const told = wordsBeforeRequests(messages);
  const turns = messages.map(({ role }, at) => ({ role, own: own[at] ?? '' }));
  const joked = jokedTurns(messages);
  return messages.flatMap((message, at) => {
    const jokes = joked.get(at)?.sentences ?? [];
    const statements = statementsBy(message, own[at] ?? '', told[at] ?? '').filter(
      ({ quote }) => !isAmong(quote, jokes),
    );
    if (statements.length === 0) return [];
    const source = messageSource(message);
    return statements.flatMap((statement) => {
      const { text, quote, heard } = statement;
      const [judged] = groundEach(
        [{ text, sources: [message.id], quote }],
        new Map([[message.id, heard === undefined ? source : { ...source, text: heard }]]),
      );
      if (judged?.reason !== null) return [];
      const extracted = extractedOf(statement, message, []);
      if (statement.topic !== DONE_TOPIC && statement.topic !== CHANGE_TOPIC) return extracted;
      return { ...extracted, talk: talkBefore(statement, turns.slice(0, at + 1)) };
    });
  });
}

/**
 * Returns the sentences before a report, from the user's message before its own on; none if its
 * quote is not a whole sentence of its message, or a later sentence there takes it back.
 * @param turns all messages up to its own, and what each says in its own words
 */
function talkBefore(
  { quote }: Statement,
  turns: readonly { readonly role: Message['role']; readonly own: string }[],
): readonly string[] {
  const sentences = ownSentences(turns.at(-1)?.own ?? '');
  const place = sentences.indexOf(quote);
  if (place < 0 || sentences.slice(place + 1).some(isTakenBack)) return [];
  const before = turns.slice(0, -1);
  const first = before.findLastIndex(({ role }) => role === 'user');
  const latest = before
    .slice(Math.max(first, 0))
    .filter(({ role }) => role === 'user' || role === 'assistant');
  return [...latest.flatMap(({ own }) => ownSentences(own)), ...sentences.slice(0, place)];
}

/** Returns a statement as it is kept: with the day it was said if it has a relative time. */
export function extractedOf(
  statement: Statement,
  message: Message,
  replaces: readonly string[],
): Extracted {
  const isCounted = isRelative(statement.text) || announcedDay(statement.text, message) !== null;
  const day = isCounted ? ` ${countedFrom(message)}` : '';
  const text = `${statement.text}${day}`;
  return { statement, message, text, trust: TRUST_OF_ROLE[message.role], replaces };
}

/** A statement, and what it is checked against if that is less than its message. */
type Heard = Statement & { readonly heard?: string };

/**
 * Finds what sentences state that no rule reads as a whole: plain statements, and statements before
 * a question or a request.
 */
function plainStatements(content: string): readonly Heard[] {
  const languages = languagesOf(content);
  if (isCommissioned(content, languages)) return [];
  const sentences = ownSentences(content).flatMap((sentence) =>
    statementsOf(sentence).length > 0 ? [] : sentence.split(HASTY_END),
  );
  return sentences.flatMap((sentence) => {
    if (sentence.length > SENTENCE_UNITS_MAX || isQuoteOrJoke(sentence)) return [];
    if (SAYS.test(sentence)) return [];
    if (retractionIn(sentence) !== null) return [];
    const [language = 'en'] = languages;
    return factsIn(sentence, language);
  });
}

/** The end of a sentence before another one that begins with a small letter. */
const HASTY_END = /(?<=\p{L}{2}[.!?])\s+(?=\p{Ll})/u;

function factsIn(sentence: string, language: Language): readonly Heard[] {
  if (isStandingRequest(sentence, language) && !isQuestion(sentence)) {
    return [plainStatement(sentence, language, { kind: 'Instruction', topic: 'instruction' })];
  }
  const typed = language === 'en' ? asWritten(sentence) : sentence;
  return stretchesOf(typed, language).flatMap((stretch) => statementsOfStretch(stretch, language));
}

function statementsOfStretch(
  { text, statesSomething }: Stretch,
  language: Language,
): readonly Heard[] {
  const read = statementsOf(text).map((each) => ({ ...each, heard: text }));
  if (read.length > 0 || !statesSomething) return read;
  return [plainStatement(text, language, { kind: 'Self', topic: PLAIN_TOPIC })];
}

/** Returns a statement in the words of its sentence, which ends nothing. */
function plainStatement(
  text: string,
  language: Language,
  about: Pick<Statement, 'kind' | 'topic'>,
): Heard {
  const said = { text, quote: text, heard: text, language, values: stemsOf(text, language) };
  return { ...about, ...said, single: false, negative: false, isMentioned: false, ended: [] };
}

/** Returns what a user says; a change that is a plain statement is kept even if it ends nothing. */
function userStatements(own: string): readonly Heard[] {
  const changes = changeStatements(own);
  const isChange = ({ quote }: Heard): boolean =>
    changes.some((each) => each.topic === CHANGE_TOPIC && each.quote.includes(quote));
  const plain = plainStatements(own).map((each) =>
    each.topic === PLAIN_TOPIC && isChange(each)
      ? { ...each, topic: CHANGE_TOPIC, negative: true }
      : each,
  );
  const only = changes.filter(
    (each) => each.topic === DONE_TOPIC || !plain.some(({ quote }) => each.quote.includes(quote)),
  );
  return [...statementsOf(own), ...only, ...plain];
}

function statementsBy({ role }: Message, own: string, told: string): readonly Heard[] {
  if (role === 'user')
    return [...statementsOf(told), ...plainStatements(told), ...userStatements(own)];
  return role === 'assistant' ? learnedStatements(own) : [];
}

/** Returns a message as grounding sees it, with neither hash nor count of tokens. */
export function messageSource({ id, role, speaker, content, at, utcOffset }: Message): Source {
  return {
    id,
    kind: 'turn',
    position: id,
    text: content,
    contentHash: '',
    tokens: 0,
    bytes: utf8Bytes(content),
    at,
    utcOffset,
    speaker: speaker ?? role,
    role,
    trust: TRUST_OF_ROLE[role],
    expiresAt: null,
  };
}
