/** The vectors of one generation, each of length 1, side by side in few arrays. */
import { VarveError } from '../errors.ts';
import { BLOCK_ROWS, dotAt, productsWith, type Products } from './vector-kernel.ts';
import { numbersIn, type VectorRows } from './vector-rows.ts';

/** Rows of one array; all arrays but the last are full. */
export const PAGE_ROWS = 1_024;

/** Rows that a new table has room for. */
const ROWS_MIN = 64;

/** How much the first array grows by when it is full. */
const GROWTH = 1.5;

const BYTES_PER_NUMBER = 4;
const NO_ROW = -1;

/** Entries are identified by their slot, a small number that the scope index assigns. */
export interface VectorTable {
  readonly size: number;
  readonly bytes: number;
  readonly dimensions: number;
  /** @throws VarveError INVALID_INPUT if a vector has another length than those in the table */
  check(vector: ArrayLike<number>): void;
  /** Adds a vector of length 1, or replaces the vector of the slot. */
  put(slot: number, unit: Float64Array): void;
  /**
   * Adds the vectors of slots that have none, each of length 1. Up to `PAGE_ROWS` of them are not
   * copied if possible; the table then owns their array.
   */
  append(slots: readonly number[], units: VectorRows): void;
  remove(slot: number): void;
  has(slot: number): boolean;
  /** Returns the cosine with a vector of length 1; null if the slot has no vector. */
  cosine(slot: number, unit: Float64Array): number | null;
  /** Visits the cosine with every vector whose slot is wanted. */
  scan(
    unit: Float64Array,
    wanted: (slot: number) => boolean,
    visit: (slot: number, cosine: number) => void,
  ): void;
}

export function createVectorTable(dimensions: number): VectorTable {
  const pages: Float32Array<ArrayBuffer>[] = [];
  const slots: number[] = [];
  const rowOfSlot: number[] = [];
  let numbers = 0;

  const rowOf = (slot: number): number => rowOfSlot[slot] ?? NO_ROW;
  const pageOf = (row: number): Float32Array => pages[Math.floor(row / PAGE_ROWS)] ?? NOTHING;
  const startOf = (row: number): number => (row % PAGE_ROWS) * dimensions;
  const at = (row: number, unit: Float64Array): number =>
    asCosine(dotAt(pageOf(row), startOf(row), unit));
  const vectorAt = (row: number): Float32Array =>
    pageOf(row).subarray(startOf(row), startOf(row) + dimensions);
  const setPage = (place: number, page: Float32Array<ArrayBuffer>): void => {
    numbers += page.length - (pages[place]?.length ?? 0);
    pages[place] = page;
  };
  /** Returns the row of a slot: an existing one, or a new one with memory for it. */
  const rowFor = (slot: number): number => {
    const known = rowOf(slot);
    if (known !== NO_ROW) return known;
    const row = slots.length;
    if (startOf(row) >= pageOf(row).length) {
      const place = Math.floor(row / PAGE_ROWS);
      setPage(place, grown(pages[place], { dimensions, isFirst: place === 0 }));
    }
    enter(slot, row);
    return row;
  };
  const enter = (slot: number, row: number): void => {
    slots[row] = slot;
    while (rowOfSlot.length <= slot) rowOfSlot.push(NO_ROW);
    rowOfSlot[slot] = row;
  };

  return {
    get size() {
      return slots.length;
    },
    get bytes() {
      return numbers * BYTES_PER_NUMBER + (slots.length + rowOfSlot.length) * 8;
    },
    dimensions,
    check: (vector) => checkDimensions(vector, dimensions),
    put(slot, unit) {
      const row = rowFor(slot);
      pageOf(row).set(unit, startOf(row));
    },
    append(added, rows) {
      const units = numbersIn(rows);
      if (slots.length % PAGE_ROWS === 0 && added.length <= PAGE_ROWS) {
        setPage(slots.length / PAGE_ROWS, units);
        for (const slot of added) enter(slot, slots.length);
        return;
      }
      for (const [place, slot] of added.entries()) {
        const row = rowFor(slot);
        const start = place * dimensions;
        pageOf(row).set(units.subarray(start, start + dimensions), startOf(row));
      }
    },
    remove(slot) {
      const row = rowOf(slot);
      const lastSlot = slots.at(-1);
      if (row === NO_ROW || lastSlot === undefined) return;
      // Moves the last row to the free place, so that a scan meets no gaps.
      pageOf(row).set(vectorAt(slots.length - 1), startOf(row));
      slots[row] = lastSlot;
      rowOfSlot[lastSlot] = row;
      rowOfSlot[slot] = NO_ROW;
      slots.pop();
    },
    has: (slot) => rowOf(slot) !== NO_ROW,
    cosine(slot, unit) {
      const row = rowOf(slot);
      return row === NO_ROW ? null : at(row, unit);
    },
    scan(unit, wanted, visit) {
      const products = productsWith(unit);
      for (const [place, page] of pages.entries()) {
        const first = place * PAGE_ROWS;
        const held = slots.slice(first, first + PAGE_ROWS);
        scanPage({ page, slots: held, products, dimensions }, wanted, visit);
      }
    },
  };
}

interface PageScan {
  readonly page: Float32Array;
  /** Slots of its rows. */
  readonly slots: readonly number[];
  readonly products: Products;
  readonly dimensions: number;
}

/** With at least this many wanted rows, a block is multiplied as a whole. */
const BLOCK_WANTED_MIN = 3;

function scanPage(
  { page, slots, products, dimensions }: PageScan,
  wanted: (slot: number) => boolean,
  visit: (slot: number, cosine: number) => void,
): void {
  const block = new Float64Array(BLOCK_ROWS);
  for (let first = 0; first < slots.length; first += BLOCK_ROWS) {
    let wantedCount = 0;
    const end = Math.min(slots.length, first + BLOCK_ROWS);
    for (let row = first; row < end; row += 1) {
      if (wanted(slots[row] ?? NO_ROW)) wantedCount += 1;
    }
    if (wantedCount === 0) continue;
    const isWhole = wantedCount >= BLOCK_WANTED_MIN && end - first === BLOCK_ROWS;
    if (isWhole) products.block(page, first * dimensions, block);
    for (let row = first; row < end; row += 1) {
      const slot = slots[row] ?? NO_ROW;
      if (!wanted(slot)) continue;
      const product = isWhole ? block[row - first] : products.row(page, row * dimensions);
      visit(slot, asCosine(product ?? 0));
    }
  }
}

const NOTHING = new Float32Array(0);

/** @throws VarveError INVALID_INPUT */
function checkDimensions(vector: ArrayLike<number>, dimensions: number): void {
  if (vector.length === dimensions) return;
  throw new VarveError(
    'INVALID_INPUT',
    `A vector has ${vector.length} dimensions, but its generation has ${dimensions}. Name a ` +
      'new generation when the model or its dimensions change.',
  );
}

/** Clamps: rounding may lift a product of equal vectors above 1. */
export function asCosine(product: number): number {
  return Math.max(-1, Math.min(1, product));
}

/** The first page grows in steps, because many scopes are small; later pages get full size. */
function grown(
  page: Float32Array | undefined,
  { dimensions, isFirst }: { readonly dimensions: number; readonly isFirst: boolean },
): Float32Array<ArrayBuffer> {
  const before = (page?.length ?? 0) / dimensions;
  const least = isFirst ? ROWS_MIN : PAGE_ROWS;
  const rows = Math.min(PAGE_ROWS, Math.max(least, Math.ceil(before * GROWTH)));
  const larger = new Float32Array(rows * dimensions);
  if (page !== undefined) larger.set(page);
  return larger;
}
