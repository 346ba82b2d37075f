/**
 * Enforces the plan for the policy of one tenant.
 *
 * Flow: finalizer → snapshot → event → limits → dreams → due marks → refresh request.
 * Guarantees: each step checks its own property and writes only if it differs, so the next run
 * repairs a crash between any two steps, including one before the event; every write carries the
 * epoch of the term.
 */
import { VarveError } from '#core/errors.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { PutPolicyResult } from '#core/ports/policy-records.ts';
import { FOLDER_CLUSTER, isReleased, type PolicyRecord } from '#core/records/policy.ts';
import { enforcePolicy, NOTHING_DONE, type EnforceResult } from '../tenant/enforce-policy.ts';
import { ensurePolicyEvent } from '../tenant/policy-changes.ts';
import type { ClusterContext, OperatorStore } from './cluster-context.ts';
import { fencedError, leadingEpoch } from './leader-fence.ts';
import type { TenantPlan } from '../tenant/plan-tenant.ts';
import type { TenantOutcome } from './tenant-conditions.ts';

export interface AppliedTenant {
  /** The object after the finalizer was added. */
  readonly object: KubernetesObject;
  readonly outcome: TenantOutcome;
  readonly record: PolicyRecord | null;
  /** False if the next run has to continue at once. */
  readonly isEnforced: boolean;
}

type PolicyPlan = Extract<TenantPlan, { kind: 'Apply' | 'Keep' }>;

/** The part of the context that a policy is applied with. A cluster and a folder both have it. */
type PolicyContext = Pick<
  ClusterContext,
  'platform' | 'calendar' | 'metrics' | 'recorder' | 'leadership' | 'refreshes' | 'enforcedPolicies'
> & {
  readonly store: Pick<
    OperatorStore,
    'policies' | 'accounts' | 'scopes' | 'refreshRequests' | 'events' | 'dreamSchedules'
  >;
  readonly timers: Pick<ClusterContext['timers'], 'random'>;
};

interface Running {
  readonly context: PolicyContext;
  readonly signal: AbortSignal;
}

/** What another process had changed; one entry for each corrected property. */
export type Drift = 'policy' | 'limits' | 'dream';

interface AppliedPolicy extends AppliedTenant {
  /** Whether this run put the policy into force. */
  readonly isNew: boolean;
  readonly carried: EnforceResult;
  readonly drift: readonly Drift[];
}

/**
 * Applies a policy. In a cluster, the resource has its finalizer by then.
 * @throws VarveError CONFLICT if another process wrote at the same time; errors of the store
 */
export async function applyPolicy(
  { object, record: before }: { object: KubernetesObject; record: PolicyRecord | null },
  plan: PolicyPlan,
  { context, signal }: Running,
): Promise<AppliedPolicy> {
  // The replaced policy needs its event too: no later reconcile checks for it.
  if (before !== null) await ensureEvent(before, context);
  const put = plan.kind === 'Apply' ? await putPolicy(plan, context) : null;
  if (put?.kind === 'Claimed') {
    const wasReleased = isReleased(before);
    const outcome = { kind: 'Claimed', owner: put.owner, isReleased: wasReleased } as const;
    return { ...NOTHING_APPLIED, object, outcome, record: null };
  }
  const record = put === null ? before : put.record;
  // What is known holds for one generation only, even if the next one declares the same.
  const isNew = put?.kind === 'Applied';
  if (isNew) context.enforcedPolicies.delete(plan.tenant);
  if (put !== null) await ensureEvent(put.record, context);
  if (isNew) reportApplied(object, { plan, record: put.record }, context);
  const outcome = { kind: 'InForce', applied: plan.applied } as const;
  if (record === null) return { ...NOTHING_APPLIED, object, outcome, record };
  const { carried, drift } = await settle(plan, record, { context, signal });
  const all = isNew && isDrifted(plan) ? (['policy', ...drift] as const) : drift;
  const isEnforced = carried.goOnAfter === null;
  return { object, outcome, record, isEnforced, isNew, carried, drift: all };
}

const NOTHING_APPLIED = { isEnforced: true, isNew: false, carried: NOTHING_DONE, drift: [] };

type PutPolicy = Exclude<PutPolicyResult, { kind: 'Fenced' | 'Changed' }>;

async function putPolicy(
  plan: Extract<PolicyPlan, { kind: 'Apply' }>,
  context: PolicyContext,
): Promise<PutPolicy> {
  const { store, platform } = context;
  const { owner, policy, hash, expectedGeneration, takesOver, tenant } = plan;
  const now = platform.clock();
  if (takesOver !== null) {
    const epoch = leadingEpoch(context);
    const released = await store.policies.release(tenant, takesOver, { now, epoch });
    if (released.kind === 'Fenced') throw fencedError(released.epoch);
  }
  // A folder's owner also owns the machine, so only in a cluster are earlier memories kept from
  // erasure.
  const isFirst = expectedGeneration === null && owner.cluster !== FOLDER_CLUSTER;
  const hadMemories = isFirst && (await store.scopes.list(tenant, 1)).length > 0;
  const write = { hash, now, epoch: leadingEpoch(context), expectedGeneration, hadMemories };
  const put = await store.policies.put(owner, policy, write);
  if (put.kind === 'Fenced') throw fencedError(put.epoch);
  if (put.kind === 'Changed') {
    throw new VarveError(
      'CONFLICT',
      'Another process wrote the policy at the same time; it is reconciled again.',
    );
  }
  return put;
}

/** Puts the event of a policy, unless this process enforced the policy, which implies the event. */
async function ensureEvent(
  record: PolicyRecord,
  { store, platform, enforcedPolicies }: PolicyContext,
): Promise<void> {
  if (enforcedPolicies.isKnown(record.tenant, record.hash)) return;
  const { digest, clock } = platform;
  await ensurePolicyEvent(record, store, { digest, now: clock() });
}

function reportApplied(
  object: KubernetesObject,
  { plan, record }: { plan: PolicyPlan; record: PolicyRecord },
  { recorder, metrics }: PolicyContext,
): void {
  const { generation } = record;
  const isDrift = isDrifted(plan);
  if (isDrift) metrics.count('drift_corrected_total', { what: 'policy' });
  const why = plan.kind === 'Apply' ? plan.reason : '';
  recorder.record({
    regarding: object,
    type: 'Normal',
    reason: isDrift ? 'DriftCorrected' : 'PolicyApplied',
    action: 'ApplyPolicy',
    note: `Generation ${String(generation)} of the policy is in force. ${why}`,
  });
}

function isDrifted(plan: PolicyPlan): boolean {
  return plan.kind === 'Apply' && plan.isDrift;
}

/** Returns what another process changed since this process enforced the same policy. */
function driftOf({ isLimitChanged, dreamsMoved }: EnforceResult): readonly Drift[] {
  const dreams = Array.from({ length: dreamsMoved }, () => 'dream' as const);
  return isLimitChanged ? ['limits', ...dreams] : dreams;
}

/** Enforces limits, dreams and due marks, unless this process did so recently. */
async function settle(
  plan: PolicyPlan,
  record: PolicyRecord,
  { context, signal }: Running,
): Promise<Pick<AppliedPolicy, 'carried' | 'drift'>> {
  const { tenant, policy, hash } = plan;
  const { enforcedPolicies, platform, metrics, refreshes } = context;
  const now = platform.clock();
  const isDue = enforcedPolicies.isDue(tenant, hash, now);
  if (!isDue) return { carried: NOTHING_DONE, drift: [] };
  const requireLeading = (): void => void leadingEpoch(context);
  requireLeading();
  const { store, calendar } = context;
  const { generation } = record;
  const after = enforcedPolicies.goesOnAfter(tenant, hash);
  const run = { store, platform, calendar, signal, requireLeading };
  const carried = await enforcePolicy({ policy, generation, after }, run);
  enforcedPolicies.begun(tenant, hash, carried.goOnAfter);
  const isKnown = plan.kind === 'Keep' && enforcedPolicies.isKnown(tenant, hash);
  const drift = isKnown ? driftOf(carried) : [];
  for (const what of drift) metrics.count('drift_corrected_total', { what });
  if (carried.isRefreshRequested) {
    await refreshes.notify(tenant).catch((error: unknown) => {
      platform.log.warn({ tenant, error }, 'refresh request not delivered; the tick will find it');
    });
  }
  if (carried.isComplete)
    enforcedPolicies.done(tenant, { hash, now, random: context.timers.random() });
  return { carried, drift };
}
