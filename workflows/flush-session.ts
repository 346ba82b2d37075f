/**
 * Workflow: one flush of one session, then ends. There is one open run for a flush.
 *
 * Flow: settle which turns it takes → keep what they say that lasts → append the block of the daily
 * file → note that it is done, and go on with what came since.
 * Guarantees: what waits lies in the session's record, so any run may be terminated or reset; each
 * step finds what an earlier try of it did; only ids and counts enter the history.
 */
import type { FlushInput, FlushTotals } from '#core/flush/flush-contract.ts';
import { NOTHING_FLUSHED, runFlush } from '#core/flush/flush-run.ts';
import { flushActivities } from './flush-activities.ts';
import { showFlush } from './visibility.ts';

/** Answers what it did. */
export async function flushSession(input: FlushInput): Promise<FlushTotals> {
  const { tenant } = input;
  showFlush(tenant, NOTHING_FLUSHED, 'Working');
  const totals = await runFlush(flushActivities, input, (done) => {
    showFlush(tenant, done, 'Working');
  });
  showFlush(tenant, totals, 'Done');
  return totals;
}
