/** Defines a correction book: how people say in one language that something no longer holds. */
import { lazyPattern, withParts, type Pattern } from '../text/pattern.ts';

/** Matches a sentence that says that something it names has ended: `I sold the Golf`. */
export interface GoneRule {
  /** Groups: `gone`; `who`, a person or thing other than the speaker; `as`, what must stay. */
  readonly pattern: Pattern;
  /** How an older sentence says that somebody has, does or is that thing. */
  readonly held: Pattern;
  /** Whether the older sentence must be its speaker's own. */
  readonly ofSpeaker: boolean;
  /** Whether another word must stay the same: `forget blue, green is my favorite color`. */
  readonly shares: boolean;
  /** Whether the older sentence must have all words of the phrase, not only its names. */
  readonly isWhole: boolean;
  /** Whether the older sentence may be about a relative of the speaker. */
  readonly ofKin: boolean;
}

/**
 * A new state that ends an old one: `I got married` and `I am single`. Groups: `who`, which must be
 * the same in both or in neither; `value`, which must differ.
 */
export interface StateRule {
  readonly newer: Pattern;
  /** Null for any sentence that gives the topic another value. */
  readonly older: Pattern | null;
  readonly topic: string | null;
  /** Whether it is too uncertain to end all that the older sentence says. */
  readonly isInPart: boolean;
  /** Whether it is certain whatever its words are. */
  readonly isCertain: boolean;
}

export interface CorrectionBook {
  readonly gone: readonly GoneRule[];
  /**
   * `The budget was cut to 40,000`, `my new number is`. Groups: `thing`, which has one value at a
   * time; `value`, which must be of the same kind as the old one; `when`, a value that must have a
   * kind; `place`, for a thing that was at another place.
   */
  readonly set: readonly Pattern[];
  readonly states: readonly StateRule[];
  /** A sentence about its speaker, and one about a relative of the speaker. */
  readonly own: Pattern;
  readonly kin: Pattern;
  /** Words before a subject that say nothing about it. */
  readonly determiner: Pattern;
  /** A verb right after a thing, which shows that the sentence is about the thing itself. */
  readonly verb: Pattern;
  /** The beginning of a sentence that leaves out `I`: `Sold the car.` */
  readonly bare: Pattern;
  /** How much somebody pays for a thing or takes of it. Groups: `thing`, `value`. */
  readonly amount: Pattern;
  /** Words before a correction: `Turns out`. */
  readonly opening: Pattern;
  /** Says that a sentence adds something, so that what held before still holds. */
  readonly addition: Pattern;
  /** Says that a sentence with another value in the same place is a correction. */
  readonly now: Pattern;
  /** Words that one value at a time follows: `is`, `at`. */
  readonly slots: ReadonlySet<string>;
  /** Says, together with `now`, that a sentence no longer holds. */
  readonly negated: Pattern;
  /** Words that a negation adds to a sentence. */
  readonly negation: ReadonlySet<string>;
  /** Words that say little if a phrase has other words: the Barclays `account`. */
  readonly generic: ReadonlySet<string>;
  /** Says for certain that something has ended: `sold`, not `lost`. */
  readonly certain: Pattern;
  /** Makes a certain sentence doubtful: the past, an addition, a thing of somebody else. */
  readonly doubt: Pattern;
  /** Before a thing, says that it may be any one: `a Honda`. */
  readonly indefinite: Pattern;
  /** Behind a thing, says which of several it is: the house `in` Paris. */
  readonly narrower: Pattern;
  /** Says that a sentence is about more than one thing. */
  readonly several: Pattern;
  /** A word before the name of another thing: a meeting `with` Honda. */
  readonly beside: Pattern;
  /** One name of a thing that has several. */
  readonly things: ReadonlyMap<string, string>;
}

/** How a rule differs from the usual one. */
export const RULE_OPTIONS = {
  anybody: { ofSpeaker: false },
  /** What another thing replaces, in the words of anybody. */
  replaced: { shares: true, ofSpeaker: false },
  kin: { ofKin: true },
  whole: { isWhole: true },
  inPart: { isInPart: true },
  certain: { isCertain: true },
} as const;

const STATE = { topic: null, isInPart: false, isCertain: false };

interface CorrectionMaker {
  readonly pattern: (source: string) => Pattern;
  readonly gone: (source: string, held: string, how?: Partial<GoneRule>) => GoneRule;
  readonly state: (newer: string, older: string, how?: Partial<StateRule>) => StateRule;
  readonly stateOf: (topic: string, newer: string) => StateRule;
}

/** @param parts of patterns, by name */
export function correctionMaker(parts: Readonly<Record<string, string>>): CorrectionMaker {
  const pattern = (source: string, flags = 'u'): Pattern =>
    lazyPattern(withParts(source, parts), flags);
  return {
    pattern,
    gone: (source, held, how = {}) => {
      const rule = { pattern: pattern(source), held: pattern(held, 'iu') };
      return { ...rule, ofSpeaker: true, shares: false, isWhole: false, ofKin: false, ...how };
    },
    state: (newer, older, how = {}) => ({
      newer: pattern(newer),
      older: pattern(older),
      ...STATE,
      ...how,
    }),
    stateOf: (topic, newer) => ({ ...STATE, newer: pattern(newer), older: null, topic }),
  };
}
