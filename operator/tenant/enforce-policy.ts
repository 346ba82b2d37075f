/**
 * Enforces what a policy means for a tenant beyond its snapshot: the limits of its accounts, the
 * schedules of its dreams, and the due marks of its scopes. Checks each property separately and
 * writes only what differs, so the next run repairs a crash anywhere. A tenant with very many
 * scopes takes several runs. A run ends soon once it is no longer needed: before each write it
 * checks who leads, and with each page whether the policy is still in force.
 */
import { periodAfter, periodOf } from '#core/budget/budget-account.ts';
import { type TenantPolicy, isReleased } from '#core/records/policy.ts';
import type { Calendar } from '#core/ports/calendar.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import type { Account } from '#core/records/account.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { withDue } from '#core/refresh/scope-transitions.ts';
import { applyFunds } from '#core/refresh/retries-and-dead-letters.ts';
import { scheduleChanges, type ScheduleChange } from '#core/dreams/schedule-changes.ts';
import { duePolicyOf } from '#core/refresh/when-to-refresh.ts';

// Keeps the schedules of a tenant's dreams in the store as its policy declares them. It starts no
// dreams: the process that starts due dreams finds them by their records alone.
//
// Guarantees: writes only what differs, each record over the version that was read; a policy of an
// earlier generation changes nothing that a later one declared.

/** Every round writes the record too: one lost race is normal, five are not. */
const ATTEMPTS_MAX = 5;

interface DreamSchedulesContext extends Pick<
  EnforceContext,
  'platform' | 'calendar' | 'requireLeading'
> {
  readonly store: Pick<Store, 'dreamSchedules'>;
}

interface KeptSchedules {
  /** Schedules that were created, moved to another time or removed. */
  readonly changed: number;
  /** False if each attempt lost a race; the next run tries again. */
  readonly isComplete: boolean;
}

/** Brings the schedules to the policy. Call it only for a policy that is in force. */
export async function keepDreamSchedules(
  { policy, generation }: { policy: TenantPolicy; generation: number },
  context: DreamSchedulesContext,
): Promise<KeptSchedules> {
  const { store, platform, calendar } = context;
  const { tenant, dreams = [], leastIntervalMs } = policy;
  const declared = { tenant, dreams, generation, leastIntervalMs };
  let changed = 0;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const stored = await store.dreamSchedules.list(tenant);
    const moment = { now: platform.clock(), calendar, digest: platform.digest };
    const changes = scheduleChanges(declared, stored, moment);
    const written = await writeAll(changes, declared, context);
    changed += written.changed;
    if (written.lost === 0) return { changed, isComplete: true };
  }
  return { changed, isComplete: false };
}

async function writeAll(
  changes: readonly ScheduleChange[],
  declared: { readonly tenant: string; readonly generation: number },
  { store, requireLeading }: DreamSchedulesContext,
): Promise<{ changed: number; lost: number }> {
  const { tenant, generation } = declared;
  const { dreamSchedules } = store;
  let [changed, lost] = [0, 0];
  for (const change of changes) {
    requireLeading?.();
    const isPut = change.kind === 'Put';
    const isWritten = isPut
      ? await dreamSchedules.put(change.schedule)
      : await dreamSchedules.remove(tenant, change.name, generation);
    if (!isWritten) lost += 1;
    else if (!isPut || change.isMoved) changed += 1;
  }
  return { changed, lost };
}

/** Scopes of one page: a few hundred kilobytes. */
const SCOPES_PER_PAGE = 500;
/** A million scopes; further ones adopt the policy with their next write. */
const PAGES_MAX = 2_000;
/** Many processes write a scope, so a lost race is normal; five in a row are not. */
const REPLACE_ATTEMPTS_MAX = 5;
/** Limit of one run, far below the time after which a reconcile counts as hanging. */
const RUN_MS_MAX = 60_000;

/** The scope after which a run continues. */
export type ScopePlace = Pick<ScopeRecord, 'layer' | 'scopeId'>;

interface EnforceContext {
  readonly store: Pick<
    Store,
    'policies' | 'accounts' | 'scopes' | 'refreshRequests' | 'dreamSchedules'
  >;
  readonly platform: Platform;
  readonly calendar: Calendar;
  /** Once it is aborted, the run ends soon and is not complete. */
  readonly signal?: AbortSignal | undefined;
  /** Called before each write of a record. @throws VarveError if nothing may be written */
  readonly requireLeading?: () => void;
}

export interface EnforceResult {
  /** Whether the limits of a period were changed. */
  readonly isLimitChanged: boolean;
  /** Dreams whose time changed, or that were removed. */
  readonly dreamsMoved: number;
  /** Scopes whose due mark changed. */
  readonly rescheduled: number;
  /** Whether scopes are due now, so that a refresh is needed; the request is in the store. */
  readonly isRefreshRequested: boolean;
  /** False if scopes were left to the next run. */
  readonly isComplete: boolean;
  /** The scope after which the next run has to continue at once; null if it need not. */
  readonly goOnAfter: ScopePlace | null;
}

export const NOTHING_DONE: EnforceResult = {
  isLimitChanged: false,
  dreamsMoved: 0,
  rescheduled: 0,
  isRefreshRequested: false,
  isComplete: true,
  goOnAfter: null,
};

interface InForce {
  readonly policy: TenantPolicy;
  readonly generation: number;
  /** Where an earlier run of the same generation ended (`goOnAfter`). */
  readonly after?: ScopePlace | null;
}

/** Brings limits, dreams and due marks to the policy, and requests a refresh of what is due. */
export async function enforcePolicy(
  { policy, generation, after = null }: InForce,
  context: EnforceContext,
): Promise<EnforceResult> {
  const { tenant } = policy;
  const isLimitChanged = await setLimits({ policy, generation }, context);
  const dreams = await keepDreams({ policy, generation }, context);
  const due = await reschedule({ policy, generation, after }, context);
  // A tenant that waited for budget may have due scopes although no refresh checks them.
  const isAnyDue = due.isAnyDue || due.goOnAfter !== null;
  const isRefreshRequested = due.isMovedToNow || (isLimitChanged && isAnyDue);
  if (isRefreshRequested) await context.store.refreshRequests.want(tenant);
  return {
    isLimitChanged,
    dreamsMoved: dreams.changed,
    rescheduled: due.rescheduled,
    isRefreshRequested,
    isComplete: due.isComplete && dreams.isComplete,
    goOnAfter: due.goOnAfter,
  };
}

/**
 * Sets the limits of this and the next period, whose account a grant may have opened already.
 * Grants and spending stay. Returns whether the limits changed.
 */
async function setLimits(
  { policy, generation }: { policy: TenantPolicy; generation: number },
  context: EnforceContext,
): Promise<boolean> {
  const { accounts } = context.store;
  const { tenant, budget } = policy;
  const current = periodOf(context.platform.clock());
  let isChanged = false;
  for (const period of [current, periodAfter(current)]) {
    const account = await accounts.get(tenant, period, budget);
    const isSame =
      account.limitTokens === budget.limitTokens &&
      account.limitMicroDollars === budget.limitMicroDollars;
    if (isSame) continue;
    const limits = { ...budget, policyGeneration: generation };
    if (await accounts.setLimits(tenant, period, limits)) isChanged = true;
  }
  return isChanged;
}

async function keepDreams(inForce: InForce, context: EnforceContext): Promise<KeptSchedules> {
  const { policy, generation } = inForce;
  const isCurrent = await isInForce(context.store, policy.tenant, generation);
  return isCurrent ? keepDreamSchedules(inForce, context) : { changed: 0, isComplete: false };
}

/**
 * Sets the due marks of scopes. Scopes that wait for budget stop waiting if the limit has risen.
 */
async function reschedule(
  { policy, generation, after: start = null }: InForce,
  context: EnforceContext,
) {
  const { store, platform, signal, requireLeading } = context;
  const { tenant } = policy;
  const now = platform.clock();
  const account = await store.accounts.get(tenant, periodOf(now), policy.budget);
  let [rescheduled, lost, isMovedToNow, isAnyDue] = [0, 0, false, false];
  let after: ScopePlace | undefined = start ?? undefined;
  let [isWhole, isLate] = [false, false];
  const isStopped = (): boolean => isLate || signal?.aborted === true;
  for (let page = 0; page < PAGES_MAX && !isWhole && !isStopped(); page += 1) {
    if (!(await isInForce(store, tenant, generation))) break;
    const records = await store.scopes.list(tenant, SCOPES_PER_PAGE, after);
    for (const record of records) {
      isLate = platform.clock() - now >= RUN_MS_MAX;
      if (isStopped()) break;
      const rules = { policy, now, store, account, requireLeading };
      const { kind, dueAt } = await rescheduleScope(record, rules);
      after = { layer: record.layer, scopeId: record.scopeId };
      const isDue = dueAt !== null && dueAt <= now;
      isAnyDue ||= isDue;
      isMovedToNow ||= isDue && kind === 'Moved';
      if (kind === 'Moved') rescheduled += 1;
      if (kind === 'Lost') lost += 1;
    }
    isWhole = records.length < SCOPES_PER_PAGE && !isStopped();
  }
  if (lost > 0)
    platform.log.warn({ tenant, scopes: lost }, 'due times not set; the next round retries');
  // The next run would begin after the scopes that lost a race, so it starts over instead.
  const goOnAfter = isLate && lost === 0 ? (after ?? null) : null;
  const isComplete = isWhole && lost === 0;
  return { rescheduled, isMovedToNow, isAnyDue, isComplete, goOnAfter };
}

/** Without a record, there is no later policy that could be overwritten. */
async function isInForce(
  { policies }: Pick<Store, 'policies'>,
  tenant: string,
  generation: number,
): Promise<boolean> {
  const record = await policies.get(tenant);
  return record === null || (record.generation === generation && !isReleased(record));
}

/** Returns `Lost` if each attempt lost a race; the other writers set their own due mark. */
async function rescheduleScope(
  first: ScopeRecord,
  rules: {
    policy: TenantPolicy;
    now: number;
    store: EnforceContext['store'];
    account: Account;
    requireLeading: (() => void) | undefined;
  },
): Promise<{ kind: 'Same' | 'Moved' | 'Lost'; dueAt: number | null }> {
  const { scopes } = rules.store;
  let record = first;
  for (let attempt = 1; attempt <= REPLACE_ATTEMPTS_MAX; attempt += 1) {
    const funded = applyFunds(record, rules.account);
    const next = withDue(funded, duePolicyOf(rules.policy, record.layer), rules.now);
    const { dueAt } = next;
    if (record.dueAt === next.dueAt && record.dueTrigger === next.dueTrigger)
      return { kind: 'Same', dueAt };
    rules.requireLeading?.();
    const isWritten = await scopes.replace({ ...next, version: record.version + 1 });
    if (isWritten) return { kind: 'Moved', dueAt };
    const { tenant, layer, scopeId } = record;
    record = await scopes.get({ tenant, layer, scopeId });
  }
  return { kind: 'Lost', dueAt: record.dueAt };
}
