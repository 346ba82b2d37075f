/** What a correction book is: how people of one language say that something is so no more. */
import { oneOf } from '../text/pattern.ts';

/** Says that something named is no more: `I sold the Golf`. */
export interface GoneRule {
  /** Groups: `gone`; `who`, a person or thing other than the speaker; `as`, what stays. */
  readonly pattern: RegExp;
  /** How a sentence says that it has, does or is that. */
  readonly held: RegExp;
  /** Whether the older sentence must be its speaker's own. */
  readonly ofSpeaker: boolean;
  /** Whether another word must stay the same: `forget blue, green is my favorite color`. */
  readonly shares: boolean;
  /** Whether all words of the phrase must be there, and not its names alone. */
  readonly isWhole: boolean;
  /** Whether the older sentence may be about somebody of the speaker's. */
  readonly ofKin: boolean;
}

/**
 * Says what one state ends: `I got married` and `I am single`. Groups: `who`, the same in both or
 * in none; `value`, another in each.
 */
export interface StateRule {
  readonly newer: RegExp;
  readonly older: RegExp;
}

export interface CorrectionBook {
  readonly gone: readonly GoneRule[];
  /**
   * `The budget was cut to 40,000`, `my new number is`. Groups: `thing`, of which there is one at a
   * time; `value`, where its kind must be the one before; `when`, a value that has a kind; `place`,
   * where it was at another.
   */
  readonly set: readonly RegExp[];
  readonly states: readonly StateRule[];
  /** A sentence about its speaker, and one about somebody whom the speaker calls theirs. */
  readonly own: RegExp;
  readonly kin: RegExp;
  /** Words before a subject that say nothing about it. */
  readonly determiner: RegExp;
  /** A word behind a thing by which a sentence says something of it, and not of its `travel`. */
  readonly verb: RegExp;
  /** A sentence without its `I`, at its beginning: `Sold the car.` */
  readonly bare: RegExp;
  /** How much one pays for a thing or takes of it. Groups: `thing`, `value`. */
  readonly amount: RegExp;
  /** Words before a correction: `Turns out`. */
  readonly opening: RegExp;
  /** Says that what holds goes on to hold. */
  readonly addition: RegExp;
  /** Says that a sentence with another value in the same place is a correction. */
  readonly now: RegExp;
  /** Words behind which one value stands at a time: `is`, `at`. */
  readonly slots: ReadonlySet<string>;
  /** Says, with `now`, that a sentence does not hold any more. */
  readonly negated: RegExp;
  /** What a negation adds to a sentence. */
  readonly negation: ReadonlySet<string>;
  /** Words that say little where a phrase has others: the Barclays `account`. */
  readonly generic: ReadonlySet<string>;
  /** How a sentence says for certain that something is so no more: `sold`, not `lost`. */
  readonly certain: RegExp;
  /** What makes a sentence doubtful for all that: the past, an addition, somebody else's. */
  readonly doubt: RegExp;
  /** Before a thing, that it is any: `a Honda`. */
  readonly indefinite: RegExp;
  /** Behind a thing, says which of several it is: the house `in` Paris. */
  readonly narrower: RegExp;
  /** Says that a sentence is about more than one thing. */
  readonly several: RegExp;
  /** A word behind which another thing stands: a meeting `with` Honda. */
  readonly beside: RegExp;
  /** One name of a thing that has several. */
  readonly things: Readonly<Record<string, string>>;
}

/** `{NAME}` in a pattern, and no property such as `\p{L}`. */
const PART = /(?<!\\[pP])\{([A-Z]+)\}/gu;

export interface CorrectionMaker {
  readonly pattern: (source: string) => RegExp;
  readonly gone: (source: string, held: string, how?: Partial<GoneRule>) => GoneRule;
  readonly state: (newer: string, older: string) => StateRule;
}

/** @param parts of patterns, by name; a list of them is a group of alternatives */
export function correctionMaker(parts: Readonly<Record<string, string>>): CorrectionMaker {
  const pattern = (source: string, flags = 'u'): RegExp =>
    new RegExp(
      source.replace(PART, (_, name: string) => parts[name] ?? ''),
      flags,
    );
  return {
    pattern,
    gone: (source, held, how = {}) => {
      const rule = { pattern: pattern(source), held: pattern(held, 'iu') };
      return { ...rule, ofSpeaker: true, shares: false, isWhole: false, ofKin: false, ...how };
    },
    state: (newer, older) => ({ newer: pattern(newer), older: pattern(older) }),
  };
}

/** Alternatives that are whole words, of any case at their beginning. */
export function words(list: string): string {
  return String.raw`(?<![\p{L}\p{N}])(?:${oneOf(list)})(?![\p{L}\p{N}])`;
}
