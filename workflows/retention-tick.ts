/**
 * Workflow of a schedule, every hour: starts a compaction for each tenant with old turns. It keeps
 * no state, so a tick that fails is made good by the next one.
 */
import type { StartReport } from '#core/retention/retention-contract.ts';
import { retentionTickActivities } from './retention-activities.ts';

/** Pages of one tick; an installation of a million tenants has as many. */
const PAGES_MAX = 5_000;

/** Answers how many runs were started, were under way, and could not be started. */
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
