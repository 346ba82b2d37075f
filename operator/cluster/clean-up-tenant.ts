/**
 * Releases a tenant whose resource is being deleted.
 *
 * Flow: release the claim → end the open run → for Erase, delete in bounded steps and report
 * progress in Ready; if work was under way, wait until it ends and delete what it left → remove the
 * finalizer.
 * Guarantees: the record of the release stays until no work for the tenant can be under way, so no
 * activity writes for it after the last step; each step can be repeated; what is already gone
 * counts as done; a store that does not answer blocks only this resource, whose status says how to
 * continue.
 */
import type { KubernetesApi, KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { VarveError } from '#core/errors.ts';
import type { PolicyRelease } from '#core/ports/policy-records.ts';
import type { Owner } from '#core/records/policy.ts';
import { UNDER_WAY_MS_MAX } from '#core/refresh/refresh-contract.ts';
import { MEMORY_TENANT } from '#crds/resource-types.ts';
import { DONE, type ReconcileResult } from '../queue/reconcile-result.ts';
import { TENANT_FINALIZER, placeOfObject } from '../tenant/metadata-and-conditions.ts';
import type { TenantPlan } from '../tenant/plan-tenant.ts';
import { erasingCondition, underWayCondition } from './tenant-conditions.ts';
import type { ClusterContext, OperatorStore } from './cluster-context.ts';
import { fencedError, leadingEpoch, type Leadership } from './leader-fence.ts';
import { writeReady } from './status-writer.ts';

/** Records deleted in one step: a store deletes that many in well under a second. */
const ERASED_PER_STEP_MAX = 1_000;
/** Steps of one reconcile. After them the status is updated and other resources have a turn. */
const STEPS_MAX = 10;
const BETWEEN_STEPS_MS = 1_000;
/** Interval between two checks of a tenant whose running work must end first. */
const WAIT_MS_MAX = 30_000;

type CleanUpPlan = Extract<TenantPlan, { kind: 'Orphan' | 'Release' | 'Erase' }>;

export type StoreCleanUp = Exclude<CleanUpPlan, { kind: 'Orphan' }> & ReleaseTerms;

/** What a folder adds to a release; a cluster has a finalizer that repeats it. */
type ReleaseTerms = Pick<PolicyRelease, 'generation' | 'erasesAt'>;

type StoreContext = Pick<ClusterContext, 'leadership' | 'platform' | 'refreshes' | 'erased'> & {
  readonly store: Pick<OperatorStore, 'policies' | 'eraseTenant'>;
};

type CleanUpContext = StoreContext &
  Pick<ClusterContext, 'recorder' | 'statuses'> & { readonly api: Pick<KubernetesApi, 'patch'> };

interface Running {
  readonly context: CleanUpContext;
  readonly signal: AbortSignal;
}

/** @throws VarveError CONFLICT if the resource changed meanwhile; errors of the store */
export async function cleanUpTenant(
  object: KubernetesObject,
  plan: CleanUpPlan,
  running: Running,
): Promise<ReconcileResult> {
  if (plan.kind === 'Orphan') {
    const isForced = plan.reason === 'ForceRelease';
    return removeFinalizer(object, isForced ? 'ForceReleased' : 'NothingHeld', running);
  }
  const { context, signal } = running;
  const done = await cleanUpStore(plan, running);
  if (done.kind === 'Released' || done.kind === 'Erased')
    return removeFinalizer(object, done.kind, running);
  const finding = done.kind === 'Erasing' ? erasingCondition(done.deleted) : underWayCondition();
  await writeReady(object, finding, { context, signal });
  return { kind: 'RequeueAfter', ms: done.againMs };
}

/** The outcome of the cleanup in the store. */
export type CleanedUp =
  | { readonly kind: 'Released' }
  | { readonly kind: 'Erased' }
  /** `deleted`: records deleted so far. `againMs`: when to continue. */
  | { readonly kind: 'Erasing'; readonly deleted: number; readonly againMs: number }
  /** Everything is deleted, but work under way may still write. */
  | { readonly kind: 'UnderWay'; readonly againMs: number };

/** Does the same for a folder, whose resources have neither finalizer nor status. Repeatable. */
export async function cleanUpStore(
  plan: StoreCleanUp,
  { context, signal }: { readonly context: StoreContext; readonly signal: AbortSignal },
): Promise<CleanedUp> {
  const { tenant } = plan;
  const quietAt = await release(plan, context);
  if (plan.kind === 'Release') return { kind: 'Released' };
  const waitMs = quietAt - context.platform.clock();
  const isErased = await erase({ ...plan, keepsPolicy: waitMs > 0 }, context, signal);
  if (!isErased) {
    const deleted = context.erased.get(tenant) ?? 0;
    return { kind: 'Erasing', deleted, againMs: BETWEEN_STEPS_MS };
  }
  if (waitMs > 0) return { kind: 'UnderWay', againMs: Math.min(waitMs, WAIT_MS_MAX) };
  context.erased.delete(tenant);
  return { kind: 'Erased' };
}

const NOTES = {
  ForceReleased: 'The resource went without cleanup, as its annotation asks; its claim may remain.',
  NothingHeld: 'The resource owned no data of a tenant.',
  Released: 'The tenant is released; its memories are kept, and nothing is refreshed anymore.',
  Erased: 'Everything of the tenant was deleted.',
} as const;

async function removeFinalizer(
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

/**
 * Ends the claim before anything is deleted, so that no new work begins. Returns when all earlier
 * work has ended, in milliseconds since the epoch; 0 if there was none.
 * @throws VarveError CONFLICT if another generation was claimed meanwhile
 */
export async function release(
  { tenant, owner, generation, erasesAt }: { tenant: string; owner: Owner } & ReleaseTerms,
  context: Omit<StoreContext, 'erased'>,
): Promise<number> {
  const { store, platform } = context;
  const write = { now: platform.clock(), epoch: leadingEpoch(context), generation, erasesAt };
  const released = await store.policies.release(tenant, owner, write);
  if (released.kind === 'Fenced') throw fencedError(released.epoch);
  if (released.kind === 'Changed') {
    throw new VarveError(
      'CONFLICT',
      'Another process claimed the tenant at the same time; it is reconciled again.',
    );
  }
  if (released.kind !== 'Released' && released.kind !== 'Unchanged') return 0;
  // Also ends the run of a tenant that was released before: an earlier attempt may have failed.
  const { releasedAt } = released.record;
  const endedAt = await endRun(tenant, context);
  return endedAt === null ? 0 : Math.min(endedAt, releasedAt ?? endedAt) + UNDER_WAY_MS_MAX;
}

/**
 * Returns when the open run ended; null if there was none. Infinity if the call fails: the time of
 * the release counts then, since no work begins for a released tenant.
 */
async function endRun(
  tenant: string,
  { platform, refreshes }: Pick<StoreContext, 'platform' | 'refreshes'>,
): Promise<number | null> {
  try {
    return await refreshes.end(tenant);
  } catch (error) {
    platform.log.warn({ tenant, error }, 'failed to end the open run; it finds nothing to do');
    return Infinity;
  }
}

/** Deletes in steps. Returns whether nothing is left. */
async function erase(
  { tenant, owner, keepsPolicy }: { tenant: string; owner: Owner; keepsPolicy: boolean },
  context: StoreContext,
  signal: AbortSignal,
): Promise<boolean> {
  const { store, platform, erased } = context;
  for (let step = 0; step < STEPS_MAX && !signal.aborted; step += 1) {
    const by = { owner, epoch: leadingEpoch(context) };
    const request = { limit: ERASED_PER_STEP_MAX, now: platform.clock(), by, keepsPolicy };
    const { deleted, isDone } = await store.eraseTenant(tenant, request);
    erased.set(tenant, (erased.get(tenant) ?? 0) + deleted);
    if (isDone) return true;
  }
  return false;
}

interface FinalizerWrite {
  readonly api: Pick<KubernetesApi, 'patch'>;
  readonly leadership: Leadership;
  readonly signal: AbortSignal;
}

/**
 * Returns the resource with the finalizer; writes only if it was missing.
 * @throws VarveError CONFLICT if the resource has another version by now
 */
export async function withFinalizer(
  object: KubernetesObject,
  write: FinalizerWrite,
): Promise<KubernetesObject> {
  const finalizers = object.metadata.finalizers ?? [];
  if (finalizers.includes(TENANT_FINALIZER)) return object;
  return withFinalizers(object, [...finalizers, TENANT_FINALIZER], write);
}

/**
 * Removes the finalizer, so that the resource can go unless it has others.
 * @throws VarveError CONFLICT if the resource has another version by now, NOT_FOUND if it is gone
 */
async function withoutFinalizer(object: KubernetesObject, write: FinalizerWrite): Promise<void> {
  const finalizers = object.metadata.finalizers ?? [];
  if (!finalizers.includes(TENANT_FINALIZER)) return;
  const others = finalizers.filter((name) => name !== TENANT_FINALIZER);
  await withFinalizers(object, others, write);
}

async function withFinalizers(
  object: KubernetesObject,
  finalizers: readonly string[],
  { api, leadership, signal }: FinalizerWrite,
): Promise<KubernetesObject> {
  leadingEpoch({ leadership });
  // The server compares the version in the patch and answers with a clean conflict.
  const version = object.metadata.resourceVersion ?? '';
  const operations = [
    { op: 'add', path: '/metadata/finalizers', value: finalizers },
    { op: 'replace', path: '/metadata/resourceVersion', value: version },
  ] as const;
  return api.patch(MEMORY_TENANT, placeOfObject(object), { operations, options: { signal } });
}
