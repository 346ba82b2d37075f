/** Refuses an expiry that is not after the start of validity. */
import { VarveError } from './errors.ts';
import { isoTime, type SaidAt } from './said-at.ts';

/**
 * @param from when what expires begins to hold; at once if absent
 * @throws VarveError INVALID_INPUT, naming the expiry, and the time that it must come after
 */
export function requireFutureExpiry(
  expiresAt: number | null | undefined,
  now: number,
  from: SaidAt | null = null,
): void {
  const isToCome = from !== null && from.at > now;
  const after = isToCome ? from : { at: now };
  if (expiresAt === null || expiresAt === undefined || expiresAt > after.at) return;
  const expected = `expected a time after ${isToCome ? 'at' : 'now'} (${isoTime(after)})`;
  throw new VarveError(
    'INVALID_INPUT',
    `expiresAt: ${expected}, found ${isoTime({ at: expiresAt })}.`,
    {
      details: { issues: [{ path: 'expiresAt', expected }] },
    },
  );
}
