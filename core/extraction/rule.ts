/** What a rule of extraction is: a pattern of one language, and what a sentence says by it. */
import { oneOf } from '../text/pattern.ts';
import type { StatementKind } from '../records/extracted-statement.ts';

export interface Rule {
  readonly kind: StatementKind;
  /** What is said of it can be compared; `{thing}` stands for the group of that name. */
  readonly topic: string;
  /** One value at a time: another value ends the one before. */
  readonly single: boolean;
  /** Says that something is not so, or no more. */
  readonly negative: boolean;
  /** Groups: `value`; `thing`, for the topic; `old`, what it says is no more. */
  readonly pattern: RegExp;
}

export interface RuleBook {
  readonly rules: readonly Rule[];
  /** A sentence that says nothing lasting about its speaker: a wish, a guess, a joke, a report. */
  readonly notLasting: RegExp;
  /** Words of `notLasting` that leave the other clauses standing: laughter, what somebody says. */
  readonly aside: RegExp;
  /** Where a clause ends, also where no punctuation shows it: `btw`. */
  readonly joint: RegExp;
  /** Of a message that asks for a text to be made or changed: its words are not the speaker's. */
  readonly commissioned: RegExp;
  /** Values that mean nothing outside their talk: `that`, `the second one`. */
  readonly pointing: RegExp;
  /** Words before a statement that say nothing: `By the way,`. */
  readonly filler: RegExp;
  /** What a decision puts something else in the place of, as `old`: `instead of Stripe`. */
  readonly replaced: RegExp;
  /** Before a thing of which one has one at a time, that it is another: `my new number`. */
  readonly another: RegExp;
  /** Time relative to when it was said: the day is then put behind the statement. */
  readonly relative: RegExp;
  /** One name of each thing that has several: `boss` is a `manager`. */
  readonly things: Readonly<Record<string, string>>;
  /** A text about the speaker in the third person, as in the first. */
  readonly inFirstPerson: (text: string, names: readonly string[]) => string;
}

/** `{NAME}` in a pattern, and no property such as `\p{L}`. */
const PART = /(?<!\\[pP])\{([A-Z]+)\}/gu;

export function ruleMaker(
  parts: Readonly<Record<string, string>>,
): (
  kind: StatementKind,
  topic: string,
  pattern: string,
  how?: { readonly single?: boolean; readonly negative?: boolean },
) => Rule {
  return (kind, topic, pattern, { single = false, negative = false } = {}) => {
    const source = pattern.replace(PART, (_, name: string) => parts[name] ?? '');
    return { kind, topic, single, negative, pattern: new RegExp(source, 'u') };
  };
}

/** For a pattern: any of a list parted by commas, with a small or a capital letter first. */
export function anyCase(list: string): string {
  const entries = list.split(',').map((entry) => entry.trim());
  const cased = entries
    .filter((entry) => entry !== '')
    .map((entry) => `[${entry.charAt(0).toUpperCase()}${entry.charAt(0)}]${entry.slice(1)}`);
  return oneOf(cased.join(','));
}

/** For a pattern: any of the names of a table of things. */
export function namesOf(things: Readonly<Record<string, string>>): string {
  return Object.keys(things)
    .toSorted((a, b) => b.length - a.length)
    .join('|');
}

const WORD = String.raw`[\p{L}\p{N}][^\s,;:]*`;
/** For `replaced`: a word, and a name with the words of it that have capitals. */
export const OLD_WORD = `(?<old>${WORD})`;
export const OLD_NAME = String.raw`(?<old>${WORD}(?:\s\p{Lu}[^\s,;:]*)*)`;
