/** How the refresh calls its activities: queues, time-outs, retries. */
import { proxyActivities } from '@temporalio/workflow';
import {
  MODEL_TASK_QUEUE,
  type RefreshActivities,
  type RefreshSettings,
  type TickActivities,
} from '#core/contract.ts';
import type { ErrorCode } from '#core/errors.ts';

const RETRY_STORE = {
  initialInterval: '1 second',
  backoffCoefficient: 2,
  maximumInterval: '30 seconds',
  maximumAttempts: 20,
  // A stored answer that cannot be read is not readable the next time either.
  nonRetryableErrorTypes: ['MODEL_OUTPUT_INVALID'] satisfies ErrorCode[],
} as const;

/** PROVIDER_ERROR and RATE_LIMITED are tried again three times (design 9). */
const RETRY_MODEL = {
  initialInterval: '2 seconds',
  backoffCoefficient: 2,
  maximumInterval: '2 minutes',
  maximumAttempts: 4,
} as const;

/** Model calls have a queue of their own: limiting its rate holds back nothing else. */
export function refreshActivities(settings: RefreshSettings): RefreshActivities {
  const { heartbeatTimeoutMs: heartbeatTimeout, startToCloseTimeoutMs: startToCloseTimeout } =
    settings;
  const timeouts = { heartbeatTimeout, startToCloseTimeout };
  const store = proxyActivities<RefreshActivities>({ ...timeouts, retry: RETRY_STORE });
  const model = proxyActivities<Pick<RefreshActivities, 'summarizeBatch'>>({
    ...timeouts,
    taskQueue: MODEL_TASK_QUEUE,
    allowEagerDispatch: false,
    retry: RETRY_MODEL,
  });
  return {
    readWindow: (input) => store.readWindow(input),
    claimBatches: (input) => store.claimBatches(input),
    summarizeBatch: (input) => model.summarizeBatch(input),
    commitBatch: (input) => store.commitBatch(input),
    releaseBatch: (input) => store.releaseBatch(input),
    acknowledge: (input) => store.acknowledge(input),
  };
}

export const tickActivities = proxyActivities<TickActivities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '30 seconds',
  retry: { ...RETRY_STORE, maximumAttempts: 3 },
});
