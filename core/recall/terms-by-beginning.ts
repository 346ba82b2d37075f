/**
 * Finds the terms of sessions that begin like a word of a question and are other forms of it, such
 * as `alergias` and `alergico`. Each session keeps its terms sorted by a hash of their beginning,
 * since a question looks through hundreds of sessions.
 */
import { shortHash } from '../hash.ts';
import { lowerBound } from '../lower-bound.ts';
import { BEGINNING_UNITS_MIN, formsIn } from '../search/word-forms.ts';
import type { TermIndex } from './term-index.ts';

/** A hash times this, plus the number of the term, is one integer below 2 ** 53. */
const NUMBERS = 2 ** 21;

/**
 * Sorted hashes of beginnings with the numbers of their terms. Built by the first look-up, and
 * dropped with the index, which never changes.
 */
const beginnings = new WeakMap<TermIndex, Float64Array>();

/** Returns the other forms of a term that the indexes have, most similar first. */
export function formsInSessions(indexes: readonly TermIndex[], term: string): readonly string[] {
  if (term.length < BEGINNING_UNITS_MIN) return [];
  const first = hashOf(term) * NUMBERS;
  const candidates = new Set<string>();
  for (const index of indexes) {
    const sorted = beginningsOf(index);
    const from = lowerBound(sorted.length, (at) => (sorted[at] ?? 0) < first);
    for (let at = from; at < sorted.length; at += 1) {
      const number = (sorted[at] ?? 0) - first;
      if (number >= NUMBERS) break;
      candidates.add(index.terms[number] ?? '');
    }
  }
  return formsIn(candidates, [term]).get(term) ?? [];
}

function hashOf(term: string): number {
  return shortHash(term.slice(0, BEGINNING_UNITS_MIN));
}

function beginningsOf(index: TermIndex): Float64Array {
  const known = beginnings.get(index);
  if (known !== undefined) return known;
  const sorted = new Float64Array(index.terms.length);
  let count = 0;
  for (const [number, term] of index.terms.entries()) {
    if (term.length < BEGINNING_UNITS_MIN || number >= NUMBERS) continue;
    sorted[count] = hashOf(term) * NUMBERS + number;
    count += 1;
  }
  const filled = sorted.subarray(0, count).toSorted();
  beginnings.set(index, filled);
  return filled;
}
