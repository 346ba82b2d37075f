/**
 * Stores postings side by side in a few arrays, so that a kept index loads without reading any
 * text, and each term becomes an object only when it is requested.
 */

/** An occurrence is one whole number, the slot above the count, so that a list sorts by slot. */
const SLOT_UNIT = 256;

/** Stands for the length of a slot without an entry. */
export const NO_ENTRY = 0xffff_ffff;

export interface PackedPostings {
  readonly terms: readonly string[];
  /** By term: where its occurrences end; they begin where those of the term before it end. */
  readonly ends: Uint32Array;
  readonly occurrences: Uint32Array;
  /** By slot: terms with repetitions, or `NO_ENTRY`. */
  readonly lengths: Uint32Array;
}

export function occurrenceOf(slot: number, count: number): number {
  return slot * SLOT_UNIT + count;
}

export function slotOf(occurrence: number): number {
  return Math.floor(occurrence / SLOT_UNIT);
}

export function countOf(occurrence: number): number {
  return occurrence % SLOT_UNIT;
}

/** Packs terms with their occurrences, sorted by slot, and lengths by slot. */
export function packPostings(
  postings: ReadonlyMap<string, ArrayLike<number>>,
  lengths: Uint32Array,
): PackedPostings {
  let sum = 0;
  const ends = new Uint32Array(postings.size);
  let at = 0;
  for (const occurrences of postings.values()) {
    sum += occurrences.length;
    ends[at] = sum;
    at += 1;
  }
  const all = new Uint32Array(sum);
  let start = 0;
  for (const occurrences of postings.values()) {
    all.set(occurrences, start);
    start += occurrences.length;
  }
  return { terms: [...postings.keys()], ends, occurrences: all, lengths };
}

/** The numbers of the terms of each slot: what `PackedPostings` says, the other way round. */
export interface TermsBySlot {
  of(slot: number): Uint32Array;
}

export function termsBySlot({ ends, occurrences, lengths }: PackedPostings): TermsBySlot {
  const starts = new Uint32Array(lengths.length + 1);
  for (let at = 0; at < occurrences.length; at += 1) {
    const next = slotOf(occurrences[at] ?? 0) + 1;
    starts[next] = (starts[next] ?? 0) + 1;
  }
  for (let slot = 0; slot < lengths.length; slot += 1) {
    starts[slot + 1] = (starts[slot + 1] ?? 0) + (starts[slot] ?? 0);
  }
  const free = starts.slice();
  const numbers = new Uint32Array(occurrences.length);
  let at = 0;
  for (let term = 0; term < ends.length; term += 1) {
    for (const end = ends[term] ?? 0; at < end; at += 1) {
      const slot = slotOf(occurrences[at] ?? 0);
      const place = free[slot] ?? 0;
      numbers[place] = term;
      free[slot] = place + 1;
    }
  }
  return { of: (slot) => numbers.subarray(starts[slot], starts[slot + 1]) };
}

/** A loop, since spreading a typed array takes twenty times as long. */
export function numbersOf(packed: Uint32Array): number[] {
  const numbers: number[] = [];
  for (let at = 0; at < packed.length; at += 1) numbers.push(packed[at] ?? 0);
  return numbers;
}
