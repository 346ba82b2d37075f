/** The activities of retention over their ports. */
import { policyToRefreshBy } from '#core/policy/tenant-policy.ts';
import type { CompactionRuns, CompactionTotals } from '#core/ports/compactions.ts';
import type { RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import type { Store } from '#core/ports/store.ts';
import { AUDIT_ENTRIES_MAX } from '#core/records/audit-entry.ts';
import type { OldestTurn, SessionPlace } from '#core/ports/turn-records.ts';
import {
  type RetentionActivities,
  TENANTS_PER_LOOK,
  type StartReport,
  addCompaction,
  NO_COMPACTION,
} from '#core/retention/retention-contract.ts';
import { RETENTION_MS_MIN, retentionMsOf } from '#core/retention/retention.ts';
import { resumeErasures } from '#memory/erase.ts';
import type { ActivityCall, RefreshPorts } from '../refresh-ports.ts';
import type { RetentionPorts } from './compact-session.ts';
import { compactStep } from './compact-step.ts';
import { endCompaction } from './end-compaction.ts';

export function retentionActivities(
  ports: RefreshPorts,
  { compactions }: Pick<RefreshTrigger, 'compactions'>,
  callOf: () => ActivityCall,
): RetentionActivities {
  return {
    startCompactions: async (input) => {
      const report =
        compactions === undefined
          ? { started: 0, underWay: 0, failed: 0, after: null }
          : await startCompactions(ports, compactions, input);
      // Once a tick, and last: one that takes long holds up no compaction.
      if (report.after !== null) return report;
      await sweepAudits(ports);
      await resumeErasures(ports, ports.platform.clock());
      return report;
    },
    compactStep: (input) => compactStep(ports, input, callOf()),
    endCompaction: (input) => endCompaction(ports, input),
  };
}

/** Sweeps of one tenant in a tick; the next goes on. */
const SWEEPS_MAX = 100;

/** Of tenants whose callers are silent, too: whoever calls sweeps as it writes. */
export async function sweepAudits({
  store,
  platform,
}: Pick<RetentionPorts, 'store' | 'platform'>): Promise<void> {
  const bounds = { now: platform.clock(), most: AUDIT_ENTRIES_MAX };
  for (let after: string | null = null; ;) {
    const page: readonly string[] = await store.embeddings.tenants({
      after,
      limit: TENANTS_PER_LOOK,
    });
    for (const tenant of page) await sweepAudit(store, tenant, bounds);
    if (page.length < TENANTS_PER_LOOK) return;
    after = page.at(-1) ?? null;
  }
}

async function sweepAudit(
  { audit }: Pick<Store, 'audit'>,
  tenant: string,
  bounds: { readonly now: number; readonly most: number },
): Promise<void> {
  for (let sweeps = 0; sweeps < SWEEPS_MAX; sweeps += 1) {
    if ((await audit.sweep(tenant, bounds)) === 0) return;
  }
}

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

/** Steps of one call: 200,000 sessions. */
const STEPS_MAX = 10_000;

/** A whole compaction of a tenant, run where the caller is: for the library and for a preview. */
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
