/** Defines an extraction rule: a pattern of one language, and what a match says. */
import type { Language } from '../text/language.ts';
import { entriesOf, lazyPattern, oneOf, withParts, type Pattern } from '../text/pattern.ts';
import { wordSet } from '../text/word-lists.ts';
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
  readonly pattern: Pattern;
}

export type RulesByLanguage = Readonly<Record<Language, readonly Rule[]>>;

/** By name: the one name of its thing. */
type Things = ReadonlyMap<string, string>;

export interface RuleBook {
  readonly rules: readonly Rule[];
  /** Matches a sentence that says nothing lasting: a wish, a guess, a joke, a report. */
  readonly notLasting: Pattern;
  /** Words of `notLasting` that name the day of what was done on it: `I sold the Honda today`. */
  readonly dayOfDeed: RegExp;
  /** Words of `notLasting` that do not affect other clauses: laughter, what somebody says. */
  readonly aside: RegExp;
  /** The end of a clause, also without punctuation: `btw`. */
  readonly joint: RegExp;
  /** Matches a message that asks to write or change a text: its words are not the speaker's own. */
  readonly commissioned: Pattern;
  /** Values that mean nothing outside their conversation: `that`, `the second one`. */
  readonly pointing: Pattern;
  /** Words before a statement that say nothing: `By the way,`. */
  readonly filler: Pattern;
  /** What a decision replaces, as group `old`: `instead of Stripe`. */
  readonly replaced: Pattern;
  /** Says before a thing that it is a new one: `my new number`. */
  readonly another: Pattern;
  /** A relative time; the statement then gets the day when it was said. */
  readonly relative: Pattern;
  /** One name of each thing that has several: `boss` is a `manager`. */
  readonly things: Things;
}

const ONE = { single: true };
const NOT = { negative: true };
const ENDED = { ...ONE, ...NOT };
const IN_PASSING = { ...ONE, isMentioned: true };

type Meaning = readonly [
  kind: StatementKind,
  topic: string,
  how?: Partial<Pick<Rule, 'single' | 'negative' | 'isMentioned'>>,
];

/** What the rules of all languages find, by the names that the books use. */
const MEANINGS = {
  name: ['Self', 'name', ONE],
  address: ['Self', 'my:address', ONE],
  residence: ['Self', 'residence', ONE],
  formerResidence: ['Self', 'residence', ENDED],
  residenceInPassing: ['Self', 'residence', IN_PASSING],
  /** A move that did not happen after all. */
  deniedResidence: ['Self', 'residence', { ...IN_PASSING, ...NOT }],
  employer: ['Self', 'employer', ONE],
  formerEmployer: ['Self', 'employer', ENDED],
  employerInPassing: ['Self', 'employer', IN_PASSING],
  deniedEmployer: ['Self', 'employer', { ...IN_PASSING, ...NOT }],
  job: ['Self', 'job'],
  shift: ['Self', 'shift', ONE],
  teaches: ['Self', 'teaches', ONE],
  responsible: ['Self', 'responsible'],
  allergy: ['Self', 'allergy'],
  noAllergy: ['Self', 'allergy', NOT],
  diet: ['Self', 'diet', ONE],
  formerDiet: ['Self', 'diet', ENDED],
  speaks: ['Self', 'speaks'],
  speaksNot: ['Self', 'speaks', NOT],
  plays: ['Self', 'plays'],
  programs: ['Self', 'programs'],
  learning: ['Self', 'learning'],
  handedness: ['Self', 'handedness', ONE],
  habit: ['Self', 'habit'],
  rate: ['Self', 'my:rate', ONE],
  /** Anything that has a number: `my budget is 500`. */
  figure: ['Self', 'my:{thing}', ONE],
  like: ['Preference', 'like'],
  dislike: ['Preference', 'like', NOT],
  only: ['Preference', 'only:{thing}', ONE],
  favorite: ['Preference', 'favorite:{thing}', ONE],
  instruction: ['Instruction', 'instruction'],
  decision: ['Decision', 'decision'],
  decisionAgainst: ['Decision', 'decision', NOT],
  task: ['Task', 'task'],
  /** A task that is no longer one: `I don't need to send the report anymore`. */
  formerTask: ['Task', 'task', { ...NOT, isMentioned: true }],
  goal: ['Goal', 'goal'],
  date: ['Date', 'date:{thing}', ONE],
  birthday: ['Date', 'birthday:{thing}', ONE],
  timeOff: ['Date', 'time off'],
  owner: ['Ownership', 'owner:{thing}', ONE],
  has: ['Possession', 'have'],
  hasNot: ['Possession', 'have', NOT],
  manager: ['Possession', 'my:manager', ONE],
  car: ['Possession', 'my:car', ONE],
  /** Somebody or something of which there is one at a time: `my boss`. */
  theOne: ['Possession', 'my:{thing}', ONE],
  theOneInPassing: ['Possession', 'my:{thing}', IN_PASSING],
  oneOfSeveral: ['Possession', 'my:{thing}'],
  age: ['Possession', 'age:{thing}', ONE],
  residenceOf: ['Possession', 'residence:{thing}', ONE],
  employerOf: ['Possession', 'employer:{thing}', ONE],
  workplaceOf: ['Possession', 'workplace:{thing}', ONE],
  jobOf: ['Possession', 'job:{thing}', ONE],
  professionOf: ['Possession', 'job:{thing}'],
  studiesOf: ['Possession', 'studies:{thing}', ONE],
  languageOf: ['Possession', 'speaks:{thing}'],
} as const satisfies Readonly<Record<string, Meaning>>;

export type RuleMakers = Readonly<Record<keyof typeof MEANINGS, (pattern: string) => Rule>>;

/** Returns a maker of rules for each meaning; `{NAME}` in a pattern stands for the part `NAME`. */
export function ruleMakers(parts: Readonly<Record<string, string>>): RuleMakers {
  const makers = Object.entries<Meaning>(MEANINGS).map(([name, [kind, topic, how]]) => {
    const rule = (pattern: string): Rule => ({
      kind,
      topic,
      single: false,
      negative: false,
      isMentioned: false,
      ...how,
      pattern: lazyPattern(withParts(pattern, parts), 'u'),
    });
    return [name, rule] as const;
  });
  return Object.fromEntries(makers) as RuleMakers;
}

/** Returns a pattern for any entry of a comma-separated list, with its first letter in any case. */
export function anyCase(list: string): string {
  const cased = entriesOf(list).map(
    (entry) => `[${entry.charAt(0).toUpperCase()}${entry.charAt(0)}]${entry.slice(1)}`,
  );
  return oneOf(cased.join(','));
}

/** Returns a pattern for any name in a table of things. */
export function namesOf(things: Things): string {
  return [...things.keys()].toSorted((a, b) => b.length - a.length).join('|');
}

const PERSONS = wordSet(`
  manager accountant lawyer dentist doctor therapist landlord spouse girlfriend boyfriend fiancé
`);

/** Returns the names of people of whom there is one at a time; a `partner` may be in business. */
export function personsOf(things: Things): Things {
  return new Map(
    [...things].filter(([name, thing]) => PERSONS.has(thing) && !name.startsWith('partner')),
  );
}

const WORD = String.raw`[\p{L}\p{N}][^\s,;:]*`;
/** For `replaced`: a word, and a name with all its capitalized words. */
export const OLD_WORD = `(?<old>${WORD})`;
export const OLD_NAME = String.raw`(?<old>${WORD}(?:\s\p{Lu}[^\s,;:]*)*)`;
