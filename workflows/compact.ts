/**
 * Workflow: removes the text of a tenant's old turns, step by step, then reports and ends.
 *
 * Flow: compact some sessions in a step → continue with the next sessions → after the last one,
 * append the event with counts. After a number of steps the workflow continues as new.
 * Guarantees: the store decides what is old, so any run may be terminated at any moment and the
 * next one continues; only the tenant, times and counts enter the history.
 */
import { addTotals } from '#core/add-totals.ts';
import type { CompactionTotals } from '#core/ports/compactions.ts';
import {
  NO_COMPACTION,
  type CompactInput,
  type CompactStepReport,
  type StartReport,
  type CompactionSettings,
  type RetentionActivities,
} from '#core/retention/retention-contract.ts';
import { STORE_RETRY_POLICY, TICK_CALLS, timeoutsOf } from './activity-retry-policies.ts';
import { showCompaction } from './temporal-ui.ts';
import { continueAsNew, workflowInfo, proxyActivities } from '@temporalio/workflow';

/** Returns what this run and the runs that it continues did. */
export async function compact(input: CompactInput): Promise<CompactionTotals> {
  const { tenant, settings } = input;
  const { compactStep, endCompaction } = compactActivities(settings);
  let totals = input.totals ?? NO_COMPACTION;
  let place = input.place ?? null;
  showCompaction(tenant, totals, 'Working');
  for (let steps = 0; steps < settings.stepsMax; steps += 1) {
    const report: CompactStepReport = await compactStep({ tenant, place });
    totals = addTotals(totals, report.done);
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

/** Pages of one tick; enough for a million tenants. */
const PAGES_MAX = 5_000;

/** Returns how many runs were started, were under way, and could not be started. */
export async function retentionTick(): Promise<Omit<StartReport, 'after'>> {
  let sum = { started: 0, underWay: 0, failed: 0 };
  let after: string | null = null;
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const { after: next, ...done }: StartReport = await retentionTickActivities.startCompactions({
      after,
    });
    sum = addTotals(sum, done);
    after = next;
    if (after === null) break;
  }
  return sum;
}

function compactActivities(settings: CompactionSettings) {
  return proxyActivities<Pick<RetentionActivities, 'compactStep' | 'endCompaction'>>({
    ...timeoutsOf(settings),
    retry: STORE_RETRY_POLICY,
  });
}

const retentionTickActivities =
  proxyActivities<Pick<RetentionActivities, 'startCompactions'>>(TICK_CALLS);
