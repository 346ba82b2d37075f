/**
 * An index of the terms of a session as numbers: where each occurs, and which ones each passage
 * has. A ranking reads the index of every session, so each term is looked up once and then counted.
 * A word of a question is also looked up by its other forms, such as `alergias` and `alergico`: for
 * them, each session keeps its terms sorted by a hash of their beginning.
 */
import { shortHash } from '../../hash.ts';
import { lowerBound } from '../../lower-bound.ts';
import { oncePer } from '../../once.ts';
import { BEGINNING_UNITS_MIN, formsIn } from '../../search/word-forms.ts';

export interface TermIndex {
  /** Whether it has whole terms, not only their beginnings. */
  readonly isWhole: boolean;
  /** Its terms, by number. */
  readonly terms: readonly string[];
  /**
   * A hash table of pairs: the hash of a term, and the number of the term plus 1; 0 marks a free
   * slot.
   */
  readonly slots: Uint32Array;
  /** Terms that found no free slot. */
  readonly others: ReadonlyMap<string, number>;
  /** By term number: in how many turns it occurs. */
  readonly frequency: Uint32Array;
  /** By term number, and one more entry for the end: where its occurrences begin. */
  readonly starts: Uint32Array;
  /** By occurrence, in the order of passages: the passage, and how often it has the term. */
  readonly passages: Uint32Array;
  readonly counts: Uint32Array;
  /** By passage, and one more entry for the end: where the hashes of its terms begin. */
  readonly ownStarts: Uint32Array;
  readonly ownHashes: Uint32Array;
}

/** Words that are equal up to here count as one: endings and further parts of compounds vary. */
const BEGINNING_UNITS = 7;
const LATIN = /^\p{Script=Latin}+$/u;

/**
 * Returns what a look-up compares of a term in a session that is not in English. English terms are
 * stems already; in other languages, words match by their beginning: `Prüfungen` and `Prüfung`.
 */
export function beginning(term: string): string {
  if (term.length <= BEGINNING_UNITS || !LATIN.test(term)) return term;
  return term.slice(0, BEGINNING_UNITS);
}

/** The terms of a session as numbers: places in the list of its words. */
interface NumberedTerms {
  readonly words: readonly string[];
  /** By passage: its turn, and the number of its own terms. */
  readonly turnOf: Uint32Array;
  readonly lengths: Uint32Array;
  /** The own terms of all passages, with repetitions. */
  readonly terms: Uint32Array;
  /** By passage: other words that find it too, such as the name of its speaker. */
  readonly names: ReadonlyMap<number, readonly string[]>;
}

/** Builds the index. @param isWhole whether to keep terms whole, as English stems are */
export function termIndex(given: NumberedTerms, isWhole: boolean): TermIndex {
  const { turnOf, lengths } = given;
  const { terms, own, names } = numbered(given, isWhole);
  const occurring = occurrencesOf({ turnOf, lengths, own, names, terms: terms.length });
  const hashes = new Uint32Array(terms.length);
  for (const [number, term] of terms.entries()) hashes[number] = shortHash(term);
  const { slots, left } = slotsOf(hashes);
  const others = new Map(left.map((number) => [terms[number] ?? '', number]));
  const ownHashes = own.map((number) => hashes[number] ?? 0);
  return { isWhole, terms, slots, others, ...occurring, ownStarts: startsOf(lengths), ownHashes };
}

interface Numbered {
  readonly terms: readonly string[];
  readonly own: Uint32Array;
  readonly names: ReadonlyMap<number, readonly number[]>;
}

function numbered({ words, terms: own, names }: NumberedTerms, isWhole: boolean): Numbered {
  if (isWhole && names.size === 0) return { terms: words, own, names: new Map() };
  const numbers = new Map<string, number>();
  const numberOf = (word: string): number => {
    const term = isWhole ? word : beginning(word);
    const known = numbers.get(term) ?? numbers.size;
    if (known === numbers.size) numbers.set(term, known);
    return known;
  };
  const ofWords = words.map(numberOf);
  const ofNames = [...names].map(([place, each]) => [place, each.map(numberOf)] as const);
  return {
    terms: [...numbers.keys()],
    own: own.map((word) => ofWords[word] ?? 0),
    names: new Map(ofNames),
  };
}

/** Returns where each of several lists begins, one after the other, and where the last one ends. */
export function startsOf(lengths: Uint32Array): Uint32Array {
  const starts = new Uint32Array(lengths.length + 1);
  for (let at = 0; at < lengths.length; at += 1) {
    starts[at + 1] = (starts[at] ?? 0) + (lengths[at] ?? 0);
  }
  return starts;
}

interface Occurring {
  readonly turnOf: Uint32Array;
  readonly lengths: Uint32Array;
  /** By occurrence of an own term: its number. */
  readonly own: Uint32Array;
  readonly names: ReadonlyMap<number, readonly number[]>;
  /** How many terms there are. */
  readonly terms: number;
}

/** Calls `each` once per term of a passage, in the order of passages, with how often it occurs. */
function eachOccurrence(
  { lengths, own, names, terms }: Occurring,
  each: (number: number, place: number, count: number) => void,
): void {
  const counts = new Uint32Array(terms);
  const tell = (number: number, place: number): void => {
    const count = counts[number] ?? 0;
    counts[number] = 0;
    if (count > 0) each(number, place, count);
  };
  let from = 0;
  for (let place = 0; place < lengths.length; place += 1) {
    const end = from + (lengths[place] ?? 0);
    const others = names.get(place) ?? NO_NUMBERS;
    for (const number of others) counts[number] = (counts[number] ?? 0) + 1;
    for (let at = from; at < end; at += 1) {
      const number = own[at] ?? 0;
      counts[number] = (counts[number] ?? 0) + 1;
    }
    for (const number of others) tell(number, place);
    for (let at = from; at < end; at += 1) tell(own[at] ?? 0, place);
    from = end;
  }
}

const NO_NUMBERS: readonly number[] = [];

function occurrencesOf(
  given: Occurring,
): Pick<TermIndex, 'frequency' | 'starts' | 'passages' | 'counts'> {
  const { turnOf, terms } = given;
  const found = new Uint32Array(terms);
  eachOccurrence(given, (number) => {
    found[number] = (found[number] ?? 0) + 1;
  });
  const starts = startsOf(found);
  const total = starts[terms] ?? 0;
  const [passages, counts] = [new Uint32Array(total), new Uint32Array(total)];
  const frequency = new Uint32Array(terms);
  const free = starts.slice();
  eachOccurrence(given, (number, place, count) => {
    const at = free[number] ?? 0;
    const isFirst = at === starts[number];
    if (isFirst || turnOf[passages[at - 1] ?? 0] !== turnOf[place]) {
      frequency[number] = (frequency[number] ?? 0) + 1;
    }
    passages[at] = place;
    counts[at] = count;
    free[number] = at + 1;
  });
  return { frequency, starts, passages, counts };
}

export const NO_NUMBER = -1;

/** Slots that are tried for a term; hardly any needs more, unless hashes collide on purpose. */
const PROBES_MAX = 32;

/** A term to look up, whole and by its beginning, with the hash of each. */
export interface HashedTerm {
  readonly term: string;
  readonly hash: number;
  /** Null if an earlier term has the same beginning, and so finds the same. */
  readonly start: string | null;
  readonly startHash: number;
}

/** Hashes a term once for all sessions. */
export function hashedTerm(term: string): HashedTerm {
  const start = beginning(term);
  const hash = shortHash(term);
  return { term, hash, start, startHash: start === term ? hash : shortHash(start) };
}

/** As `hashedTerm`, for several terms that are looked up together. */
export function hashedTerms(terms: readonly string[]): readonly HashedTerm[] {
  const starts = new Set<string | null>();
  return terms.map((term) => {
    const sought = hashedTerm(term);
    if (starts.has(sought.start)) return { ...sought, start: null };
    starts.add(sought.start);
    return sought;
  });
}

/**
 * Returns the number of a term, or `NO_NUMBER`. A question looks up dozens of terms in a thousand
 * sessions; with a `Map` per session, that would take twice as long.
 */
export function numberIn(index: TermIndex, sought: HashedTerm): number {
  const { slots, others, terms, isWhole } = index;
  const term = isWhole ? sought.term : sought.start;
  if (term === null) return NO_NUMBER;
  const hash = isWhole ? sought.hash : sought.startHash;
  const last = slots.length / 2 - 1;
  for (let probe = 0; probe < PROBES_MAX; probe += 1) {
    const at = 2 * ((hash + probe) & last);
    const number = slots[at + 1] ?? 0;
    if (number === 0) return NO_NUMBER;
    if (slots[at] === hash && terms[number - 1] === term) return number - 1;
  }
  return others.get(term) ?? NO_NUMBER;
}

/**
 * Returns the numbers of terms, by index and then by term. Index by index, as reading another one
 * takes longer than a look-up.
 */
export function numbersIn(indexes: readonly TermIndex[], terms: readonly HashedTerm[]): Int32Array {
  const numbers = new Int32Array(indexes.length * terms.length);
  let next = 0;
  for (const index of indexes) {
    for (const term of terms) {
      numbers[next] = numberIn(index, term);
      next += 1;
    }
  }
  return numbers;
}

/** By hash alone: the number of a term, or `NO_NUMBER`. It reads thousands of turns' terms. */
export function numberOfHash(slots: Uint32Array, hash: number): number {
  const last = slots.length / 2 - 1;
  for (let probe = 0; probe < PROBES_MAX; probe += 1) {
    const at = 2 * ((hash + probe) & last);
    const number = slots[at + 1] ?? 0;
    if (number === 0 || slots[at] === hash) return number - 1;
  }
  return NO_NUMBER;
}

/**
 * Returns a table of the hashes' places, as `TermIndex.slots`, and the places that found no slot.
 * @param spare slots for each hash, 2 or more: the more are free, the sooner a search ends
 */
export function slotsOf(
  hashes: ArrayLike<number | null>,
  spare = 2,
): { readonly slots: Uint32Array; readonly left: readonly number[] } {
  const places = 2 ** Math.ceil(Math.log2(spare * hashes.length + 1));
  const slots = new Uint32Array(2 * places);
  const left: number[] = [];
  for (let number = 0; number < hashes.length; number += 1) {
    const hash = hashes[number] ?? null;
    if (hash === null) continue;
    let at = 2 * (hash & (places - 1));
    let probe = 0;
    while (probe < PROBES_MAX && slots[at + 1] !== 0) {
      probe += 1;
      at = 2 * ((hash + probe) & (places - 1));
    }
    if (probe === PROBES_MAX) left.push(number);
    else {
      slots[at] = hash;
      slots[at + 1] = number + 1;
    }
  }
  return { slots, left };
}

/** A hash times this, plus the number of the term, is one integer below 2 ** 53. */
const NUMBERS = 2 ** 21;

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

/**
 * Returns sorted hashes of beginnings with the numbers of their terms. Built by the first look-up,
 * and dropped with the index, which never changes.
 */
const beginningsOf = oncePer(({ terms }: TermIndex) => {
  const sorted = new Float64Array(terms.length);
  let count = 0;
  for (const [number, term] of terms.entries()) {
    if (term.length < BEGINNING_UNITS_MIN || number >= NUMBERS) continue;
    sorted[count] = hashOf(term) * NUMBERS + number;
    count += 1;
  }
  return sorted.subarray(0, count).toSorted();
});
