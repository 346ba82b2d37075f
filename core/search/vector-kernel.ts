/** Arithmetic on vectors that lie side by side in one array, for scans of a whole scope. */
import { VarveError } from '../errors.ts';

/**
 * Dot product of a vector with the row that begins at `start`. For vectors of length 1 it is their
 * cosine. Four sums run beside each other, since each addition waits for the one before it.
 */
export function dotAt(
  rows: Float32Array | Float64Array,
  start: number,
  vector: Float64Array,
): number {
  const { length } = vector;
  const whole = length - (length % 4);
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let at = 0; at < whole; at += 4) {
    const from = start + at;
    a += (rows[from] ?? 0) * (vector[at] ?? 0);
    b += (rows[from + 1] ?? 0) * (vector[at + 1] ?? 0);
    c += (rows[from + 2] ?? 0) * (vector[at + 2] ?? 0);
    d += (rows[from + 3] ?? 0) * (vector[at + 3] ?? 0);
  }
  for (let at = whole; at < length; at += 1) a += (rows[start + at] ?? 0) * (vector[at] ?? 0);
  return a + b + (c + d);
}

/** Returns the product with the row that begins at `start`, as `dotAt` does. */
export type Product = (rows: Float32Array, start: number) => number;

/** Up to this share of numbers that are not zero, reading them alone is faster. */
const SPARSE_SHARE = 0.25;
const LANES = 4;

/**
 * Prepares one vector for the scan of many rows. Vectors of hashed words are mostly zeros, which
 * add nothing. The results are exactly those of `dotAt`: the same sums, in the same order.
 */
export function productWith(vector: Float64Array): Product {
  const { length } = vector;
  const whole = length - (length % LANES);
  const lanes: number[][] = [[], [], [], []];
  for (let at = 0; at < length; at += 1) {
    if (vector[at] !== 0) lanes[at < whole ? at % LANES : 0]?.push(at);
  }
  const places = Int32Array.from(lanes.flat());
  if (places.length > length * SPARSE_SHARE) {
    return (rows, start) => dotAt(rows, start, vector);
  }
  const values = Float64Array.from(places, (at) => vector[at] ?? 0);
  const [endOfA = 0, endOfB = 0, endOfC = 0] = lanes.map((_, lane) =>
    lanes.slice(0, lane + 1).reduce((sum, each) => sum + each.length, 0),
  );
  return (rows, start) => {
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    let k = 0;
    for (; k < endOfA; k += 1) a += (rows[start + (places[k] ?? 0)] ?? 0) * (values[k] ?? 0);
    for (; k < endOfB; k += 1) b += (rows[start + (places[k] ?? 0)] ?? 0) * (values[k] ?? 0);
    for (; k < endOfC; k += 1) c += (rows[start + (places[k] ?? 0)] ?? 0) * (values[k] ?? 0);
    for (; k < places.length; k += 1) {
      d += (rows[start + (places[k] ?? 0)] ?? 0) * (values[k] ?? 0);
    }
    return a + b + (c + d);
  };
}

/** What rounding to 32 bits leaves of a length of 1, squared; a vector as near is of length 1. */
const UNIT_ERROR = 1e-6;

/** Whether every vector of a row of them, each of so many numbers, has length 1. */
export function areUnits(rows: Float32Array, dimensions: number): boolean {
  for (let start = 0; start < rows.length; start += dimensions) {
    if (!isUnit(rows, start, dimensions)) return false;
  }
  return true;
}

/** False also where a number is not finite. */
function isUnit(numbers: Float32Array | Float64Array, start: number, length: number): boolean {
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
  return Math.abs(a + b + (c + d) - 1) <= UNIT_ERROR;
}

/**
 * The vector with length 1; as it is where it has that already.
 * @throws VarveError INVALID_INPUT for a vector that is empty, zero or not finite
 */
export function unitVector(vector: ArrayLike<number>): Float64Array {
  const { length } = vector;
  // Loops over an array of known length: `from` and `map` take ten times as long.
  const unit = new Float64Array(length);
  let largest = 0;
  for (let at = 0; at < length; at += 1) {
    const value = vector[at] ?? Number.NaN;
    const size = Math.abs(value);
    // NaN is in no order, so the test is for what is right.
    if (!(size < Number.POSITIVE_INFINITY)) throw unusable('has a value that is not finite');
    if (size > largest) largest = size;
    unit[at] = value;
  }
  if (largest === 0) throw unusable('is zero, which has no direction');
  if (isUnit(unit, 0, length)) return unit;
  let squares = 0;
  // Divided by the largest first, so that no square overflows or vanishes.
  for (let at = 0; at < length; at += 1) squares += ((unit[at] ?? 0) / largest) ** 2;
  const scale = Math.sqrt(squares);
  for (let at = 0; at < length; at += 1) unit[at] = (unit[at] ?? 0) / largest / scale;
  return unit;
}

function unusable(why: string): VarveError {
  return new VarveError('INVALID_INPUT', `A vector ${why}. Embed the text again.`);
}
