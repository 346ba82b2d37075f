/** How flushes call their activities: time-outs and retries. */
import { proxyActivities } from '@temporalio/workflow';
import type { FlushActivities } from '#core/flush/flush-contract.ts';
import { RETRY_ANSWER, RETRY_TICK } from './activity-retries.ts';

/** Activities beat every second; after so long without one their worker is taken to be dead. */
const HEARTBEAT = '30 seconds';
/** Of 1 to 5, the lower first, where the server heeds priorities: nobody waits for a flush. */
const PRIORITY = { priorityKey: 4 } as const;

export const flushActivities = proxyActivities<Omit<FlushActivities, 'startDueFlushes'>>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: HEARTBEAT,
  retry: RETRY_ANSWER,
  priority: PRIORITY,
});

export const flushTickActivities = proxyActivities<Pick<FlushActivities, 'startDueFlushes'>>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: HEARTBEAT,
  retry: RETRY_TICK,
});
