/** How the workflows of retention call their activities: time-outs and retries. */
import { proxyActivities } from '@temporalio/workflow';
import type {
  CompactionSettings,
  RetentionActivities,
} from '#core/retention/retention-contract.ts';
import { RETRY_STORE, RETRY_TICK } from './activity-retries.ts';

export function compactActivities({
  heartbeatTimeoutMs: heartbeatTimeout,
  startToCloseTimeoutMs: startToCloseTimeout,
}: CompactionSettings): Pick<RetentionActivities, 'compactStep' | 'endCompaction'> {
  return proxyActivities<Pick<RetentionActivities, 'compactStep' | 'endCompaction'>>({
    heartbeatTimeout,
    startToCloseTimeout,
    retry: RETRY_STORE,
  });
}

/** The next tick makes good what this one could not do. */
export const retentionTickActivities = proxyActivities<
  Pick<RetentionActivities, 'startCompactions'>
>({
  heartbeatTimeout: '30 seconds',
  startToCloseTimeout: '2 minutes',
  retry: RETRY_TICK,
});
