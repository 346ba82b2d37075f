/**
 * The vectors of one generation as read from the file; most of their numbers are zero. Expanding
 * them takes longer than one scan of the sparse rows, so it waits for the second scan. A process
 * answers its first search sooner, and later ones as fast as with any table.
 */
import {
  chosenRows,
  type VectorRows,
  BITS_PER_WORD,
  bitsIn,
  firstNumber,
  floatsOf,
  isSparseAt,
  lowestBit,
  marksOf,
} from './vector-rows.ts';
import { asCosine, createVectorTable, type VectorTable } from './vector-table.ts';
import { dotAt } from './vector-kernel.ts';

const BYTES_PER_NUMBER = 4;

interface ReadRows {
  readonly slots: readonly number[];
  readonly rows: VectorRows;
  /** The words of the rows as numbers. */
  readonly numbers: Float32Array;
}

export function createSparseTable(dimensions: number): VectorTable {
  const whole = createVectorTable(dimensions);
  let read: ReadRows[] = [];
  /** By slot: the rows that hold its vector; none if it is expanded or removed. */
  const rowsOf: (ReadRows | undefined)[] = [];
  let held = 0;
  let isScanned = false;

  const makeWhole = (): void => {
    for (const each of read) {
      const { slots, rows } = each;
      const kept = [...slots.keys()].filter((at) => rowsOf[slots[at] ?? NO_SLOT] === each);
      const isAll = kept.length === slots.length;
      whole.append(
        kept.map((at) => slots[at] ?? NO_SLOT),
        isAll ? rows : chosenRows(rows, kept),
      );
    }
    read = [];
    rowsOf.length = 0;
    held = 0;
  };
  /** Returns whether the vector of the slot was in rows. */
  const drop = (slot: number): boolean => {
    if (rowsOf[slot] === undefined) return false;
    rowsOf[slot] = undefined;
    held -= 1;
    return true;
  };

  return {
    get size() {
      return whole.size + held;
    },
    // Counts the size after expansion, because nothing asks again afterwards.
    get bytes() {
      return whole.bytes + held * dimensions * BYTES_PER_NUMBER;
    },
    dimensions,
    check: (vector) => {
      whole.check(vector);
    },
    put(slot, unit) {
      drop(slot);
      whole.put(slot, unit);
    },
    append(slots, rows) {
      const added = { slots, rows, numbers: floatsOf(rows.words) };
      read.push(added);
      for (const slot of slots) {
        while (rowsOf.length < slot) rowsOf.push(undefined);
        rowsOf[slot] = added;
      }
      held += slots.length;
    },
    remove(slot) {
      if (!drop(slot)) whole.remove(slot);
    },
    has: (slot) => rowsOf[slot] !== undefined || whole.has(slot),
    cosine(slot, unit) {
      const own = rowsOf[slot];
      if (own === undefined) return whole.cosine(slot, unit);
      return asCosine(productWith(unit)(own, own.slots.indexOf(slot)));
    },
    scan(unit, wanted, visit) {
      if (isScanned) makeWhole();
      isScanned = true;
      const product = productWith(unit);
      for (const each of read) {
        for (let at = 0; at < each.slots.length; at += 1) {
          const slot = each.slots[at] ?? NO_SLOT;
          if (rowsOf[slot] !== each || !wanted(slot)) continue;
          visit(slot, asCosine(product(each, at)));
        }
      }
      whole.scan(unit, wanted, visit);
    },
  };
}

const NO_SLOT = -1;

/** Every other bit: the first of each pair. */
const FIRSTS = 0x55_55_55_55;

/** The product of a vector with one of some rows, by its position. */
function productWith(vector: Float64Array): (read: ReadRows, place: number) => number {
  const sparse = sparseProductWith(vector);
  return ({ rows: { words, starts }, numbers }, place) => {
    const start = starts[place] ?? 0;
    return isSparseAt(words, start) ? sparse(words, numbers, start) : dotAt(numbers, start, vector);
  };
}

type SparseProduct = (words: Uint32Array, numbers: Float32Array, start: number) => number;

/** Multiplies only the numbers that are not zero in both the vector and the row. */
function sparseProductWith(vector: Float64Array): SparseProduct {
  const { length } = vector;
  const marks = marksOf(length);
  const own = new Int32Array(marks);
  for (const [place, number] of vector.entries()) {
    const at = Math.floor(place / BITS_PER_WORD);
    if (number !== 0) own[at] = (own[at] ?? 0) | (1 << (place % BITS_PER_WORD));
  }
  return (words, numbers, start) => {
    let next = firstNumber(start, length);
    let sum = 0;
    for (let at = 0; at < marks; at += 1) {
      const mark = words[start + 1 + at] ?? 0;
      const both = mark & (own[at] ?? 0);
      const base = at * BITS_PER_WORD;
      for (let pairs = (both | (both >>> 1)) & FIRSTS; pairs !== 0; pairs &= pairs - 1) {
        const bit = lowestBit(pairs);
        const place = base + bit;
        const one = (mark >>> bit) & 1;
        const two = (mark >>> (bit + 1)) & 1;
        const from = next + bitsIn(mark & ((1 << bit) - 1));
        sum +=
          (numbers[from] ?? 0) * (vector[place] ?? 0) * one +
          (numbers[from + (one & two)] ?? 0) * (vector[place + 1] ?? 0) * two;
      }
      next += bitsIn(mark);
    }
    return sum;
  };
}
