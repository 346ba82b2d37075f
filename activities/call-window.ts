/** How long an activity may go on asking a model. */
import { REFRESH_SETTINGS } from '#core/refresh/refresh-contract.ts';

/** The longest that a provider lets one call take. */
const CALL_MS_MAX = 120_000;
/** For what comes after the last call: its answer is judged and stored. */
const RESERVE_MS = 30_000;
/** A call that begins within it ends before the time-out of its activity. */
export const CALLS_WITHIN_MS = REFRESH_SETTINGS.startToCloseTimeoutMs - CALL_MS_MAX - RESERVE_MS;

/** Opened when the activity begins; false once no further call may begin. */
export function openCallWindow(clock: () => number): () => boolean {
  const until = clock() + CALLS_WITHIN_MS;
  return () => clock() < until;
}
