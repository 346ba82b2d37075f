/**
 * Encodes passage vectors as text, one character per number. Six bits suffice for ranking: a
 * cosine is off by some thousandths, while neighbors in rank differ by hundredths.
 */

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const LEVELS = 31;
const MIDDLE = 32;

/** Encodes a vector. @param vector of any nonzero length */
export function encodePassage(vector: readonly number[]): string {
  const most = vector.reduce((all, value) => Math.max(all, Math.abs(value)), 0);
  const scale = most === 0 ? 0 : LEVELS / most;
  return vector.map((value) => DIGITS.charAt(MIDDLE + Math.round(value * scale))).join('');
}

/** Decodes to a vector of length 1; null if the text is no such code. */
export function decodePassage(code: string): Float32Array | null {
  const vector = Float32Array.from(code, (digit) => DIGITS.indexOf(digit) - MIDDLE);
  let squares = 0;
  for (const value of vector) {
    if (value < -MIDDLE) return null;
    squares += value * value;
  }
  if (squares === 0) return null;
  const scale = 1 / Math.sqrt(squares);
  return vector.map((value) => value * scale);
}
