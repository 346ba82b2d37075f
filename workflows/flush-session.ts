/**
 * Workflow: runs one flush of one session, then ends. A flush has at most one open run.
 *
 * Flow: settle which turns it takes → ask a model, if one reads them → keep lasting statements →
 * append the block to the daily file → record the end, and continue with turns that came since.
 * Guarantees: what waits is in the session's record, so any run may be terminated or reset; each
 * step finds what an earlier try of it did; only ids and counts enter the history.
 */
import type { FlushInput, FlushTotals, FlushActivities } from '#core/flush/flush-contract.ts';
import { NOTHING_FLUSHED, runFlush } from '#core/flush/flush-run.ts';
import {
  ANSWER_RETRY_POLICY,
  MODEL_CALLS,
  SHORT_TIMEOUTS,
  TICK_CALLS,
} from './activity-retry-policies.ts';
import { showFlush } from './temporal-ui.ts';
import { proxyActivities } from '@temporalio/workflow';

/** Returns what the flush did. */
export async function flushSession(input: FlushInput): Promise<FlushTotals> {
  const { tenant } = input;
  showFlush(tenant, NOTHING_FLUSHED, 'Working');
  const totals = await runFlush(flushActivities, input, (done) => {
    showFlush(tenant, done, 'Working');
  });
  showFlush(tenant, totals, 'Done');
  return totals;
}

/** Returns how many flushes were started. */
export async function flushTick(): Promise<{ readonly started: number }> {
  return flushTickActivities.startDueFlushes();
}

/** From 1 (first) to 5 (last), if the server supports priorities: no caller waits for a flush. */
const PRIORITY = { priorityKey: 4 } as const;

const model = proxyActivities<Pick<FlushActivities, 'askFlush'>>({
  ...SHORT_TIMEOUTS,
  ...MODEL_CALLS,
  priority: PRIORITY,
});
const store = proxyActivities<Omit<FlushActivities, 'startDueFlushes' | 'askFlush'>>({
  ...SHORT_TIMEOUTS,
  retry: ANSWER_RETRY_POLICY,
  priority: PRIORITY,
});

const flushActivities: Omit<FlushActivities, 'startDueFlushes'> = {
  gatherFlush: (input) => store.gatherFlush(input),
  askFlush: (input) => model.askFlush(input),
  keepFlush: (input) => store.keepFlush(input),
  writeFlush: (input) => store.writeFlush(input),
  endFlush: (input) => store.endFlush(input),
};

const flushTickActivities = proxyActivities<Pick<FlushActivities, 'startDueFlushes'>>(TICK_CALLS);
