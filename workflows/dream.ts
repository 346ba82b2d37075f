/**
 * Workflow: runs one dream of one subject, then ends. A subject has at most one open run.
 *
 * Flow: gather what is new → ask the model → ground its answer and make the proposal, applied at
 * once where the guards allow that → record how it ended.
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
import {
  ANSWER_RETRY_POLICY,
  MODEL_CALLS,
  SHORT_TIMEOUTS,
  TICK_CALLS,
  codeOf,
} from './activity-retry-policies.ts';
import { showDream, showApplication } from './temporal-ui.ts';
import { CancellationScope, proxyActivities } from '@temporalio/workflow';

/** Returns how the dream ended. */
export async function dream(input: DreamInput): Promise<DreamResult> {
  return runDream(dreamActivities(), input, {
    codeOf,
    onChange: (status) => {
      showDream(input.tenant, status);
    },
  });
}

/** Returns how many dreams were started. */
export async function dreamTick(): Promise<{ readonly started: number }> {
  return dreamTickActivities.startDueDreams();
}

/**
 * Workflow: applies a proposal that a person approved, then ends. Every step is repeatable, so any
 * run may be terminated or reset, and started again.
 */
export async function applyDream(input: ApplyDreamInput): Promise<ApplyReport> {
  showApplication(input.tenant, 'Applying');
  const report = await dreamActivities().applyProposal(input);
  showApplication(input.tenant, report.state);
  return report;
}

/** From 1 (first) to 5 (last), if the server supports priorities: no caller waits for a dream. */
const PRIORITY = { priorityKey: 5 } as const;

function dreamActivities(): Omit<DreamActivities, 'startDueDreams'> {
  const store = proxyActivities<DreamActivities>({
    ...SHORT_TIMEOUTS,
    retry: ANSWER_RETRY_POLICY,
    priority: PRIORITY,
  });
  const model = proxyActivities<Pick<DreamActivities, 'distilDream'>>({
    ...SHORT_TIMEOUTS,
    ...MODEL_CALLS,
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
    // The end of a cancelled dream is recorded too.
    endDream: (input) => CancellationScope.nonCancellable(() => store.endDream(input)),
    applyProposal: (input) => store.applyProposal(input),
  };
}

const dreamTickActivities = proxyActivities<Pick<DreamActivities, 'startDueDreams'>>(TICK_CALLS);
