/**
 * Workflow: takes the text of a tenant's old turns, step by step, then tells of it and ends.
 *
 * Flow: a step looks at some sessions → the next one from there on → at the end of the walk the
 * event with counts. After a number of steps it continues as new.
 * Guarantees: what is old is told by the store, so any run may be terminated at any moment and the
 * next one goes on; only the tenant, times and counts enter the history.
 */
import type { CompactionTotals } from '#core/ports/compactions.ts';
import { continueAsNew, workflowInfo } from '@temporalio/workflow';
import {
  addCompaction,
  NO_COMPACTION,
  type CompactInput,
  type CompactStepReport,
} from '#core/retention/retention-contract.ts';
import { compactActivities } from './retention-activities.ts';
import { showCompaction } from './visibility.ts';

/** Answers what the run and the runs before it did. */
export async function compact(input: CompactInput): Promise<CompactionTotals> {
  const { tenant, settings } = input;
  const { compactStep, endCompaction } = compactActivities(settings);
  let totals = input.totals ?? NO_COMPACTION;
  let place = input.place ?? null;
  showCompaction(tenant, totals, 'Working');
  for (let steps = 0; steps < settings.stepsMax; steps += 1) {
    const report: CompactStepReport = await compactStep({ tenant, place });
    totals = addCompaction(totals, report.done);
    ({ place } = report);
    if (place === null) {
      await endCompaction({ tenant, eventId: report.eventId, totals });
      showCompaction(tenant, totals, 'Done');
      return totals;
    }
    if (workflowInfo().continueAsNewSuggested) break;
  }
  return continueAsNew<typeof compact>({ tenant, settings, place, totals });
}
