/** Refuses an expiry that is not in the future. */
import { VarveError } from './errors.ts';
import { isoTime } from './said-at.ts';

/** @throws VarveError INVALID_INPUT, naming the expiry and the present time */
export function requireFutureExpiry(expiresAt: number | null | undefined, now: number): void {
  if (expiresAt === null || expiresAt === undefined || expiresAt > now) return;
  const expected = `expected a time after now (${isoTime({ at: now })})`;
  throw new VarveError(
    'INVALID_INPUT',
    `expiresAt: ${expected}, found ${isoTime({ at: expiresAt })}.`,
    {
      details: { issues: [{ path: 'expiresAt', expected }] },
    },
  );
}
