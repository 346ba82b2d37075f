/** Compares the people that two texts name: a meeting `with Lea` is not the one `with Tom`. */
import { monthOf, weekdayOf } from './calendar-word.ts';
import { memoized } from './memoized.ts';
import { oneOf } from './pattern.ts';

/** Prepositions before a person or a group, each with those that mean the same. */
const BEFORE_NAME = ['with, mit, con', 'for, für, para', 'of, von, de, del'].map(
  (words) =>
    new RegExp(
      String.raw`(?<!\p{L})${oneOf(words)}\s(?:(?:the|de[mrn]|el|la|my|mein\p{L}*|mi)\s)?` +
        String.raw`(?<name>\p{Lu}[\p{L}\p{M}'’-]+)`,
      'gu',
    ),
);

/** Whether two texts name different people at the same place: `with Lea`, and `with Tom`. */
export function nameDifferentPeople(one: string, other: string): boolean {
  const all = namesIn(other);
  return namesIn(one).some((mine, place) => {
    const theirs = all[place] ?? new Set();
    return mine.size > 0 && theirs.size > 0 && mine.isDisjointFrom(theirs);
  });
}

/** The names after each group of prepositions; pairs of the same texts are compared. */
const namesIn = memoized(
  (text): readonly ReadonlySet<string>[] => BEFORE_NAME.map((pattern) => namesAfter(pattern, text)),
  { entriesMax: 1_024, unitsMax: 1_024 },
);

function namesAfter(pattern: RegExp, text: string): ReadonlySet<string> {
  const names = [...text.matchAll(pattern)].map(({ groups }) => groups?.['name'] ?? '');
  const words = names.map((name) => name.replace(/['’]s$/u, '').toLowerCase());
  const isDay = (word: string): boolean => weekdayOf(word) !== undefined;
  return new Set(words.filter((word) => !isDay(word) && monthOf(word) === undefined));
}
