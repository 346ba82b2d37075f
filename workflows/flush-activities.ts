/** How flushes call their activities: time-outs and retries. */
import { proxyActivities } from '@temporalio/workflow';
import type { FlushActivities } from '#core/flush/flush-contract.ts';
import { MODEL_TASK_QUEUE } from '#core/refresh/refresh-contract.ts';
import { RETRY_ANSWER, RETRY_PROVIDER, RETRY_TICK } from './activity-retries.ts';

/** Activities beat every second; after so long without one their worker is taken to be dead. */
const HEARTBEAT = '30 seconds';
/** Of 1 to 5, the lower first, where the server heeds priorities: nobody waits for a flush. */
const PRIORITY = { priorityKey: 4 } as const;

const TIMEOUTS = { startToCloseTimeout: '5 minutes', heartbeatTimeout: HEARTBEAT } as const;

/** Model calls have a queue of their own: limiting its rate holds back nothing else. */
const model = proxyActivities<Pick<FlushActivities, 'askFlush'>>({
  ...TIMEOUTS,
  taskQueue: MODEL_TASK_QUEUE,
  allowEagerDispatch: false,
  retry: RETRY_PROVIDER,
  priority: PRIORITY,
});
const store = proxyActivities<Omit<FlushActivities, 'startDueFlushes' | 'askFlush'>>({
  ...TIMEOUTS,
  retry: RETRY_ANSWER,
  priority: PRIORITY,
});

export const flushActivities: Omit<FlushActivities, 'startDueFlushes'> = {
  gatherFlush: (input) => store.gatherFlush(input),
  askFlush: (input) => model.askFlush(input),
  keepFlush: (input) => store.keepFlush(input),
  writeFlush: (input) => store.writeFlush(input),
  endFlush: (input) => store.endFlush(input),
};

export const flushTickActivities = proxyActivities<Pick<FlushActivities, 'startDueFlushes'>>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: HEARTBEAT,
  retry: RETRY_TICK,
});
