/**
 * Carries out what was planned for the policy of a tenant.
 *
 * Flow: finaliser → snapshot → event → limits → dreams → due marks → wake.
 * Guarantees: each step looks at its own property and writes only where it differs, so a death
 * between any two is mended by the next run, that before the event too; every write carries the
 * fence of the term.
 */
import { VarveError } from '#core/errors.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { OperatorMetrics } from '#core/ports/operator-metrics.ts';
import type { PutPolicyResult } from '#core/ports/policy-records.ts';
import { isReleased, type PolicyRecord } from '#core/records/policy-record.ts';
import { carryOut, type CarriedOut } from '../carry-out.ts';
import { ensurePolicyEvent } from '../policy-event.ts';
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
  // That of the policy which is replaced, too: nobody else looks for it afterwards.
  if (seen.record !== null) await ensureEvent(seen.record, context);
  const put = plan.kind === 'Apply' ? await putPolicy(plan, context) : null;
  if (put?.kind === 'Claimed') {
    const wasReleased = isReleased(seen.record);
    const outcome = { kind: 'Claimed', owner: put.owner, isReleased: wasReleased } as const;
    return { object, outcome, record: null, isCarriedOut: true };
  }
  const record = put === null ? seen.record : put.record;
  // Of what was known, nothing holds for another generation, even one that says the same again.
  if (put?.kind === 'Applied') context.settled.delete(plan.tenant);
  if (put !== null) await ensureEvent(put.record, context);
  if (put?.kind === 'Applied') tellApplied(object, { plan, record: put.record }, context);
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

/** A policy that this process has carried out has its event. */
async function ensureEvent(
  record: PolicyRecord,
  { store, platform, settled }: ClusterContext,
): Promise<void> {
  if (settled.isKnown(record.tenant, record.hash)) return;
  const { digest, clock } = platform;
  await ensurePolicyEvent(record, store, { digest, now: clock() });
}

function tellApplied(
  object: KubernetesObject,
  { plan, record }: { plan: PolicyPlan; record: PolicyRecord },
  { recorder, metrics }: ClusterContext,
): void {
  const { generation } = record;
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

/** What another changed since this process had carried the same policy out. */
function countDrift(
  { isLimitChanged, dreamsMoved }: CarriedOut,
  metrics: Pick<OperatorMetrics, 'count'>,
): void {
  if (isLimitChanged) metrics.count('drift_corrected_total', { what: 'limits' });
  for (let moved = 0; moved < dreamsMoved; moved += 1) {
    metrics.count('drift_corrected_total', { what: 'dream' });
  }
}

/**
 * Limits, dreams and due marks, unless this process has seen to them a while ago. False where
 * scopes are left that the next run has to go on with at once.
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
  const { store, calendar } = context;
  const { generation } = record;
  const after = settled.goesOnAfter(tenant, hash);
  const run = { store, platform, calendar, signal, requireLeading };
  const carried = await carryOut({ policy, generation, after }, run);
  settled.begun(tenant, hash, carried.goOnAfter);
  if (plan.kind === 'Keep' && settled.isKnown(tenant, hash)) countDrift(carried, metrics);
  if (carried.isWoken) {
    await refreshes.wake(tenant).catch((error: unknown) => {
      platform.log.warn({ tenant, error }, 'wake not delivered; the tick will find it');
    });
  }
  if (carried.isComplete) settled.done(tenant, { hash, now, random: context.waiting.random() });
  return carried.goOnAfter === null;
}
