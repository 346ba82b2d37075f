/** Pauses that double with each failure: one that passes costs little, one that lasts is spared. */

/**
 * How long to wait after the last of `count` failures in a row, in milliseconds: the first pause,
 * doubled with each further failure, and never above the most. Callers that must not retry together
 * add a random part.
 * @param count at least 1; any number of failures is in range
 */
export function backoffDelay(
  count: number,
  { firstMs, mostMs }: { readonly firstMs: number; readonly mostMs: number },
): number {
  return Math.min(firstMs * 2 ** (count - 1), mostMs);
}
