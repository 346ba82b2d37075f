/** How dreams call their activities: queues, time-outs, retries, and the UI's line of each. */
import { CancellationScope, proxyActivities } from '@temporalio/workflow';
import { MODEL_TASK_QUEUE } from '#core/refresh/refresh-contract.ts';
import type { DreamActivities } from '#core/dreams/dream-contract.ts';
import { RETRY_ANSWER, RETRY_PROVIDER, RETRY_TICK } from './activity-retries.ts';

/** Calls of a model end within two minutes; what comes besides is reading and writing. */
const START_TO_CLOSE = '5 minutes';
/** Activities beat every second; after so long without one their worker is taken to be dead. */
const HEARTBEAT = '30 seconds';

/** Of 1 to 5, the lower first, where the server heeds priorities: nobody waits for a dream. */
const PRIORITY = { priorityKey: 5 } as const;

/** Model calls have a queue of their own: limiting its rate holds back nothing else. */
export function dreamActivities(): Omit<DreamActivities, 'startDueDreams'> {
  const timeouts = { startToCloseTimeout: START_TO_CLOSE, heartbeatTimeout: HEARTBEAT } as const;
  const store = proxyActivities<DreamActivities>({
    ...timeouts,
    retry: RETRY_ANSWER,
    priority: PRIORITY,
  });
  const model = proxyActivities<Pick<DreamActivities, 'distilDream'>>({
    ...timeouts,
    taskQueue: MODEL_TASK_QUEUE,
    allowEagerDispatch: false,
    retry: RETRY_PROVIDER,
    priority: PRIORITY,
  });
  let summary = '';
  return {
    gatherDream: async (input) => {
      const reading = await store.gatherDream(input);
      if (reading.kind === 'Ready') {
        const { blocks, sourceTokens, cut } = reading;
        const read = blocks === 1 ? '1 block' : `${String(blocks)} blocks`;
        summary = `${read}; ${String(sourceTokens)} tokens; ${cut.model}`;
      }
      return reading;
    },
    distilDream: (input) => model.distilDream.executeWithOptions({ summary }, [input]),
    proposeDream: (input) => store.proposeDream(input),
    // Also of a dream that is cancelled it is noted how it ended.
    endDream: (input) => CancellationScope.nonCancellable(() => store.endDream(input)),
    applyProposal: (input) => store.applyProposal(input),
  };
}

export const dreamTickActivities = proxyActivities<Pick<DreamActivities, 'startDueDreams'>>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: HEARTBEAT,
  retry: RETRY_TICK,
});
