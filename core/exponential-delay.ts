/** Exponential backoff: a short outage costs little, and a long one causes few retries. */

/**
 * Returns how long to wait after `count` failures in a row, in milliseconds: the first pause,
 * doubled with each further failure, up to the maximum. Callers that must not retry together add a
 * random part.
 * @param count at least 1; any number of failures is in range
 */
export function backoffDelay(
  count: number,
  { firstMs, mostMs }: { readonly firstMs: number; readonly mostMs: number },
): number {
  return Math.min(firstMs * 2 ** (count - 1), mostMs);
}
