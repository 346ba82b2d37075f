/** Ids of the memories of one bulk call: the same ones in every run of it. */
import type { Digest } from '#core/hash.ts';

/** Characters of an id before its variant: time, version and counter (RFC 9562, 5.7, UUIDv7). */
const ORDER_CHARACTERS = 18;
const TAIL_DIGITS = 12;

/**
 * A UUIDv7 that begins like the operation's, then has the item's place among at most 16,384, then
 * what is its own. So items sort in their order, after what was made before the operation and
 * before what is made after it.
 */
export function itemId(digest: Digest, operationId: string, place: number): string {
  const own = digest(`${operationId}/${String(place)}`).slice(0, TAIL_DIGITS);
  // The variant of RFC 9562 takes two bits of the first digit.
  const variant = (8 + (place >> 12)).toString(16);
  const rest = (place & 0xfff).toString(16).padStart(3, '0');
  return `${operationId.slice(0, ORDER_CHARACTERS)}-${variant}${rest}-${own}`;
}
