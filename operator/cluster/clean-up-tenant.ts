/**
 * Lets go of a tenant whose resource is being deleted.
 *
 * Flow: release the claim → end the open run → for Erase, delete in bounded steps, told in Ready
 * → the finaliser goes.
 * Guarantees: each step may be repeated; what is not there any more counts as done; a store that
 * does not answer blocks nothing but this resource, and its status says how to go on.
 */
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { Owner } from '#core/records/policy-record.ts';
import { DONE, type ReconcileResult } from '../queue/reconcile-result.ts';
import { erasingFinding } from './clean-up-findings.ts';
import { fenced, leadingEpoch, type ClusterContext } from './context.ts';
import { withoutFinalizer } from './finalizer.ts';
import type { TenantPlan } from './plan-tenant.ts';
import { writeReady } from './write-ready.ts';

/** Records of one step: as many as a store deletes in well under a second. */
const ERASED_PER_STEP_MAX = 1_000;
/** Steps between two looks at the resource, so that its status moves and others have a turn. */
const STEPS_MAX = 10;
const BETWEEN_STEPS_MS = 1_000;

export type CleanUpPlan = Extract<TenantPlan, { kind: 'LetGo' | 'Release' | 'Erase' }>;

interface Running {
  readonly context: ClusterContext;
  readonly signal: AbortSignal;
}

/** @throws VarveError CONFLICT where the resource changed meanwhile; what the store throws */
export async function cleanUpTenant(
  object: KubernetesObject,
  plan: CleanUpPlan,
  running: Running,
): Promise<ReconcileResult> {
  if (plan.kind === 'LetGo') {
    const isForced = plan.reason === 'ForceRelease';
    return letGo(object, isForced ? 'ForceReleased' : 'NothingHeld', running);
  }
  await release(plan, running.context);
  if (plan.kind === 'Release') return letGo(object, 'Released', running);
  const isErased = await erase(object, plan, running);
  if (!isErased) return { kind: 'RequeueAfter', ms: BETWEEN_STEPS_MS };
  running.context.erased.delete(plan.tenant);
  return letGo(object, 'Erased', running);
}

const NOTES = {
  ForceReleased: 'The resource went without clean-up, as its annotation asks; the claim may stand.',
  NothingHeld: 'Nothing of a tenant belonged to the resource.',
  Released: 'The tenant is free; its memories are kept and nothing is refreshed any more.',
  Erased: 'Everything of the tenant was deleted.',
} as const;

async function letGo(
  object: KubernetesObject,
  reason: keyof typeof NOTES,
  { context, signal }: Running,
): Promise<ReconcileResult> {
  await withoutFinalizer(object, { ...context, signal });
  context.recorder.record({
    regarding: object,
    type: reason === 'ForceReleased' ? 'Warning' : 'Normal',
    reason,
    action: 'CleanUp',
    note: NOTES[reason],
  });
  return DONE;
}

/** First of all, so that nothing is made anew while things are deleted. */
async function release(
  { tenant, owner }: { tenant: string; owner: Owner },
  context: ClusterContext,
): Promise<void> {
  const { store, platform, refreshes } = context;
  const write = { now: platform.clock(), epoch: leadingEpoch(context) };
  const released = await store.policies.release(tenant, owner, write);
  if (released.kind === 'Fenced') throw fenced(released.epoch);
  if (released.kind !== 'Released') return;
  await refreshes.end(tenant).catch((error: unknown) => {
    platform.log.warn({ tenant, error }, 'the open run is not ended; it finds nothing to do');
  });
}

/** Whether nothing is left. */
async function erase(
  object: KubernetesObject,
  { tenant, owner }: { tenant: string; owner: Owner },
  { context, signal }: Running,
): Promise<boolean> {
  const { store, platform, erased } = context;
  for (let step = 0; step < STEPS_MAX && !signal.aborted; step += 1) {
    const by = { owner, epoch: leadingEpoch(context) };
    const request = { limit: ERASED_PER_STEP_MAX, now: platform.clock(), by };
    const { deleted, isDone } = await store.eraseTenant(tenant, request);
    erased.set(tenant, (erased.get(tenant) ?? 0) + deleted);
    if (isDone) return true;
  }
  await writeReady(object, erasingFinding(erased.get(tenant) ?? 0), { context, signal });
  return false;
}
