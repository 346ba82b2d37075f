/** The activities of retention over their ports. */
import { pagesOf } from '#core/chunks-and-pages.ts';
import { addTotals } from '#core/add-totals.ts';
import { policyToRefreshBy } from '#core/policy/policy-in-force.ts';
import type { CompactionRuns, CompactionTotals } from '#core/ports/compactions.ts';
import type { RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import type { Store } from '#core/ports/store.ts';
import type { OldestTurn, SessionPlace, OldSession } from '#core/ports/turn-records.ts';
import { AUDIT_ENTRIES_MAX } from '#core/records/audit-entry.ts';
import * as contract from '#core/retention/retention-contract.ts';
import { RETENTION_MS_MIN, retentionMsOf } from '#core/retention/when-to-compact.ts';
import { resumeErasures } from '#memory/erase.ts';
import type { ActivityCall, RefreshPorts } from '../refresh-ports.ts';
import { type RetentionPorts, tryCompactSession, type SessionOutcome } from './compact-session.ts';

export function retentionActivities(
  ports: RefreshPorts,
  refreshTrigger: RefreshTrigger,
  callOf: () => ActivityCall,
): contract.RetentionActivities {
  const { compactions } = refreshTrigger;
  return {
    startCompactions: async (input) => {
      const report =
        compactions === undefined
          ? { started: 0, underWay: 0, failed: 0, after: null }
          : await startCompactions(ports, compactions, input);
      // Once per tick, at its end, so that slow work delays no compaction.
      if (report.after !== null) return report;
      await sweepAudits(ports);
      await resumeErasures({ ...ports, refreshTrigger }, ports.platform.clock());
      return report;
    },
    compactStep: (input) => compactStep(ports, input, callOf()),
    endCompaction: (input) => endCompaction(ports, input),
  };
}

/** Sweeps of one tenant in a tick; the next tick continues. */
const SWEEPS_MAX = 100;

/** Sweeps the audit entries of all tenants. Calls sweep too, but a tenant may have no calls. */
export async function sweepAudits({
  store,
  platform,
}: Pick<RetentionPorts, 'store' | 'platform'>): Promise<void> {
  const bounds = { now: platform.clock(), most: AUDIT_ENTRIES_MAX };
  const limit = contract.TENANTS_PER_LOOK;
  const read = (after: string | null = null) => store.audit.tenants({ after, limit });
  for await (const page of pagesOf(limit, read)) {
    for (const tenant of page) await sweepAudit(store, tenant, bounds);
  }
}

async function sweepAudit(
  { audit }: Pick<Store, 'audit'>,
  tenant: string,
  bounds: Parameters<Store['audit']['sweep']>[1],
): Promise<void> {
  for (let sweeps = 0; sweeps < SWEEPS_MAX; sweeps += 1) {
    if ((await audit.sweep(tenant, bounds)) === 0) return;
  }
}

/** Starts due compactions of one page of tenants, including those without a policy of their own. */
export async function startCompactions(
  ports: Pick<RetentionPorts, 'store' | 'platform'>,
  runs: Pick<CompactionRuns, 'start'>,
  { after }: { after: string | null },
): Promise<contract.StartReport> {
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
  const isLast = tenants.length < contract.TENANTS_PER_LOOK;
  return { ...report, after: isLast ? null : (tenants.at(-1)?.tenant ?? null) };
}

/** Reads a full page of either kind, so that no tenant before the last one is left out. */
async function tenantsWithText(
  { turns, answers }: Pick<Store, 'turns' | 'answers'>,
  after: string | null,
): Promise<readonly OldestTurn[]> {
  const query = { after, limit: contract.TENANTS_PER_LOOK };
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
    .slice(0, contract.TENANTS_PER_LOOK)
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

/** Runs a whole compaction of a tenant in the caller's process, for the library or a preview. */
export async function compactTenant(
  ports: RetentionPorts,
  { tenant, dryRun }: { tenant: string; dryRun: boolean },
  call: ActivityCall,
): Promise<CompactionTotals> {
  let totals = contract.NO_COMPACTION;
  let place: SessionPlace | null = null;
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    const report = await compactStep(ports, { tenant, place, dryRun }, call);
    totals = addTotals(totals, report.done);
    ({ place } = report);
    if (place === null && !dryRun) {
      await endCompaction(ports, { tenant, eventId: report.eventId, totals });
    }
    if (place === null) break;
  }
  return totals;
}

/** Answers forgotten by one step; the rest goes with the next run. */
const ANSWERS_PER_STEP_MAX = 1_000;

/**
 * Activity: one step of a compaction, some sessions of a tenant in the order of their oldest turn.
 * After the last session, it deletes model answers that are as old as the turns and that no run
 * finished, since they may quote turns.
 *
 * Does nothing for a released tenant.
 */
export async function compactStep(
  ports: RetentionPorts,
  { tenant, place, dryRun = false }: contract.CompactStepInput,
  call: ActivityCall,
): Promise<contract.CompactStepReport> {
  const { store, platform } = ports;
  const policy = await policyToRefreshBy(store.policies, tenant);
  if (policy === null)
    return { place: null, done: contract.NO_COMPACTION, eventId: platform.newId() };
  const until = platform.clock() - retentionMsOf(policy);
  const page = { until, place, limit: contract.SESSIONS_PER_STEP };
  const sessions = await store.turns.oldSessions(tenant, page);
  let done = contract.NO_COMPACTION;
  const left: OldSession[] = [];
  for (const session of sessions) {
    // Throw rather than skip a session that was not looked at; the step is repeated then.
    call.signal.throwIfAborted();
    const outcome = await tryCompactSession(ports, { policy, session, dryRun });
    if (outcome.staying !== null || dryRun) left.push(session);
    if (!dryRun) count(ports, outcome);
    done = addTotals(done, totalsOf(outcome));
    call.report?.({ sessions: done.sessions, turns: done.turns });
  }
  const next =
    sessions.length < contract.SESSIONS_PER_STEP ? null : nextPlace(place, sessions, left);
  if (next === null && !dryRun) {
    const answers = await store.answers.forget(tenant, { until, limit: ANSWERS_PER_STEP_MAX });
    done = addTotals(done, { answers });
  }
  return { place: next, done, eventId: platform.newId() };
}

/** The place after the last session. Sessions of the same moment that stay are skipped by count. */
function nextPlace(
  place: SessionPlace | null,
  sessions: readonly OldSession[],
  left: readonly OldSession[],
): SessionPlace {
  const from = sessions.at(-1)?.oldestAt ?? 0;
  const skipped = place?.from === from ? place.skip : 0;
  return { from, skip: skipped + left.filter(({ oldestAt }) => oldestAt === from).length };
}

function totalsOf(outcome: SessionOutcome): Partial<CompactionTotals> {
  const { turns, quotes, bytes: bytesFreed, unsummarized, staying } = outcome;
  return {
    sessions: turns > 0 ? 1 : 0,
    turns,
    quotes,
    bytesFreed,
    unsummarized,
    waiting: staying === null ? 0 : 1,
  };
}

function count({ metrics }: RetentionPorts, outcome: SessionOutcome): void {
  const { turns, unsummarized, bytes, staying } = outcome;
  const counted = [
    ['Summarized', turns - unsummarized],
    ['Unsummarized', unsummarized],
  ] as const;
  for (const [kind, by] of counted) {
    if (by > 0) metrics.count('memory_compaction_turns_total', { outcome: kind }, by);
  }
  if (bytes > 0) metrics.count('memory_compaction_bytes_freed_total', {}, bytes);
  if (staying !== null)
    metrics.count('memory_compaction_sessions_waiting_total', { reason: staying });
}

/** Activity: appends the event of a compaction that did something, with counts. Repeatable. */
export async function endCompaction(
  { store, platform }: Pick<RetentionPorts, 'store' | 'platform'>,
  { tenant, eventId, totals }: contract.CompactEndInput,
): Promise<void> {
  if (!contract.hasCompacted(totals)) return;
  platform.log.info({ tenant, ...totals }, 'old turns compacted');
  // Nothing new is written for a tenant that was released meanwhile.
  if ((await policyToRefreshBy(store.policies, tenant)) === null) return;
  await store.events.append({
    tenant,
    id: eventId,
    at: platform.clock(),
    type: 'memory_compaction_completed',
    attributes: { ...totals },
  });
}
