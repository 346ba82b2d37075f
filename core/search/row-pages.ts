/** Rows of words (vector-rows.ts) in few arrays, each row by a number that says where it begins. */
import { floatsOf, type VectorRows, type Words } from './vector-rows.ts';

/** Words of an array that rows are added to one by one: as it begins, and at most. */
const PAGE_WORDS_MIN = 4_096;
const PAGE_WORDS_MAX = 262_144;
/** How much it grows by when it is full. */
const GROWTH = 1.5;
/** More words than any page has: a place is the number of a page above a word of it. */
const PLACES_PER_PAGE = 2 ** 32;

export interface RowPage {
  readonly words: Words;
  /** The same bits. */
  readonly numbers: Float32Array<ArrayBuffer>;
}

export interface RowPages {
  /** Of all arrays. */
  readonly words: number;
  /** Answers the place of the row. */
  add(row: Words): number;
  /** Answers the place of each row; the words are not copied. */
  addAll(rows: VectorRows): readonly number[];
  pageOf(place: number): RowPage;
}

export function createRowPages(): RowPages {
  const pages: RowPage[] = [];
  let words = 0;
  /** Words in use of the last page, where rows can be added to it. */
  let used = 0;
  let isOpen = false;

  const set = (at: number, array: Words): void => {
    words += array.length - (pages[at]?.words.length ?? 0);
    pages[at] = { words: array, numbers: floatsOf(array) };
  };
  const makeRoom = (needed: number): void => {
    const at = pages.length - 1;
    const last = pages[at]?.words ?? NO_WORDS;
    if (isOpen && used + needed <= last.length) return;
    if (isOpen && used + needed <= PAGE_WORDS_MAX) {
      const larger = new Uint32Array(Math.ceil((used + needed) * GROWTH));
      larger.set(last);
      set(at, larger);
      return;
    }
    set(pages.length, new Uint32Array(Math.max(PAGE_WORDS_MIN, needed)));
    used = 0;
    isOpen = true;
  };

  return {
    get words() {
      return words;
    },
    add(row) {
      makeRoom(row.length);
      const start = used;
      pages.at(-1)?.words.set(row, start);
      used += row.length;
      return (pages.length - 1) * PLACES_PER_PAGE + start;
    },
    addAll(rows) {
      const first = pages.length * PLACES_PER_PAGE;
      set(pages.length, rows.words);
      isOpen = false;
      return rows.starts.slice(0, -1).map((start) => first + start);
    },
    pageOf: (place) => pages[Math.floor(place / PLACES_PER_PAGE)] ?? NO_PAGE,
  };
}

const NO_WORDS: Words = new Uint32Array(0);
const NO_PAGE: RowPage = { words: NO_WORDS, numbers: floatsOf(NO_WORDS) };

export function startOf(place: number): number {
  return place % PLACES_PER_PAGE;
}
