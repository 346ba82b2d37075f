/**
 * Carries out what was planned for the policy of a tenant.
 *
 * Flow: finaliser → snapshot → event → limits → due marks → wake.
 * Guarantees: each step looks at its own property and writes only where it differs, so a death
 * between any two is mended by the next run; every write carries the fence of the term.
 */
import { VarveError } from '#core/errors.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { PutPolicyResult } from '#core/ports/policy-records.ts';
import { isReleased, type PolicyRecord } from '#core/records/policy-record.ts';
import { carryOut } from '../carry-out.ts';
import { fenced, leadingEpoch, type ClusterContext } from './context.ts';
import { withFinalizer } from './finalizer.ts';
import type { TenantPlan } from './plan-tenant.ts';
import type { TenantOutcome } from './tenant-findings.ts';

export interface AppliedTenant {
  /** As it is after the finaliser. */
  readonly object: KubernetesObject;
  readonly outcome: TenantOutcome;
  readonly record: PolicyRecord | null;
  /** False where the next run has to go on at once. */
  readonly isCarriedOut: boolean;
}

type PolicyPlan = Extract<TenantPlan, { kind: 'Apply' | 'Keep' }>;

/** @throws VarveError CONFLICT where somebody else wrote at the same time; what the store throws */
export async function applyTenant(
  seen: { object: KubernetesObject; record: PolicyRecord | null },
  plan: PolicyPlan,
  { context, signal }: { context: ClusterContext; signal: AbortSignal },
): Promise<AppliedTenant> {
  const object = await withFinalizer(seen.object, { ...context, signal });
  const put = plan.kind === 'Apply' ? await putPolicy(plan, context) : null;
  if (put?.kind === 'Claimed') {
    const wasReleased = isReleased(seen.record);
    const outcome = { kind: 'Claimed', owner: put.owner, isReleased: wasReleased } as const;
    return { object, outcome, record: null, isCarriedOut: true };
  }
  const record = put === null ? seen.record : put.record;
  if (put?.kind === 'Applied') await tellApplied(object, { plan, record: put.record }, context);
  const isCarriedOut = record === null || (await settle(plan, record, { context, signal }));
  return { object, outcome: { kind: 'InForce' }, record, isCarriedOut };
}

type PutPolicy = Exclude<PutPolicyResult, { kind: 'Fenced' | 'Changed' }>;

async function putPolicy(
  plan: Extract<PolicyPlan, { kind: 'Apply' }>,
  context: ClusterContext,
): Promise<PutPolicy> {
  const { store, platform } = context;
  const { owner, policy, hash, expectedGeneration, takesOver, tenant } = plan;
  const now = platform.clock();
  if (takesOver !== null) {
    const epoch = leadingEpoch(context);
    const released = await store.policies.release(tenant, takesOver, { now, epoch });
    if (released.kind === 'Fenced') throw fenced(released.epoch);
  }
  const write = { hash, now, epoch: leadingEpoch(context), expectedGeneration };
  const put = await store.policies.put(owner, policy, write);
  if (put.kind === 'Fenced') throw fenced(put.epoch);
  if (put.kind === 'Changed') {
    throw new VarveError('CONFLICT', 'Somebody else wrote the policy. It is looked at again.');
  }
  return put;
}

async function tellApplied(
  object: KubernetesObject,
  { plan, record }: { plan: PolicyPlan; record: PolicyRecord },
  { store, platform, recorder, metrics }: ClusterContext,
): Promise<void> {
  const { tenant, owner, generation, hash } = record;
  await store.events.append({
    tenant,
    id: platform.newId(),
    at: platform.clock(),
    type: 'memory_policy_applied',
    attributes: { generation, hash, owner: owner.uid },
  });
  const isDrift = plan.kind === 'Apply' && plan.isDrift;
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

/**
 * Limits and due marks, unless this process has seen to them a while ago. False where scopes are
 * left that the next run has to go on with at once.
 */
async function settle(
  plan: PolicyPlan,
  record: PolicyRecord,
  { context, signal }: { context: ClusterContext; signal: AbortSignal },
): Promise<boolean> {
  const { tenant, policy, hash } = plan;
  const { settled, platform, metrics, refreshes } = context;
  const now = platform.clock();
  const isDue = settled.isDue(tenant, hash, now);
  if (!isDue) return true;
  const requireLeading = (): void => void leadingEpoch(context);
  requireLeading();
  const { store } = context;
  const { generation } = record;
  const after = settled.goesOnAfter(tenant, hash);
  const run = { store, platform, signal, requireLeading };
  const carried = await carryOut({ policy, generation, after }, run);
  settled.begun(tenant, hash, carried.goOnAfter);
  const isDrift = carried.isLimitChanged && plan.kind === 'Keep' && settled.isKnown(tenant, hash);
  if (isDrift) metrics.count('drift_corrected_total', { what: 'limits' });
  if (carried.isWoken) {
    await refreshes.wake(tenant).catch((error: unknown) => {
      platform.log.warn({ tenant, error }, 'wake not delivered; the tick will find it');
    });
  }
  if (carried.isComplete) settled.done(tenant, { hash, now, random: context.waiting.random() });
  return carried.goOnAfter === null;
}
