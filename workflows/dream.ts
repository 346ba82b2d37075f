/**
 * Workflow: one dream of one subject, then ends. There is one open run for a subject.
 *
 * Flow: gather what is new → ask the model → ground its answer and make the proposal, applied
 * at once where the guards allow that → note how it ended.
 * Guarantees: what is owed lies in the store (`hasNew` of the subject), so any run may be
 * terminated or reset: a stored answer is not paid for again, a proposal is made and applied once;
 * a failure ends the dream as `Failed` and the next round tries again; only ids, counts and codes
 * enter the history.
 */
import type { DreamInput, DreamResult } from '#core/dreams/dream-contract.ts';
import { runDream } from '#core/dreams/dream-run.ts';
import { dreamActivities } from './dream-activities.ts';
import { codeOf } from './failure-code.ts';
import { showDream } from './visibility.ts';

/** Answers how it ended. */
export async function dream(input: DreamInput): Promise<DreamResult> {
  return runDream(dreamActivities(), input, {
    codeOf,
    onChange: (status) => {
      showDream(input.tenant, status);
    },
  });
}
