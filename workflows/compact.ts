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
import { STORE_RETRY_POLICY, TICK_RETRY_POLICY } from './activity-retry-policies.ts';
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
    const page: StartReport = await retentionTickActivities.startCompactions({ after });
    sum = {
      started: sum.started + page.started,
      underWay: sum.underWay + page.underWay,
      failed: sum.failed + page.failed,
    };
    ({ after } = page);
    if (after === null) break;
  }
  return sum;
}

/** How the workflows of retention call their activities: timeouts and retries. */
function compactActivities({
  heartbeatTimeoutMs: heartbeatTimeout,
  startToCloseTimeoutMs: startToCloseTimeout,
}: CompactionSettings): Pick<RetentionActivities, 'compactStep' | 'endCompaction'> {
  return proxyActivities<Pick<RetentionActivities, 'compactStep' | 'endCompaction'>>({
    heartbeatTimeout,
    startToCloseTimeout,
    retry: STORE_RETRY_POLICY,
  });
}

/** The next tick makes up for a failed one. */
const retentionTickActivities = proxyActivities<Pick<RetentionActivities, 'startCompactions'>>({
  heartbeatTimeout: '30 seconds',
  startToCloseTimeout: '2 minutes',
  retry: TICK_RETRY_POLICY,
});
