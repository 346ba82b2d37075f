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
import { MODEL_TASK_QUEUE } from '#core/refresh/refresh-contract.ts';
import {
  ANSWER_RETRY_POLICY,
  MODEL_CALL_RETRY_POLICY,
  TICK_RETRY_POLICY,
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

/** Activities send a heartbeat every second; after this long without one, their worker is dead. */
const HEARTBEAT = '30 seconds';
/** From 1 (first) to 5 (last), if the server supports priorities: no caller waits for a flush. */
const PRIORITY = { priorityKey: 4 } as const;

const TIMEOUTS = { startToCloseTimeout: '5 minutes', heartbeatTimeout: HEARTBEAT } as const;

/** Model calls have their own task queue: limiting its rate slows nothing else. */
const model = proxyActivities<Pick<FlushActivities, 'askFlush'>>({
  ...TIMEOUTS,
  taskQueue: MODEL_TASK_QUEUE,
  allowEagerDispatch: false,
  retry: MODEL_CALL_RETRY_POLICY,
  priority: PRIORITY,
});
const store = proxyActivities<Omit<FlushActivities, 'startDueFlushes' | 'askFlush'>>({
  ...TIMEOUTS,
  retry: ANSWER_RETRY_POLICY,
  priority: PRIORITY,
});

/** How flushes call their activities: timeouts and retries. */
const flushActivities: Omit<FlushActivities, 'startDueFlushes'> = {
  gatherFlush: (input) => store.gatherFlush(input),
  askFlush: (input) => model.askFlush(input),
  keepFlush: (input) => store.keepFlush(input),
  writeFlush: (input) => store.writeFlush(input),
  endFlush: (input) => store.endFlush(input),
};

const flushTickActivities = proxyActivities<Pick<FlushActivities, 'startDueFlushes'>>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: HEARTBEAT,
  retry: TICK_RETRY_POLICY,
});
