/** How the change of the embedding model calls its activities: queues, time-outs, retries. */
import { proxyActivities } from '@temporalio/workflow';
import {
  EMBED_TASK_QUEUE,
  type ReembedActivities,
  type ReembedSettings,
} from '#core/reembed-contract.ts';

const RETRY_STORE = {
  initialInterval: '1 second',
  backoffCoefficient: 2,
  maximumInterval: '30 seconds',
  maximumAttempts: 20,
} as const;

/** PROVIDER_ERROR and RATE_LIMITED are tried again three times (design 9); a later turn goes on. */
const RETRY_EMBEDDING = {
  initialInterval: '2 seconds',
  backoffCoefficient: 2,
  maximumInterval: '2 minutes',
  maximumAttempts: 4,
} as const;

/** Turns have a queue of their own: limiting its rate holds back nothing else. */
export function reembedActivities(settings: ReembedSettings): ReembedActivities {
  const { heartbeatTimeoutMs: heartbeatTimeout, startToCloseTimeoutMs: startToCloseTimeout } =
    settings;
  const timeouts = { heartbeatTimeout, startToCloseTimeout };
  const store = proxyActivities<ReembedActivities>({ ...timeouts, retry: RETRY_STORE });
  const turns = proxyActivities<Pick<ReembedActivities, 'reembedTurn'>>({
    ...timeouts,
    taskQueue: EMBED_TASK_QUEUE,
    allowEagerDispatch: false,
    retry: RETRY_EMBEDDING,
  });
  return {
    commandReembed: (input) => store.commandReembed(input),
    listReembed: (input) => store.listReembed(input),
    reembedTurn: (input) => turns.reembedTurn(input),
  };
}
