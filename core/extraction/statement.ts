/** Statements: what a sentence says that lasts, as its words and as something to compare. */
import { languageOf, type Language } from '../text/language.ts';
import { sentenceRanges } from '../text/sentences.ts';
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
  /** The sentence's own words. */
  readonly text: string;
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
      const statement = readStatement(said, language);
      if (statement !== null) return book.passing.test(said) ? [] : [statement];
    }
    return [];
  });
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
