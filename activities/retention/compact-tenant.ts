/** A whole compaction of a tenant, run where the caller is: for the library and for a preview. */
import type { SessionPlace } from '#core/ports/turn-records.ts';
import type { CompactionTotals } from '#core/ports/compactions.ts';
import { addCompaction, NO_COMPACTION } from '#core/retention/retention-contract.ts';
import type { ActivityCall } from '../refresh-ports.ts';
import type { RetentionPorts } from './compact-session.ts';
import { compactStep } from './compact-step.ts';
import { endCompaction } from './end-compaction.ts';

/** Steps of one call: 200,000 sessions. */
const STEPS_MAX = 10_000;

export async function compactTenant(
  ports: RetentionPorts,
  { tenant, dryRun }: { tenant: string; dryRun: boolean },
  call: ActivityCall,
): Promise<CompactionTotals> {
  let totals = NO_COMPACTION;
  let place: SessionPlace | null = null;
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    const report = await compactStep(ports, { tenant, place, dryRun }, call);
    totals = addCompaction(totals, report.done);
    ({ place } = report);
    if (place === null && !dryRun) {
      await endCompaction(ports, { tenant, eventId: report.eventId, totals });
    }
    if (place === null) break;
  }
  return totals;
}
