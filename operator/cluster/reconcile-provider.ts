/**
 * One ModelProvider: its compiled spec in the store, for the workers, and what they found in its
 * status. No Secret is read here. It has no finaliser: what is left in the store of a resource that
 * is gone is found at every start and in every round.
 */
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import type { Owner } from '#core/records/policy-record.ts';
import { MODEL_PROVIDER } from '#crds/resource-types.ts';
import {
  DONE,
  type ReconcileRequest,
  type ReconcileResult,
  resourceFields,
  DURING_OUTAGE_MS,
} from '../queue/reconcile-result.ts';
import { conditionsIn, placeOf, placeOfKey } from '../tenant/metadata-and-conditions.ts';
import type { ClusterContext, OperatorStore } from './cluster-context.ts';
import { fenced, leadingEpoch } from './fence.ts';
import {
  planProvider,
  providerConditionsWithoutStore,
  providerStatus,
  type ProviderPlan,
} from './provider-conditions.ts';
import { isLastingOutage, providerOutage } from './tenant-status.ts';
import { writeConditions, writeStatus } from './status-writer.ts';

/** Workers ask the endpoint from time to time; their word reaches the status with this pause. */
const LOOK_AGAIN_MS = 30_000;
const LOOK_AGAIN_SPREAD_MS = 30_000;

export function createProviderReconcile(
  context: ClusterContext,
): (request: ReconcileRequest) => Promise<ReconcileResult> {
  return async ({ key, attempt, signal }) => {
    const object = context.lister.provider(key);
    try {
      await context.fence.ensure();
      if (object === null) return await removeLeftOver(key, context);
      return await reconcileProvider(object, context, signal);
    } catch (error) {
      if (object === null || !isLastingOutage(error, attempt)) throw error;
      context.platform.log.warn(
        { ...resourceFields(key), code: error.code },
        `tried again later. ${error.message}`,
      );
      const lister = seenProvider(object, context);
      const { digest } = context.platform;
      const findings = providerConditionsWithoutStore(lister, providerOutage(error), digest);
      await writeConditions({ type: MODEL_PROVIDER, object, findings }, { context, signal });
      return { kind: 'RequeueAfter', ms: DURING_OUTAGE_MS };
    }
  };
}

function seenProvider(object: KubernetesObject, { lister, releaseNamespace }: ClusterContext) {
  return { object, reading: lister.readProvider(object), releaseNamespace };
}

async function reconcileProvider(
  object: KubernetesObject,
  context: ClusterContext,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const { store, releaseNamespace, platform } = context;
  const { name } = object.metadata;
  const record = await store.modelProviders.get(name);
  const lister = seenProvider(object, context);
  const plan = planProvider({ ...lister, record }, platform.digest);
  const applied = await applyProvider(object, { plan, record }, context);
  const moment = {
    generation: object.metadata.generation ?? 0,
    now: platform.clock(),
    before: conditionsIn(object),
  };
  const status = providerStatus({ object, releaseNamespace }, applied, moment);
  const requeueMs = LOOK_AGAIN_MS + context.timers.random() * LOOK_AGAIN_SPREAD_MS;
  return writeStatus({ type: MODEL_PROVIDER, object, status, signal }, context, requeueMs);
}

/** What of a cluster's context providers are applied with; a folder has the same. */
export type ProviderContext = Pick<
  ClusterContext,
  'platform' | 'leadership' | 'clusterId' | 'releaseNamespace'
> & { readonly store: Pick<OperatorStore, 'modelProviders'> };

interface AppliedProvider {
  readonly plan: ProviderPlan;
  readonly record: ModelProviderRecord | null;
}

/** Brings the store to the plan. @throws what the store throws */
export async function applyProvider(
  object: KubernetesObject,
  { plan, record }: AppliedProvider,
  context: ProviderContext,
): Promise<AppliedProvider> {
  const owner = ownerOf(object, context);
  if (plan.kind !== 'Put' && plan.kind !== 'Keep') return { plan, record: own(record, owner) };
  const { store, platform } = context;
  const write = {
    hash: plan.hash,
    now: platform.clock(),
    epoch: leadingEpoch(context),
    createdAt: createdAtOf(object),
  };
  // The store compares what is there, so a put that changes nothing writes nothing.
  const put = await store.modelProviders.put(
    { name: object.metadata.name, owner },
    plan.provider,
    write,
  );
  if (put.kind === 'Fenced') throw fenced(put.epoch);
  if (put.kind === 'Claimed') return { plan: { kind: 'Claimed', owner: put.owner }, record: null };
  return { plan, record: put.record };
}

/** In the same cluster and namespace, a resource that was created again goes on with the record. */
function own(record: ModelProviderRecord | null, owner: Owner): ModelProviderRecord | null {
  const isOwn =
    record?.owner.cluster === owner.cluster && record.owner.namespace === owner.namespace;
  return isOwn ? record : null;
}

/** By the API server; a folder does not know it. */
function createdAtOf({ metadata }: KubernetesObject): number | undefined {
  const { creationTimestamp } = metadata;
  return creationTimestamp === undefined ? undefined : Date.parse(creationTimestamp);
}

function ownerOf(object: KubernetesObject, { clusterId }: ProviderContext): Owner {
  return { cluster: clusterId, ...placeOf(object), uid: object.metadata.uid ?? '' };
}

/** What the store still has of a resource that is gone. */
export async function removeLeftOver(
  key: string,
  context: ProviderContext,
): Promise<ReconcileResult> {
  const { store, clusterId, releaseNamespace } = context;
  const { namespace, name } = placeOfKey(key);
  // Those of another namespace are another release's.
  if (namespace !== releaseNamespace) return DONE;
  const record = await store.modelProviders.get(name);
  const isOwn = record?.owner.cluster === clusterId && record.owner.namespace === namespace;
  if (!isOwn) return DONE;
  const write = { epoch: leadingEpoch(context) };
  const removed = await store.modelProviders.remove({ name, owner: record.owner }, write);
  if (removed.kind === 'Fenced') throw fenced(removed.epoch);
  return DONE;
}
