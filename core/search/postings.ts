/** An inverted index: where each term of a scope occurs, and how often. */
import { lowerBound } from '../lower-bound.ts';
import { toNumbers } from '../to-numbers.ts';
import { countOccurrences } from '../text/term-statistics.ts';

/** Occurrences of a term in one entry are counted up to this number; more add no information. */
const COUNT_MAX = 255;

const BYTES_PER_OCCURRENCE = 16;
const BYTES_PER_TERM = 160;

/** One term and the entries that have it. */
interface Posting {
  readonly term: string;
  /** Sorted by slot; read by `slotOf` and `countOf`. */
  readonly occurrences: ArrayLike<number>;
}

interface OwnPosting extends Posting {
  /** A `Uint32Array` until the first change of packed postings. */
  occurrences: number[] | Uint32Array;
}

export interface Postings {
  readonly documents: number;
  readonly averageLength: number;
  readonly bytes: number;
  get(term: string): Posting | undefined;
  /** Every term. */
  vocabulary(): Iterable<string>;
  /** Number of terms. */
  readonly vocabularySize: number;
  /** Terms of an entry with repetitions. */
  lengthOf(slot: number): number;
  /** Adds an entry, or replaces the one of the slot. */
  put(slot: number, terms: readonly string[]): void;
  remove(slot: number): void;
  /** @param slotsEnd one more than the largest slot in use */
  pack(slotsEnd: number): PackedPostings;
}

/** @param packed initial postings; none if absent */
export function createPostings(packed?: PackedPostings): Postings {
  const base = packed === undefined ? null : openPacked(packed);
  /** Includes packed postings that were already read. */
  const postings = new Map<string, OwnPosting>();
  const terms: (readonly string[] | undefined)[] = [];
  const lengths: number[] = base?.lengths ?? [];
  let documents = base?.documents ?? 0;
  let lengthSum = base?.lengthSum ?? 0;
  let occurrenceSum = base?.occurrenceSum ?? 0;

  const vocabularySize = (): number => postings.size + (base?.terms ?? 0);
  const get = (term: string): OwnPosting | undefined => {
    const known = postings.get(term);
    if (known !== undefined || base === null) return known;
    const occurrences = base.take(term);
    if (occurrences === null) return undefined;
    const posting = { term, occurrences };
    postings.set(term, posting);
    return posting;
  };
  const remove = (slot: number): void => {
    const held = terms[slot] ?? base?.takeEntry(slot);
    if (held === undefined) return;
    for (const term of held) {
      const posting = get(term);
      if (posting === undefined) continue;
      const occurrences = changeable(posting);
      occurrences.splice(placeOf(occurrences, slot), 1);
      if (occurrences.length === 0) postings.delete(term);
    }
    documents -= 1;
    lengthSum -= lengths[slot] ?? 0;
    occurrenceSum -= held.length;
    terms[slot] = undefined;
    lengths[slot] = NO_ENTRY;
  };

  return {
    get documents() {
      return documents;
    },
    get averageLength() {
      return documents === 0 ? 0 : lengthSum / documents;
    },
    get vocabularySize() {
      return vocabularySize();
    },
    get bytes() {
      return occurrenceSum * BYTES_PER_OCCURRENCE + vocabularySize() * BYTES_PER_TERM;
    },
    get,
    *vocabulary() {
      yield* postings.keys();
      if (base !== null) yield* base.vocabulary();
    },
    lengthOf: (slot) => lengths[slot] ?? 0,
    put(slot, given) {
      remove(slot);
      const held: string[] = [];
      for (const [term, count] of countOccurrences(given)) {
        const known = get(term);
        const posting = known ?? { term, occurrences: [] };
        if (known === undefined) postings.set(term, posting);
        insert(changeable(posting), occurrenceOf(slot, Math.min(count, COUNT_MAX)));
        // The term of the posting, so that each term is in memory once.
        held.push(posting.term);
      }
      terms[slot] = held;
      while (lengths.length < slot) lengths.push(NO_ENTRY);
      lengths[slot] = given.length;
      documents += 1;
      lengthSum += given.length;
      occurrenceSum += held.length;
    },
    remove,
    pack(slotsEnd) {
      const all = new Map<string, ArrayLike<number>>(base?.rest());
      for (const { term, occurrences } of postings.values()) all.set(term, occurrences);
      const ofSlots = new Uint32Array(slotsEnd).fill(NO_ENTRY);
      ofSlots.set(lengths);
      return packPostings(all, ofSlots);
    },
  };
}

/**
 * Opens packed postings. Terms and entries are taken from them one by one, when needed or changed.
 */
function openPacked(packed: PackedPostings) {
  const { terms, ends, occurrences } = packed;
  const numbers = new Map<string, number>();
  for (let at = 0; at < terms.length; at += 1) numbers.set(terms[at] ?? '', at);
  const lengths = toNumbers(packed.lengths);
  const present = new Uint8Array(lengths.length);
  let documents = 0;
  let lengthSum = 0;
  for (let slot = 0; slot < lengths.length; slot += 1) {
    const length = lengths[slot] ?? NO_ENTRY;
    if (length === NO_ENTRY) continue;
    present[slot] = 1;
    documents += 1;
    lengthSum += length;
  }
  const occurrencesOf = (at: number) => occurrences.subarray(at === 0 ? 0 : ends[at - 1], ends[at]);
  let bySlot: TermsBySlot | null = null;
  return {
    /** Terms that were not taken. */
    vocabulary: () => numbers.keys(),
    lengths,
    documents,
    lengthSum,
    occurrenceSum: occurrences.length,
    /** Number of terms that were not taken. */
    get terms() {
      return numbers.size;
    },
    take(term: string): Uint32Array | null {
      const at = numbers.get(term);
      if (at === undefined) return null;
      numbers.delete(term);
      return occurrencesOf(at);
    },
    takeEntry(slot: number): readonly string[] | undefined {
      if (present[slot] !== 1) return undefined;
      present[slot] = 0;
      bySlot ??= termsBySlot(packed);
      return Array.from(bySlot.of(slot), (at) => terms[at] ?? '');
    },
    *rest(): Generator<readonly [string, Uint32Array]> {
      for (const [term, at] of numbers) yield [term, occurrencesOf(at)];
    },
  };
}

function changeable(posting: OwnPosting): number[] {
  if (!Array.isArray(posting.occurrences)) posting.occurrences = toNumbers(posting.occurrences);
  return posting.occurrences;
}

function insert(occurrences: number[], occurrence: number): void {
  const last = occurrences.at(-1);
  // Most entries come in the order of their slots.
  if (last === undefined || last < occurrence) occurrences.push(occurrence);
  else occurrences.splice(placeOf(occurrences, slotOf(occurrence)), 0, occurrence);
}

/** Returns where the slot's occurrence is, or would be. */
function placeOf(occurrences: readonly number[], slot: number): number {
  return lowerBound(occurrences.length, (at) => slotOf(occurrences[at] ?? 0) < slot);
}

/** An occurrence is one integer with the slot above the count, so that a list sorts by slot. */
const SLOT_UNIT = 256;

/** The length of a slot without an entry. */
const NO_ENTRY = 0xffff_ffff;

export interface PackedPostings {
  readonly terms: readonly string[];
  /** By term: where its occurrences end. They begin where those of the previous term end. */
  readonly ends: Uint32Array;
  readonly occurrences: Uint32Array;
  /** By slot: terms with repetitions, or `NO_ENTRY`. */
  readonly lengths: Uint32Array;
}

function occurrenceOf(slot: number, count: number): number {
  return slot * SLOT_UNIT + count;
}

export function slotOf(occurrence: number): number {
  return Math.floor(occurrence / SLOT_UNIT);
}

export function countOf(occurrence: number): number {
  return occurrence % SLOT_UNIT;
}

/** Packs terms with their occurrences, sorted by slot, and lengths by slot. */
function packPostings(
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

/** The numbers of the terms of each slot: `PackedPostings` inverted. */
interface TermsBySlot {
  of(slot: number): Uint32Array;
}

function termsBySlot({ ends, occurrences, lengths }: PackedPostings): TermsBySlot {
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
