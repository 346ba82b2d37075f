/**
 * Workflow: one flush of one session, then ends. There is one open run for a flush.
 *
 * Flow: settle which turns it takes → keep what they say that lasts → append the block of the daily
 * file → note that it is done, and go on with what came since.
 * Guarantees: what waits lies in the session's record, so any run may be terminated or reset; each
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

/** Answers how many flushes were started. */
export async function flushTick(): Promise<{ readonly started: number }> {
  return flushTickActivities.startDueFlushes();
}

/** Activities beat every second; after so long without one their worker is taken to be dead. */
const HEARTBEAT = '30 seconds';
/** Of 1 to 5, the lower first, where the server heeds priorities: no caller waits for a flush. */
const PRIORITY = { priorityKey: 4 } as const;

const TIMEOUTS = { startToCloseTimeout: '5 minutes', heartbeatTimeout: HEARTBEAT } as const;

/** Model calls have a queue of their own: limiting its rate holds back nothing else. */
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

/** How flushes call their activities: time-outs and retries. */
export const flushActivities: Omit<FlushActivities, 'startDueFlushes'> = {
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
