/**
 * Workflow: one dream of one subject, then ends. There is one open run for a subject.
 *
 * Flow: gather what is new → ask the model → ground its answer and make the proposal, applied
 * at once where the guards allow that → note how it ended.
 * Guarantees: what is pending is in the store (`hasNew` of the subject), so any run may be
 * terminated or reset: a stored answer is not paid for again, a proposal is made and applied once;
 * a failure ends the dream as `Failed` and the next round tries again; only ids, counts and codes
 * enter the history.
 */
import type {
  DreamInput,
  DreamResult,
  ApplyDreamInput,
  ApplyReport,
  DreamActivities,
} from '#core/dreams/dream-contract.ts';
import { runDream } from '#core/dreams/dream-run.ts';
import { MODEL_TASK_QUEUE } from '#core/refresh/refresh-contract.ts';
import {
  ANSWER_RETRY_POLICY,
  MODEL_CALL_RETRY_POLICY,
  TICK_RETRY_POLICY,
  codeOf,
} from './activity-retry-policies.ts';
import { showDream, showApplication } from './temporal-ui.ts';
import { CancellationScope, proxyActivities } from '@temporalio/workflow';

/** Answers how it ended. */
export async function dream(input: DreamInput): Promise<DreamResult> {
  return runDream(dreamActivities(), input, {
    codeOf,
    onChange: (status) => {
      showDream(input.tenant, status);
    },
  });
}

/** Answers how many dreams were started. */
export async function dreamTick(): Promise<{ readonly started: number }> {
  return dreamTickActivities.startDueDreams();
}

/**
 * Workflow: applies a proposal that a person approved, then ends. Each step of it may be repeated,
 * so any run may be terminated or reset, and started again.
 */
export async function applyDream(input: ApplyDreamInput): Promise<ApplyReport> {
  showApplication(input.tenant, 'Applying');
  const report = await dreamActivities().applyProposal(input);
  showApplication(input.tenant, report.state);
  return report;
}

/** Calls of a model end within two minutes; what comes besides is reading and writing. */
const START_TO_CLOSE = '5 minutes';
/** Activities beat every second; after so long without one their worker is taken to be dead. */
const HEARTBEAT = '30 seconds';

/** Of 1 to 5, the lower first, where the server heeds priorities: no caller waits for a dream. */
const PRIORITY = { priorityKey: 5 } as const;

/** Model calls have a queue of their own: limiting its rate holds back nothing else. */
export function dreamActivities(): Omit<DreamActivities, 'startDueDreams'> {
  const timeouts = { startToCloseTimeout: START_TO_CLOSE, heartbeatTimeout: HEARTBEAT } as const;
  const store = proxyActivities<DreamActivities>({
    ...timeouts,
    retry: ANSWER_RETRY_POLICY,
    priority: PRIORITY,
  });
  const model = proxyActivities<Pick<DreamActivities, 'distilDream'>>({
    ...timeouts,
    taskQueue: MODEL_TASK_QUEUE,
    allowEagerDispatch: false,
    retry: MODEL_CALL_RETRY_POLICY,
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

const dreamTickActivities = proxyActivities<Pick<DreamActivities, 'startDueDreams'>>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: HEARTBEAT,
  retry: TICK_RETRY_POLICY,
});
