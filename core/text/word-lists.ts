/** Reads lists of words: sets of them, and the value that each word of a table has. */
import { entriesOf } from './pattern.ts';

/** Returns the words of a list that is separated by white space. */
export function wordSet(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/u).filter((word) => word !== ''));
}

/** Returns the value of each word, given a comma-separated list of words for each value. */
export function byWord<T extends string>(
  lists: Readonly<Record<T, string>>,
): ReadonlyMap<string, T> {
  const rows = Object.entries<string>(lists) as [T, string][];
  return new Map(
    rows.flatMap(([value, list]) => entriesOf(list).map((word) => [word, value] as const)),
  );
}

/** As `byWord`, for values that are numbers. */
export function numberByWord(lists: Readonly<Record<string, string>>): ReadonlyMap<string, number> {
  return new Map([...byWord(lists)].map(([word, value]) => [word, Number(value)]));
}
