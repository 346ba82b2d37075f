/** Arithmetic on vectors that are stored side by side in one array, for scans of a whole scope. */
import { VarveError } from '../errors.ts';
import { firstNumber, floatsOf, isSparseAt, type VectorRows } from './vector-rows.ts';

/**
 * Returns the dot product of a vector with the row that begins at `start`. For vectors of length 1
 * it is their cosine. Numbers are added in pairs, in the same order as in every other function
 * here, so that all of them give exactly the same result.
 */
export function dotAt(
  rows: Float32Array | Float64Array,
  start: number,
  vector: Float64Array,
): number {
  const even = vector.length - (vector.length % PAIR);
  let sum = 0;
  for (let at = 0; at < even; at += PAIR) {
    const from = start + at;
    sum += (rows[from] ?? 0) * (vector[at] ?? 0) + (rows[from + 1] ?? 0) * (vector[at + 1] ?? 0);
  }
  if (even < vector.length) sum += (rows[start + even] ?? 0) * (vector[even] ?? 0);
  return sum;
}

const PAIR = 2;

/** Rows that `Products.block` multiplies at once. */
export const BLOCK_ROWS = 4;

/** The products of one vector with rows that lie side by side. */
export interface Products {
  /** The product with the row that begins at `start`. */
  row(rows: Float32Array, start: number): number;
  /** Writes to `products` the products with the `BLOCK_ROWS` rows from `start` on. */
  block(rows: Float32Array, start: number, products: Float64Array): void;
}

/** Up to this share of nonzero numbers, it is faster to read only those. */
const SPARSE_SHARE = 0.25;

/** Prepares one vector for the scan of many rows. Every product is exactly that of `dotAt`. */
export function productsWith(vector: Float64Array): Products {
  return sparseProducts(vector) ?? denseProducts(vector);
}

/**
 * Makes one pass over the vector for four rows. Each of its numbers is read once for all of them,
 * and four sums run in parallel, because each addition waits for the previous one.
 */
function denseProducts(vector: Float64Array): Products {
  const { length } = vector;
  const even = length - (length % PAIR);
  return {
    row: (rows, start) => dotAt(rows, start, vector),
    block(rows, start, products) {
      const second = start + length;
      const third = second + length;
      const fourth = third + length;
      let a = 0;
      let b = 0;
      let c = 0;
      let d = 0;
      for (let at = 0; at < even; at += PAIR) {
        const x = vector[at] ?? 0;
        const y = vector[at + 1] ?? 0;
        a += (rows[start + at] ?? 0) * x + (rows[start + at + 1] ?? 0) * y;
        b += (rows[second + at] ?? 0) * x + (rows[second + at + 1] ?? 0) * y;
        c += (rows[third + at] ?? 0) * x + (rows[third + at + 1] ?? 0) * y;
        d += (rows[fourth + at] ?? 0) * x + (rows[fourth + at + 1] ?? 0) * y;
      }
      for (let at = even; at < length; at += 1) {
        const x = vector[at] ?? 0;
        a += (rows[start + at] ?? 0) * x;
        b += (rows[second + at] ?? 0) * x;
        c += (rows[third + at] ?? 0) * x;
        d += (rows[fourth + at] ?? 0) * x;
      }
      products[0] = a;
      products[1] = b;
      products[2] = c;
      products[3] = d;
    },
  };
}

/**
 * Skips zeros, which add nothing: vectors of hashed words are mostly zeros. Null for other vectors.
 */
function sparseProducts(vector: Float64Array): Products | null {
  const { length } = vector;
  const pairs: number[] = [];
  let count = 0;
  for (let at = 0; at < length; at += PAIR) {
    const [first, second] = [vector[at] !== 0, at + 1 < length && vector[at + 1] !== 0];
    if (first || second) pairs.push(at);
    count += Number(first) + Number(second);
  }
  if (count > length * SPARSE_SHARE) return null;
  const places = Int32Array.from(pairs);
  const values = Float64Array.from(
    pairs.flatMap((at) => [vector[at] ?? 0, at + 1 < length ? (vector[at + 1] ?? 0) : 0]),
  );
  const row = (rows: Float32Array, start: number): number => {
    let sum = 0;
    for (let k = 0, from = 0; k < places.length; k += 1, from += PAIR) {
      const at = start + (places[k] ?? 0);
      sum += (rows[at] ?? 0) * (values[from] ?? 0) + (rows[at + 1] ?? 0) * (values[from + 1] ?? 0);
    }
    return sum;
  };
  return {
    row,
    block(rows, start, products) {
      for (let place = 0; place < BLOCK_ROWS; place += 1) {
        products[place] = row(rows, start + place * length);
      }
    },
  };
}

/** How far rounding to 32 bits moves the square of length 1; a vector this close has length 1. */
const UNIT_ERROR = 1e-6;

/**
 * Returns whether every vector has length 1. The numbers of a sparse row are added in another
 * order, so its sum must be closer to 1 than rounding can move it.
 */
export function areUnits(rows: VectorRows): boolean {
  const { words, starts, dimensions } = rows;
  const numbers = floatsOf(words);
  for (let row = 0; row + 1 < starts.length; row += 1) {
    const [start, end] = [starts[row] ?? 0, starts[row + 1] ?? 0];
    const isSparse = isSparseAt(words, start);
    const first = isSparse ? firstNumber(start, dimensions) : start;
    if (!isUnit(numbers, first, end - first, isSparse ? UNIT_ERROR / 2 : UNIT_ERROR)) return false;
  }
  return true;
}

/** Also false if a number is not finite. */
function isUnit(
  numbers: Float32Array | Float64Array,
  start: number,
  length: number,
  error = UNIT_ERROR,
): boolean {
  const end = start + length;
  const whole = end - (length % 4);
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let at = start; at < whole; at += 4) {
    const p = numbers[at] ?? 0;
    const q = numbers[at + 1] ?? 0;
    const r = numbers[at + 2] ?? 0;
    const s = numbers[at + 3] ?? 0;
    a += p * p;
    b += q * q;
    c += r * r;
    d += s * s;
  }
  for (let at = whole; at < end; at += 1) a += (numbers[at] ?? 0) * (numbers[at] ?? 0);
  return Math.abs(a + b + (c + d) - 1) <= error;
}

/**
 * Returns the vector scaled to length 1; unchanged if it has that already.
 * @throws VarveError INVALID_INPUT for a vector that is empty, zero or not finite
 */
export function unitVector(vector: ArrayLike<number>): Float64Array {
  const { length } = vector;
  // Uses loops over an array of known length: `from` and `map` take ten times as long.
  const unit = new Float64Array(length);
  let largest = 0;
  for (let at = 0; at < length; at += 1) {
    const value = vector[at] ?? Number.NaN;
    const size = Math.abs(value);
    // Written as a negation because every comparison with NaN is false.
    if (!(size < Number.POSITIVE_INFINITY)) throw unusable('has a value that is not finite');
    if (size > largest) largest = size;
    unit[at] = value;
  }
  if (largest === 0) throw unusable('is zero, which has no direction');
  if (isUnit(unit, 0, length)) return unit;
  let squares = 0;
  // Divides by the largest first, so that no square overflows or underflows.
  for (let at = 0; at < length; at += 1) squares += ((unit[at] ?? 0) / largest) ** 2;
  const scale = Math.sqrt(squares);
  for (let at = 0; at < length; at += 1) unit[at] = (unit[at] ?? 0) / largest / scale;
  return unit;
}

function unusable(why: string): VarveError {
  return new VarveError('INVALID_INPUT', `A vector ${why}. Embed the text again.`);
}
