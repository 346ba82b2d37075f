/** How the change of the embedding model calls its activities: queues, time-outs, retries. */
import { proxyActivities } from '@temporalio/workflow';
import {
  EMBED_TASK_QUEUE,
  type ReembedActivities,
  type ReembedSettings,
} from '#core/embedding/reembed-contract.ts';
import { RETRY_PROVIDER, RETRY_STORE } from './activity-retries.ts';

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
    retry: RETRY_PROVIDER,
  });
  return {
    commandReembed: (input) => store.commandReembed(input),
    listReembed: (input) => store.listReembed(input),
    reembedTurn: (input) => turns.reembedTurn(input),
  };
}
