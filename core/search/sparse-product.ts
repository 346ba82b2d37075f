/**
 * Dot products with sparse rows. Every product is exactly that of `dotAt` with the whole row: what
 * a row leaves out adds nothing, and the rest is added in the same pairs and order.
 */
import { dotAt } from './vector-kernel.ts';
import {
  BITS_PER_WORD,
  bitsIn,
  firstNumber,
  floatsOf,
  isSparseAt,
  lowestBit,
  marksOf,
  type VectorRows,
} from './vector-rows.ts';

/** Every other bit: the first of each pair. */
const FIRSTS = 0x55_55_55_55;

/** The products of a vector with rows, each by its place among them. */
export function productsWithRows(
  vector: Float64Array,
  { words, starts }: VectorRows,
): (place: number) => number {
  const sparse = sparseProductWith(vector);
  const numbers = floatsOf(words);
  return (place) => {
    const start = starts[place] ?? 0;
    return isSparseAt(words, start) ? sparse(words, numbers, start) : dotAt(numbers, start, vector);
  };
}

type SparseProduct = (words: Uint32Array, numbers: Float32Array, start: number) => number;

/** By the numbers that the vector and the row both have. */
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
