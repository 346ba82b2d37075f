/** Dreams of the library: the workflow's own steps, run where the caller is. */
import { applyApproved } from '#activities/dreams/apply-approved.ts';
import { createActivities } from '#activities/create-activities.ts';
import type { RefreshPorts } from '#activities/refresh-ports.ts';
import { applyDreamWorkflowId, dreamWorkflowId } from '#core/dreams/dream-contract.ts';
import { runDream } from '#core/dreams/dream-run.ts';
import { VarveError, type ErrorCode } from '#core/errors.ts';
import type { DreamRuns } from '#core/ports/dream-runs.ts';
import type { RefreshTrigger } from '#core/ports/refresh-trigger.ts';

/**
 * Who asks waits until the dream has ended; how it did, the subject's record says. Nothing is
 * started by time, so what was approved and not applied is made good before a dream.
 */
export function inlineDreams(parts: RefreshPorts): RefreshTrigger & { readonly dreams: DreamRuns } {
  const open = new Set<string>();
  const { signal } = new AbortController();
  const alone = async (id: string, run: () => Promise<unknown>): Promise<'Started' | 'Running'> => {
    if (open.has(id)) return 'Running';
    open.add(id);
    try {
      await run();
      return 'Started';
    } finally {
      open.delete(id);
    }
  };
  /** What failed is told here, as by a worker of Temporal. */
  const codeOf = (failure: unknown): ErrorCode => {
    parts.platform.log.warn({ error: failure }, 'dream failed; the next one retries');
    return failure instanceof VarveError ? failure.code : 'CORRUPT';
  };
  const dreams: DreamRuns = {
    start: async (input) => {
      await applyApproved(parts, dreams);
      return alone(dreamWorkflowId(input), () => runDream(activities, input, { codeOf }));
    },
    apply: (input) => alone(applyDreamWorkflowId(input), () => activities.applyProposal(input)),
  };
  const refreshTrigger = { wake: () => Promise.resolve(), dreams };
  const activities = createActivities(parts, refreshTrigger, () => ({ signal }));
  return refreshTrigger;
}
