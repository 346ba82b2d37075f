/**
 * Dot products with sparse rows. Every product is exactly that of `dotAt` with the whole row: what
 * a row leaves out adds nothing, and the rest is added in the same pairs and order.
 */
import { SPARSE_SHARE } from './vector-kernel.ts';
import { bitsIn, firstNumber, lowestBit, marksOf } from './vector-rows.ts';

/** The product of one vector with the row that begins at `start`, in words and as numbers. */
export type SparseProduct = (words: Uint32Array, numbers: Float32Array, start: number) => number;
const BITS_PER_WORD = 32;
/** Every other bit: the first of each pair. */
const FIRSTS = 0x55_55_55_55;

/** The product that is faster with a vector. */
export function sparseProductWith(vector: Float64Array): SparseProduct {
  let count = 0;
  for (const number of vector) count += number === 0 ? 0 : 1;
  return count > vector.length * SPARSE_SHARE ? productByRow(vector) : productByBoth(vector);
}

/** By the numbers of the row: right for every vector, and the faster the sparser the row is. */
export function productByRow(vector: Float64Array): SparseProduct {
  const { length } = vector;
  const marks = marksOf(length);
  return (words, numbers, start) => {
    let next = firstNumber(start, length);
    let sum = 0;
    for (let at = 0; at < marks; at += 1) {
      const mark = words[start + 1 + at] ?? 0;
      const base = at * BITS_PER_WORD;
      for (let pairs = (mark | (mark >>> 1)) & FIRSTS; pairs !== 0; pairs &= pairs - 1) {
        const bit = lowestBit(pairs);
        const place = base + bit;
        const one = (mark >>> bit) & 1;
        const two = (mark >>> (bit + 1)) & 1;
        sum +=
          (numbers[next] ?? 0) * (vector[place] ?? 0) * one +
          (numbers[next + (one & two)] ?? 0) * (vector[place + 1] ?? 0) * two;
        next += one + two;
      }
    }
    return sum;
  };
}

/** By the numbers that both have: the faster the sparser the vector is, too. */
function productByBoth(vector: Float64Array): SparseProduct {
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
