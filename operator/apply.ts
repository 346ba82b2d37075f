/**
 * Apply: carries out a plan through the store. The last of three steps.
 *
 * Flow: policy → event → limits of the current period → due marks → wake.
 * Guarantees: a repetition writes nothing once all of it is done; a death in between is mended by
 * the next run, which looks at limits and due marks even where the policy is in place.
 */
import { periodAfter, periodOf } from '#core/budget.ts';
import type { DuePolicy } from '#core/due.ts';
import { VarveError } from '#core/errors.ts';
import type { TenantPolicy } from '#core/policy.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import type { Account } from '#core/records/account.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { withDue } from '#core/scope-change.ts';
import { applyFunds } from '#core/scope-failure.ts';
import type { Outcome } from './outcome.ts';
import type { Action, ApplyPolicy, Keep, Plan } from './plan.ts';

/** Scopes of a tenant that are looked at; further ones take the policy with their next write. */
const SCOPES_MAX = 10_000;
/** A scope is written by everybody, so a lost race is ordinary; five in a row are not. */
const REPLACE_ATTEMPTS_MAX = 5;

export type PolicyStore = Pick<Store, 'policies' | 'accounts' | 'scopes' | 'wakes' | 'events'>;

export interface ApplyContext {
  readonly store: PolicyStore;
  readonly platform: Platform;
  /**
   * Hash of the policy that this process has carried out to the end, by tenant. Owned by the caller
   * and kept as long as it reconciles; saves reading every scope when nothing changed.
   */
  readonly settled: Map<string, string>;
}

/** Tenants one after the other; one that fails is an outcome and does not hold up the others. */
export async function applyPlan(plan: Plan, context: ApplyContext): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const action of plan.actions) {
    try {
      outcomes.push(await applyAction(action, context));
    } catch (error) {
      if (!(error instanceof VarveError)) throw error;
      const { code, message } = error;
      outcomes.push({ kind: 'Failed', tenant: action.tenant, code, message });
    }
  }
  return outcomes;
}

async function applyAction(action: Action, context: ApplyContext): Promise<Outcome> {
  if (action.kind === 'ApplyPolicy') return applyPolicy(action, context);
  if (action.kind === 'Keep') return keepPolicy(action, context);
  const { tenant, owner } = action;
  return { kind: action.kind === 'Refuse' ? 'Refused' : 'Orphaned', tenant, owner };
}

async function applyPolicy(action: ApplyPolicy, context: ApplyContext): Promise<Outcome> {
  const { store, platform } = context;
  const { tenant, owner, policy, hash, reason } = action;
  const put = await store.policies.put(owner, policy, { hash, now: platform.clock() });
  if (put.kind === 'Claimed') return { kind: 'Refused', tenant, owner: put.owner };
  const { generation } = put.record;
  if (put.kind === 'Applied') {
    await store.events.append({
      tenant,
      id: platform.newId(),
      at: platform.clock(),
      type: 'memory_policy_applied',
      attributes: { generation, hash, owner: owner.uid },
    });
  }
  const carried = await carryOut(action, context);
  return { kind: 'Applied', tenant, generation, reason, ...carried };
}

async function keepPolicy(action: Keep, context: ApplyContext): Promise<Outcome> {
  const { tenant, hash } = action;
  const isSettled = context.settled.get(tenant) === hash;
  const carried = isSettled ? NOTHING_DONE : await carryOut(action, context);
  return { kind: 'Kept', tenant, ...carried };
}

interface CarriedOut {
  readonly rescheduled: number;
  readonly isWoken: boolean;
}

const NOTHING_DONE: CarriedOut = { rescheduled: 0, isWoken: false };

/** Brings limits and due marks to where the policy has them; writes only what differs. */
async function carryOut(action: ApplyPolicy | Keep, context: ApplyContext): Promise<CarriedOut> {
  const { store, settled } = context;
  const { tenant, policy, hash } = action;
  const isLimitChanged = await setLimits(policy, context);
  const due = await reschedule(policy, context);
  // A tenant that stood still for want of budget has due scopes and nobody who looks at them.
  const isWoken = due.isMovedToNow || (isLimitChanged && due.isAnyDue);
  if (isWoken) await store.wakes.want(tenant);
  if (due.isComplete) settled.set(tenant, hash);
  return { rescheduled: due.rescheduled, isWoken };
}

/**
 * Answers whether the limits were other ones. Grants and what was spent stay as they are. The next
 * period too, whose account a grant may have opened already.
 */
async function setLimits(policy: TenantPolicy, context: ApplyContext): Promise<boolean> {
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
    await accounts.setLimits(tenant, period, budget);
    isChanged = true;
  }
  return isChanged;
}

interface Rescheduling {
  readonly rescheduled: number;
  readonly isMovedToNow: boolean;
  readonly isAnyDue: boolean;
  readonly isComplete: boolean;
}

/** Scopes that wait for budget wait no longer where the limit is a higher one. */
async function reschedule(policy: TenantPolicy, context: ApplyContext): Promise<Rescheduling> {
  const { store, platform } = context;
  const { tenant } = policy;
  const now = platform.clock();
  const account = await store.accounts.get(tenant, periodOf(now), policy.budget);
  const records = await store.scopes.list(tenant, SCOPES_MAX);
  if (records.length === SCOPES_MAX) {
    platform.log.warn({ tenant, scopes: SCOPES_MAX }, 'Further scopes keep their due times.');
  }
  let [rescheduled, lost] = [0, 0];
  let [isMovedToNow, isAnyDue] = [false, false];
  for (const record of records) {
    const { kind, dueAt } = await rescheduleScope(record, { policy, now, store, account });
    const isDue = dueAt !== null && dueAt <= now;
    isAnyDue ||= isDue;
    isMovedToNow ||= isDue && kind === 'Moved';
    if (kind === 'Moved') rescheduled += 1;
    if (kind === 'Lost') lost += 1;
  }
  if (lost > 0) platform.log.warn({ tenant, scopes: lost }, 'Due times are set in the next round.');
  return { rescheduled, isMovedToNow, isAnyDue, isComplete: lost === 0 };
}

/** `Lost` where others wrote the record each time; what they wrote has its own due mark. */
async function rescheduleScope(
  first: ScopeRecord,
  rules: { policy: TenantPolicy; now: number; store: PolicyStore; account: Account },
): Promise<{ kind: 'Same' | 'Moved' | 'Lost'; dueAt: number | null }> {
  const { scopes } = rules.store;
  let record = first;
  for (let attempt = 1; attempt <= REPLACE_ATTEMPTS_MAX; attempt += 1) {
    const funded = applyFunds(record, rules.account);
    const next = withDue(funded, duePolicyOf(rules.policy, record), rules.now);
    const { dueAt } = next;
    if (isSameDue(record, next)) return { kind: 'Same', dueAt };
    const isWritten = await scopes.replace({ ...next, version: record.version + 1 });
    if (isWritten) return { kind: 'Moved', dueAt };
    const { tenant, layer, scopeId } = record;
    record = await scopes.get({ tenant, layer, scopeId });
  }
  return { kind: 'Lost', dueAt: record.dueAt };
}

function duePolicyOf(policy: TenantPolicy, { layer }: ScopeRecord): DuePolicy {
  return { layer: policy.layers[layer], urgentDebounceMs: policy.urgentDebounceMs };
}

function isSameDue(a: ScopeRecord, b: ScopeRecord): boolean {
  return a.dueAt === b.dueAt && a.dueTrigger === b.dueTrigger;
}
