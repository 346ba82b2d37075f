/**
 * Activity of the tick: starts a compaction for each tenant that has old turns, or old answers of
 * models that nobody finished.
 */
import { TENANTS_PER_LOOK, type StartReport } from '#core/retention/retention-contract.ts';
import { RETENTION_MS_MIN, retentionMsOf } from '#core/retention/retention.ts';
import type { CompactionRuns } from '#core/ports/compactions.ts';
import type { Store } from '#core/ports/store.ts';
import type { OldestTurn } from '#core/ports/turn-records.ts';
import { policyToRefreshBy } from '#core/policy/tenant-policy.ts';
import type { RetentionPorts } from './compact-session.ts';

/** A page of tenants, also of those without a policy of their own. */
export async function startCompactions(
  ports: Pick<RetentionPorts, 'store' | 'platform'>,
  runs: Pick<CompactionRuns, 'start'>,
  { after }: { after: string | null },
): Promise<StartReport> {
  const { store, platform } = ports;
  const tenants = await tenantsWithText(store, after);
  const report = { started: 0, underWay: 0, failed: 0 };
  for (const each of tenants) {
    const { tenant } = each;
    if (!(await isPending(ports, each))) continue;
    try {
      const outcome = await runs.start(tenant);
      report[outcome === 'Started' ? 'started' : 'underWay'] += 1;
    } catch (error) {
      // One that cannot be started must not hold up the others.
      report.failed += 1;
      platform.log.warn({ tenant, error }, 'compaction not started; the next tick retries');
    }
  }
  const isLast = tenants.length < TENANTS_PER_LOOK;
  return { ...report, after: isLast ? null : (tenants.at(-1)?.tenant ?? null) };
}

/** Of either kind as many as one look takes, so none is left out before the last of them. */
async function tenantsWithText(
  { turns, answers }: Pick<Store, 'turns' | 'answers'>,
  after: string | null,
): Promise<readonly OldestTurn[]> {
  const query = { after, limit: TENANTS_PER_LOOK };
  const found = [
    ...(await turns.tenantsWithText(query)),
    ...(await answers.tenantsWithText(query)),
  ];
  const oldest = new Map<string, number>();
  for (const { tenant, oldestAt } of found) {
    oldest.set(tenant, Math.min(oldestAt, oldest.get(tenant) ?? oldestAt));
  }
  return [...oldest]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, TENANTS_PER_LOOK)
    .map(([tenant, oldestAt]) => ({ tenant, oldestAt }));
}

async function isPending(
  { store, platform }: Pick<RetentionPorts, 'store' | 'platform'>,
  { tenant, oldestAt }: OldestTurn,
): Promise<boolean> {
  const now = platform.clock();
  if (oldestAt > now - RETENTION_MS_MIN) return false;
  const policy = await policyToRefreshBy(store.policies, tenant);
  return policy !== null && oldestAt <= now - retentionMsOf(policy);
}
