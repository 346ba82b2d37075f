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

/**
 * The vector with length 1.
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
