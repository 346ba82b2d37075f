/** Defines an extraction rule: a pattern of one language, and what a match says. */
import { oneOf } from '../text/pattern.ts';
import { wordSet } from '../text/stop-words.ts';
import type { StatementKind } from '../records/extracted-statement.ts';

export interface Rule {
  readonly kind: StatementKind;
  /** Statements of one topic can be compared; `{thing}` stands for the group of that name. */
  readonly topic: string;
  /** Whether there is one value at a time: another value ends the one before. */
  readonly single: boolean;
  /** Whether it says that something is not so, or no longer so. */
  readonly negative: boolean;
  /** Whether it only mentions its value: `my new boss Ines`. It ends memories, but adds none. */
  readonly isMentioned: boolean;
  /** Groups: `value`; `thing`, for the topic; `old`, what it says has ended. */
  readonly pattern: RegExp;
}

export interface RuleBook {
  readonly rules: readonly Rule[];
  /** Matches a sentence that says nothing lasting: a wish, a guess, a joke, a report. */
  readonly notLasting: RegExp;
  /** Words of `notLasting` that do not affect other clauses: laughter, what somebody says. */
  readonly aside: RegExp;
  /** The end of a clause, also without punctuation: `btw`. */
  readonly joint: RegExp;
  /** Matches a message that asks to write or change a text: its words are not the speaker's own. */
  readonly commissioned: RegExp;
  /** Values that mean nothing outside their conversation: `that`, `the second one`. */
  readonly pointing: RegExp;
  /** Words before a statement that say nothing: `By the way,`. */
  readonly filler: RegExp;
  /** What a decision replaces, as group `old`: `instead of Stripe`. */
  readonly replaced: RegExp;
  /** Says before a thing that it is a new one: `my new number`. */
  readonly another: RegExp;
  /** A relative time; the statement then gets the day when it was said. */
  readonly relative: RegExp;
  /** One name of each thing that has several: `boss` is a `manager`. */
  readonly things: Readonly<Record<string, string>>;
  /** Puts a text about the speaker from the third person into the first. */
  readonly inFirstPerson: (text: string, names: readonly string[]) => string;
}

/** `{NAME}` in a pattern, but not a property such as `\p{L}`. */
const PART = /(?<!\\[pP])\{([A-Z]+)\}/gu;

export function ruleMaker(
  parts: Readonly<Record<string, string>>,
): (
  kind: StatementKind,
  topic: string,
  pattern: string,
  how?: Partial<Pick<Rule, 'single' | 'negative' | 'isMentioned'>>,
) => Rule {
  return (kind, topic, pattern, { single = false, negative = false, isMentioned = false } = {}) => {
    const source = pattern.replace(PART, (_, name: string) => parts[name] ?? '');
    return { kind, topic, single, negative, isMentioned, pattern: new RegExp(source, 'u') };
  };
}

/** Returns a pattern for any entry of a comma-separated list, with its first letter in any case. */
export function anyCase(list: string): string {
  const entries = list.split(',').map((entry) => entry.trim());
  const cased = entries
    .filter((entry) => entry !== '')
    .map((entry) => `[${entry.charAt(0).toUpperCase()}${entry.charAt(0)}]${entry.slice(1)}`);
  return oneOf(cased.join(','));
}

/** Returns a pattern for any name in a table of things. */
export function namesOf(things: Readonly<Record<string, string>>): string {
  return Object.keys(things)
    .toSorted((a, b) => b.length - a.length)
    .join('|');
}

const PERSONS = wordSet(`
  manager accountant lawyer dentist doctor therapist landlord spouse girlfriend boyfriend fiancé
`);

type Names = Readonly<Record<string, string>>;

/** Returns the names of people of whom there is one at a time; a `partner` may be in business. */
export function personsOf(things: Names): Names {
  const persons = Object.entries(things).filter(
    ([name, thing]) => PERSONS.has(thing) && !name.startsWith('partner'),
  );
  return Object.fromEntries(persons);
}

const WORD = String.raw`[\p{L}\p{N}][^\s,;:]*`;
/** For `replaced`: a word, and a name with all its capitalized words. */
export const OLD_WORD = `(?<old>${WORD})`;
export const OLD_NAME = String.raw`(?<old>${WORD}(?:\s\p{Lu}[^\s,;:]*)*)`;
