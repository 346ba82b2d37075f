/** Reads from the headers of an answer how long to wait before the next call. */

/** Longer waits are cut to this; the server asks again afterwards. */
const RETRY_AFTER_MS_MAX = 10 * 60 * 1_000;

/** Returns milliseconds by `Retry-After`, in seconds or as a date (RFC 9110, 10.2.3); else null. */
export function retryAfterMsOf(headers: Headers | undefined, now: number): number | null {
  const precise = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  if (precise >= 0) return Math.min(precise, RETRY_AFTER_MS_MAX);
  const text = headers?.get('retry-after')?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/u.test(text)) return Math.min(Number(text) * 1_000, RETRY_AFTER_MS_MAX);
  const at = text === '' ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? null : Math.min(Math.max(0, at - now), RETRY_AFTER_MS_MAX);
}
