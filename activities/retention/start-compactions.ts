/** Activity of the tick: starts a compaction for each tenant that has old turns. */
import { TENANTS_PER_LOOK, type StartReport } from '#core/retention-contract.ts';
import { RETENTION_MS_MIN, retentionMsOf } from '#core/retention/retention.ts';
import type { CompactionRuns } from '#core/ports/compactions.ts';
import type { OldestTurn } from '#core/ports/turn-records.ts';
import { policyToRefreshBy } from '#core/tenant-policy.ts';
import type { RetentionPorts } from './compact-session.ts';

/** A page of tenants, also of those without a policy of their own. */
export async function startCompactions(
  ports: Pick<RetentionPorts, 'store' | 'platform'>,
  runs: CompactionRuns,
  { after }: { after: string | null },
): Promise<StartReport> {
  const { store, platform } = ports;
  const tenants = await store.turns.tenantsWithText({ after, limit: TENANTS_PER_LOOK });
  const report = { started: 0, underWay: 0, failed: 0 };
  for (const each of tenants) {
    const { tenant } = each;
    if (!(await isOwed(ports, each))) continue;
    try {
      const outcome = await runs.start(tenant);
      report[outcome === 'Started' ? 'started' : 'underWay'] += 1;
    } catch (error) {
      // One that cannot be started must not hold up the others.
      report.failed += 1;
      platform.log.warn({ tenant, error }, 'compaction not started; the next tick tries again');
    }
  }
  const isLast = tenants.length < TENANTS_PER_LOOK;
  return { ...report, after: isLast ? null : (tenants.at(-1)?.tenant ?? null) };
}

async function isOwed(
  { store, platform }: Pick<RetentionPorts, 'store' | 'platform'>,
  { tenant, oldestAt }: OldestTurn,
): Promise<boolean> {
  const now = platform.clock();
  if (oldestAt > now - RETENTION_MS_MIN) return false;
  const policy = await policyToRefreshBy(store.policies, tenant);
  return policy !== null && oldestAt <= now - retentionMsOf(policy);
}
