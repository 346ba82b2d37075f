/** Where each term of a scope occurs, and how often: an inverted index. */

/** Occurrences of a term in one entry are counted up to this; more say nothing more. */
const COUNT_MAX = 255;

/** An occurrence is one whole number, the slot above the count, so that a list sorts by slot. */
const SLOT_UNIT = 256;

const BYTES_PER_OCCURRENCE = 16;
const BYTES_PER_TERM = 160;

/** One term and the entries that have it. */
export interface Posting {
  readonly term: string;
  /** Sorted by slot; read by `slotOf` and `countOf`. */
  readonly occurrences: number[];
}

export interface Postings {
  readonly documents: number;
  readonly averageLength: number;
  readonly bytes: number;
  get(term: string): Posting | undefined;
  /** Terms of an entry, each once, in the order of its text. */
  termsOf(slot: number): readonly Posting[];
  /** Terms of an entry with repetitions. */
  lengthOf(slot: number): number;
  /** Adds an entry, or replaces the one of the slot. */
  put(slot: number, terms: readonly string[]): void;
  remove(slot: number): void;
}

export function slotOf(occurrence: number): number {
  return Math.floor(occurrence / SLOT_UNIT);
}

export function countOf(occurrence: number): number {
  return occurrence % SLOT_UNIT;
}

export function createPostings(): Postings {
  const postings = new Map<string, Posting>();
  const terms: (readonly Posting[] | undefined)[] = [];
  const lengths: number[] = [];
  let documents = 0;
  let lengthSum = 0;
  let occurrenceSum = 0;

  const remove = (slot: number): void => {
    const held = terms[slot];
    if (held === undefined) return;
    for (const posting of held) {
      posting.occurrences.splice(placeOf(posting.occurrences, slot), 1);
      if (posting.occurrences.length === 0) postings.delete(posting.term);
    }
    documents -= 1;
    lengthSum -= lengths[slot] ?? 0;
    occurrenceSum -= held.length;
    terms[slot] = undefined;
    lengths[slot] = 0;
  };

  return {
    get documents() {
      return documents;
    },
    get averageLength() {
      return documents === 0 ? 0 : lengthSum / documents;
    },
    get bytes() {
      return occurrenceSum * BYTES_PER_OCCURRENCE + postings.size * BYTES_PER_TERM;
    },
    get: (term) => postings.get(term),
    termsOf: (slot) => terms[slot] ?? [],
    lengthOf: (slot) => lengths[slot] ?? 0,
    put(slot, given) {
      remove(slot);
      const held: Posting[] = [];
      for (const [term, count] of counted(given)) {
        const known = postings.get(term);
        const posting = known ?? { term, occurrences: [] };
        if (known === undefined) postings.set(term, posting);
        insert(posting.occurrences, slot * SLOT_UNIT + Math.min(count, COUNT_MAX));
        held.push(posting);
      }
      terms[slot] = held;
      lengths[slot] = given.length;
      documents += 1;
      lengthSum += given.length;
      occurrenceSum += held.length;
    },
    remove,
  };
}

function counted(terms: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

function insert(occurrences: number[], occurrence: number): void {
  const last = occurrences.at(-1);
  // Entries mostly come in the order of their slots.
  if (last === undefined || last < occurrence) occurrences.push(occurrence);
  else occurrences.splice(placeOf(occurrences, slotOf(occurrence)), 0, occurrence);
}

/** Where the slot's occurrence is, or would be. */
function placeOf(occurrences: readonly number[], slot: number): number {
  let low = 0;
  let high = occurrences.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (slotOf(occurrences[middle] ?? 0) < slot) low = middle + 1;
    else high = middle;
  }
  return low;
}
