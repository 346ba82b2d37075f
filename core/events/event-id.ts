/** Ids of events that are derived from their content, so that no event is written twice. */
import type { Digest } from '../hash.ts';

const TIME_DIGITS = 12;

/** Returns a UUIDv7 (RFC 9562, 5.7) with the given time; its random part comes from a digest. */
export function derivedId(digest: Digest, time: number, parts: readonly unknown[]): string {
  const digits = digest(JSON.stringify(parts));
  const at = time.toString(16).padStart(TIME_DIGITS, '0');
  // The version 7 and the variant take the first digit of their groups.
  const random = `7${digits.slice(0, 3)}-8${digits.slice(3, 6)}-${digits.slice(6, 18)}`;
  return `${at.slice(0, 8)}-${at.slice(8)}-${random}`;
}
