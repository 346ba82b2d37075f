/** How the refresh calls its activities: queues, time-outs, retries, and the UI's line of each. */
import { proxyActivities } from '@temporalio/workflow';
import {
  MODEL_TASK_QUEUE,
  type ClaimedBatch,
  type RefreshActivities,
  type RefreshSettings,
  type TickActivities,
} from '#core/refresh/refresh-contract.ts';
import { RETRY_ANSWER, RETRY_PROVIDER, RETRY_TICK } from './activity-retries.ts';

/** Why a round is made; changed by the run between its rounds. */
export interface Urgency {
  kind: 'Asked' | 'Urgent' | 'Usual';
}

/** Of 1 to 5, the lower first; where the server heeds priorities. A person waits for the first. */
const PRIORITY = { Asked: 1, Urgent: 2, Usual: 3 } as const satisfies Record<
  Urgency['kind'],
  number
>;

/** Model calls have a queue of their own: limiting its rate holds back nothing else. */
export function refreshActivities(settings: RefreshSettings, urgency: Urgency): RefreshActivities {
  const { heartbeatTimeoutMs: heartbeatTimeout, startToCloseTimeoutMs: startToCloseTimeout } =
    settings;
  const timeouts = { heartbeatTimeout, startToCloseTimeout };
  const store = proxyActivities<RefreshActivities>({ ...timeouts, retry: RETRY_ANSWER });
  const model = proxyActivities<Pick<RefreshActivities, 'summarizeBatch'>>({
    ...timeouts,
    taskQueue: MODEL_TASK_QUEUE,
    allowEagerDispatch: false,
    retry: RETRY_PROVIDER,
  });
  const claimed = new Map<string, ClaimedBatch>();
  const options = (batchId: string) => {
    const batch = claimed.get(batchId);
    const priority = { priorityKey: PRIORITY[urgency.kind] };
    return batch === undefined ? { priority } : { priority, summary: summaryOf(batch) };
  };
  return {
    readWindow: (input) => store.readWindow(input),
    claimBatches: async (input) => {
      const report = await store.claimBatches(input);
      for (const batch of report.batches) claimed.set(batch.batchId, batch);
      return report;
    },
    summarizeBatch: (input) =>
      model.summarizeBatch.executeWithOptions(options(input.batchId), [input]),
    commitBatch: (input) => store.commitBatch.executeWithOptions(options(input.batchId), [input]),
    releaseBatch: (input) => store.releaseBatch(input),
    acknowledge: (input) => store.acknowledge(input),
  };
}

/** One line of the UI: layers and counts, and never which scope. */
function summaryOf({ layers, items, sourceTokens, model }: ClaimedBatch): string {
  const scopes = items === 1 ? '1 scope' : `${String(items)} scopes`;
  return `${scopes} of ${layers.join(', ')}; ${String(sourceTokens)} tokens; ${model}`;
}

export const tickActivities = proxyActivities<TickActivities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '30 seconds',
  retry: RETRY_TICK,
});
