/** One pass over as many bytes as a scan of vectors reads: what memory and one core give at all. */

/** Sums every number once; four sums, since each addition waits for the one before it. */
export function passOver(numbers: Float32Array): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let at = 0; at + 3 < numbers.length; at += 4) {
    a += numbers[at] ?? 0;
    b += numbers[at + 1] ?? 0;
    c += numbers[at + 2] ?? 0;
    d += numbers[at + 3] ?? 0;
  }
  return a + b + c + d;
}
