/**
 * The terms of a session as numbers: where each occurs, and which each passage has. A ranking
 * reads them for every session, so each term is looked up once and the rest is counting.
 */
import { shortHash } from '../hash.ts';

export interface TermIndex {
  /** Its terms, numbered as they first occur. */
  readonly numbers: ReadonlyMap<string, number>;
  /** Bits by the hash of a term: see `numberIn`. */
  readonly filter: Uint32Array;
  /** By number: in how many turns it occurs. */
  readonly frequency: Uint32Array;
  /** By number, and one more: where its occurrences begin. */
  readonly starts: Uint32Array;
  /** By occurrence, in the order of passages: the passage, and how often it has the term. */
  readonly passages: Uint32Array;
  readonly counts: Uint32Array;
  /** By passage, and one more: where its own terms begin, with repetitions; those by number. */
  readonly ownStarts: Uint32Array;
  readonly own: Uint32Array;
}

/** A passage, in the order of the session. */
export interface IndexedPassage {
  readonly turn: number;
  /** Terms of its own words. */
  readonly terms: readonly string[];
  /** Terms that find it as well, such as the name of its speaker. */
  readonly names: readonly string[];
}

export function termIndex(given: readonly IndexedPassage[]): TermIndex {
  const numbers = new Map<string, number>();
  const numberOf = (term: string): number => {
    const known = numbers.get(term) ?? numbers.size;
    if (known === numbers.size) numbers.set(term, known);
    return known;
  };
  const read = given.map(({ turn, terms, names }) => ({
    turn,
    own: terms.map(numberOf),
    names: names.map(numberOf),
  }));
  const occurrences = read.map(({ own, names }) => counted([...names, ...own]));
  const starts = new Uint32Array(numbers.size + 1);
  for (const counts of occurrences) {
    for (const number of counts.keys()) starts[number + 1] = (starts[number + 1] ?? 0) + 1;
  }
  for (let number = 0; number < numbers.size; number += 1) {
    starts[number + 1] = (starts[number + 1] ?? 0) + (starts[number] ?? 0);
  }
  const total = starts[numbers.size] ?? 0;
  const [passages, counts] = [new Uint32Array(total), new Uint32Array(total)];
  const frequency = new Uint32Array(numbers.size);
  const free = starts.slice();
  for (const [place, { turn }] of read.entries()) {
    for (const [number, count] of occurrences[place] ?? []) {
      const at = free[number] ?? 0;
      const before = at === starts[number] ? undefined : read[passages[at - 1] ?? 0];
      if (before?.turn !== turn) frequency[number] = (frequency[number] ?? 0) + 1;
      passages[at] = place;
      counts[at] = count;
      free[number] = at + 1;
    }
  }
  const ownStarts = new Uint32Array(read.length + 1);
  for (const [place, { own }] of read.entries()) {
    ownStarts[place + 1] = (ownStarts[place] ?? 0) + own.length;
  }
  const own = Uint32Array.from(read.flatMap((each) => each.own));
  const filter = filterOf([...numbers.keys()]);
  return { numbers, filter, frequency, starts, passages, counts, ownStarts, own };
}

function counted(numbers: readonly number[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  return counts;
}

export const NO_NUMBER = -1;

/**
 * Returns the number of a term, or `NO_NUMBER`. Most sessions lack most terms, which a bit tells
 * faster than a map.
 * @param hash its `shortHash`, made once for all sessions
 */
export function numberIn({ filter, numbers }: TermIndex, term: string, hash: number): number {
  const bits = filter[(hash >>> BIT_WIDTH) & (filter.length - 1)] ?? 0;
  if (((bits >>> (hash & BIT_MASK)) & 1) === 0) return NO_NUMBER;
  return numbers.get(term) ?? NO_NUMBER;
}

/** A hash has the place of a bit in 32 in its lowest five. */
const BIT_WIDTH = 5;
const BIT_MASK = 31;
/** Numbers of 32 bits per term: at 16 bits, one in 16 of the terms that are lacked passes. */
const FILTER_SHARE = 0.5;

function filterOf(terms: readonly string[]): Uint32Array {
  const filter = new Uint32Array(2 ** Math.ceil(Math.log2(terms.length * FILTER_SHARE + 1)));
  for (const term of terms) {
    const hash = shortHash(term);
    const at = (hash >>> BIT_WIDTH) & (filter.length - 1);
    filter[at] = (filter[at] ?? 0) | (1 << (hash & BIT_MASK));
  }
  return filter;
}
