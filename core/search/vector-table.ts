/** The vectors of one generation, side by side in one array, each of length 1. */
import { VarveError } from '../errors.ts';
import { dotAt } from './vector-kernel.ts';

/** Rows that a new table has room for. */
const ROWS_MIN = 64;

/** How much room grows by when it is full: copying stays rare, and little of it is unused. */
const GROWTH = 1.5;

const BYTES_PER_NUMBER = 4;
const NO_ROW = -1;

/** Entries are named by their slot, a small number that the index of the scope gives. */
export interface VectorTable {
  readonly size: number;
  readonly bytes: number;
  /** @throws VarveError INVALID_INPUT where a vector has another length than those in the table */
  check(vector: ArrayLike<number>): void;
  /** Adds a vector of length 1, or replaces the one of the slot. */
  put(slot: number, unit: Float64Array): void;
  remove(slot: number): void;
  has(slot: number): boolean;
  /** Cosine with a vector of length 1; null where the slot has no vector. */
  cosine(slot: number, unit: Float64Array): number | null;
  /** Cosines with every vector whose slot is wanted. */
  scan(
    unit: Float64Array,
    wanted: (slot: number) => boolean,
    visit: (slot: number, cosine: number) => void,
  ): void;
}

export function createVectorTable(dimensions: number): VectorTable {
  let rows = new Float32Array(ROWS_MIN * dimensions);
  const slots: number[] = [];
  const rowOfSlot: number[] = [];

  const rowOf = (slot: number): number => rowOfSlot[slot] ?? NO_ROW;
  const at = (row: number, unit: Float64Array): number =>
    asCosine(dotAt(rows, row * dimensions, unit));

  return {
    get size() {
      return slots.length;
    },
    get bytes() {
      return rows.length * BYTES_PER_NUMBER + (slots.length + rowOfSlot.length) * 8;
    },
    check(vector) {
      if (vector.length === dimensions) return;
      throw new VarveError(
        'INVALID_INPUT',
        `A vector has ${vector.length} dimensions, those of its generation ${dimensions}. Name a ` +
          'new generation when the model or its dimensions change.',
      );
    },
    put(slot, unit) {
      const known = rowOf(slot);
      const row = known === NO_ROW ? slots.length : known;
      if ((row + 1) * dimensions > rows.length) rows = grown(rows, dimensions);
      rows.set(unit, row * dimensions);
      slots[row] = slot;
      while (rowOfSlot.length <= slot) rowOfSlot.push(NO_ROW);
      rowOfSlot[slot] = row;
    },
    remove(slot) {
      const row = rowOf(slot);
      const lastSlot = slots.at(-1);
      if (row === NO_ROW || lastSlot === undefined) return;
      // The last row takes the empty place, so that there are no gaps to scan.
      const lastRow = slots.length - 1;
      rows.copyWithin(row * dimensions, lastRow * dimensions, (lastRow + 1) * dimensions);
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
      scanRows({ rows, slots }, { unit, wanted }, visit);
    },
  };
}

interface Rows {
  readonly rows: Float32Array;
  /** By row. */
  readonly slots: readonly number[];
}

function scanRows(
  { rows, slots }: Rows,
  { unit, wanted }: { unit: Float64Array; wanted: (slot: number) => boolean },
  visit: (slot: number, cosine: number) => void,
): void {
  const { length: dimensions } = unit;
  for (const [row, slot] of slots.entries()) {
    if (wanted(slot)) visit(slot, asCosine(dotAt(rows, row * dimensions, unit)));
  }
}

/** Rounding may lift a product of equal vectors above 1. */
function asCosine(product: number): number {
  return Math.max(-1, Math.min(1, product));
}

function grown(rows: Float32Array<ArrayBuffer>, dimensions: number): Float32Array<ArrayBuffer> {
  const room = Math.ceil((rows.length / dimensions) * GROWTH) * dimensions;
  const larger = new Float32Array(room);
  larger.set(rows);
  return larger;
}
