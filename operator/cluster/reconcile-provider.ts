/**
 * Reconciles one ModelProvider: writes its compiled spec to the store, for the workers, and what
 * they found to its status. It reads no Secret. There is no finalizer: records left in the store by
 * a deleted resource are found at every start and in every round.
 */
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import {
  embeddingProvider,
  PROVIDERS_MAX,
  type ModelProviderRecord,
  type ModelProvider as CompiledProvider,
  type ProvidedEmbedding,
} from '#core/records/model-provider.ts';
import type { Owner } from '#core/records/policy.ts';
import { MODEL_PROVIDER } from '#crds/resource-types.ts';
import {
  DONE,
  type Reconcile,
  type ReconcileResult,
  resourceFields,
  DURING_OUTAGE,
} from '../queue/reconcile-result.ts';
import {
  momentOf,
  type StatusMoment,
  placeOfObject,
  placeOfKey,
  statusConditions,
  firstUnmet,
  conditionState,
  timeText,
  type ConditionState,
  hasPausedAnnotation,
  PAUSED_ANNOTATION,
} from '../tenant/metadata-and-conditions.ts';
import type { ClusterContext, OperatorStore } from './cluster-context.ts';
import { fencedError, leadingEpoch } from './leader-fence.ts';
import { isLastingOutage } from './store-outage.ts';
import { providerOutage } from './tenant-conditions.ts';
import { writeConditions, writeStatus } from './status-writer.ts';
import { isErrorCode, type ErrorCode } from '#core/error-codes.ts';
import { canonicalJson, type Digest } from '#core/hash.ts';
import type { ModelProvider } from '#crds/model-provider.ts';
import type { ModelProviderStatus } from '#crds/status.ts';
import { compileProvider } from '../tenant/compile-policy.ts';
import type { ReadResult } from '#crds/read-object.ts';

/** Workers check the endpoint from time to time; the status shows their result after this pause. */
const LOOK_AGAIN_MS = 30_000;
const LOOK_AGAIN_SPREAD_MS = 30_000;

export function createProviderReconcile(context: ClusterContext): Reconcile {
  return async ({ key, attempt, signal }) => {
    const object = context.lister.get('providers', key);
    try {
      await context.fence.ensure();
      if (object === null) return await removeLeftOver(key, context);
      return await reconcileProvider(object, context, signal);
    } catch (error) {
      if (object === null || !isLastingOutage(error, attempt)) throw error;
      context.platform.log.warn(
        { ...resourceFields(key), code: error.code, error: error.message },
        'provider not reconciled; will retry',
      );
      const lister = seenProvider(object, context);
      const { digest } = context.platform;
      const findings = providerConditionsWithoutStore(lister, providerOutage(error), digest);
      await writeConditions({ type: MODEL_PROVIDER, object, findings }, { context, signal });
      return DURING_OUTAGE;
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
  const moment = momentOf(object, platform);
  const embedding = await embeddingOf(applied.record, store);
  const seen = { object, releaseNamespace };
  const status = providerStatus(seen, { ...applied, embedding }, moment);
  const requeueMs = LOOK_AGAIN_MS + context.timers.random() * LOOK_AGAIN_SPREAD_MS;
  return writeStatus({ type: MODEL_PROVIDER, object, status, signal }, context, requeueMs);
}

/** The part of the context that providers are applied with. A cluster and a folder both have it. */
type ProviderContext = Pick<
  ClusterContext,
  'platform' | 'leadership' | 'clusterId' | 'releaseNamespace'
> & { readonly store: Pick<OperatorStore, 'modelProviders'> };

interface AppliedProvider {
  readonly plan: ProviderPlan;
  readonly record: ModelProviderRecord | null;
}

/** What an embedding model that a provider declares came to. */
export interface DeclaredEmbedding {
  readonly model: ProvidedEmbedding;
  /** Whether the model needs a key. */
  readonly hasKey: boolean;
  /** The provider whose model the installation uses. */
  readonly usedOf: Pick<ModelProviderRecord, 'name' | 'owner'>;
}

/** Returns null if the provider declares no embedding model. @throws errors of the store */
export async function embeddingOf(
  record: ModelProviderRecord | null,
  { modelProviders }: Pick<OperatorStore, 'modelProviders'>,
): Promise<DeclaredEmbedding | null> {
  const { embedding: model, secretRef = null } = record?.provider.openai ?? {};
  if (record === null || model === undefined) return null;
  const usedOf = embeddingProvider(await modelProviders.list(PROVIDERS_MAX)) ?? record;
  return { model, hasKey: secretRef !== null, usedOf };
}

/**
 * Brings the store to the plan.
 * @throws errors of the store
 */
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
  // The store compares first, so a put that changes nothing writes nothing.
  const put = await store.modelProviders.put(
    { name: object.metadata.name, owner },
    plan.provider,
    write,
  );
  if (put.kind === 'Fenced') throw fencedError(put.epoch);
  if (put.kind === 'Claimed') return { plan: { kind: 'Claimed', owner: put.owner }, record: null };
  return { plan, record: put.record };
}

/**
 * Returns the record if it is this cluster's and namespace's: a resource that was deleted and
 * created again continues with it.
 */
function own(
  record: ModelProviderRecord | null,
  { cluster, namespace }: Pick<Owner, 'cluster' | 'namespace'>,
): ModelProviderRecord | null {
  const isOwn = record?.owner.cluster === cluster && record.owner.namespace === namespace;
  return isOwn ? record : null;
}

/** The creation time from the API server; resources of a folder have none. */
function createdAtOf({ metadata }: KubernetesObject): number | undefined {
  const { creationTimestamp } = metadata;
  return creationTimestamp === undefined ? undefined : Date.parse(creationTimestamp);
}

function ownerOf(object: KubernetesObject, { clusterId }: ProviderContext): Owner {
  return { cluster: clusterId, ...placeOfObject(object), uid: object.metadata.uid ?? '' };
}

/** Removes the record that a deleted resource left in the store. */
export async function removeLeftOver(
  key: string,
  context: ProviderContext,
): Promise<ReconcileResult> {
  const { store, clusterId, releaseNamespace } = context;
  const { namespace, name } = placeOfKey(key);
  // A record of another namespace belongs to another release.
  if (namespace !== releaseNamespace) return DONE;
  const record = own(await store.modelProviders.get(name), { cluster: clusterId, namespace });
  if (record === null) return DONE;
  const write = { epoch: leadingEpoch(context) };
  const removed = await store.modelProviders.remove({ name, owner: record.owner }, write);
  if (removed.kind === 'Fenced') throw fencedError(removed.epoch);
  return DONE;
}

interface ProviderObservation {
  readonly object: KubernetesObject;
  readonly reading: ReadResult<ModelProvider>;
  readonly releaseNamespace: string;
  /** The record in the store under the same name. */
  readonly record: ModelProviderRecord | null;
}

export type ProviderPlan =
  | { readonly kind: 'WrongNamespace' }
  | { readonly kind: 'Invalid'; readonly report: string }
  | { readonly kind: 'Paused' }
  | { readonly kind: 'Put' | 'Keep'; readonly provider: CompiledProvider; readonly hash: string }
  /** Another installation has the name in the same store. */
  | { readonly kind: 'Claimed'; readonly owner: Owner };

export function planProvider(seen: ProviderObservation, digest: Digest): ProviderPlan {
  const { object, reading, releaseNamespace, record } = seen;
  // This comes first: a resource outside of the release namespace has no effect.
  if (placeOfObject(object).namespace !== releaseNamespace) return { kind: 'WrongNamespace' };
  if (hasPausedAnnotation(object.metadata)) return { kind: 'Paused' };
  if (reading.kind === 'Invalid') return reading;
  const provider = compileProvider(reading.resource);
  const hash = digest(canonicalJson(provider));
  return { kind: record?.hash === hash ? 'Keep' : 'Put', provider, hash };
}

interface ProviderFindings extends AppliedProvider {
  /** Null if the resource declares no embedding model. */
  readonly embedding: DeclaredEmbedding | null;
}

/** @param record what the store has after the plan, if it belongs to this resource */
export function providerStatus(
  { object, releaseNamespace }: Pick<ProviderObservation, 'object' | 'releaseNamespace'>,
  { plan, record, embedding }: ProviderFindings,
  moment: StatusMoment,
): ModelProviderStatus & { readonly conditions: NonNullable<ModelProviderStatus['conditions']> } {
  const Accepted = accepted(object, plan, releaseNamespace);
  const EmbeddingModel = embedding === null ? null : embeddingModel(object, embedding);
  const Ready = firstUnmet(
    [Accepted, paused(object, plan), ...(EmbeddingModel === null ? [] : [EmbeddingModel])],
    answering(record),
  );
  const check = record?.check ?? null;
  return {
    observedGeneration: moment.generation,
    conditions: statusConditions(
      { Ready, Accepted, ...(EmbeddingModel === null ? {} : { EmbeddingModel }) },
      moment,
    ),
    ...(check === null
      ? {}
      : {
          lastCheck: {
            state: check.state,
            ...(check.code === null ? {} : { code: check.code }),
            since: timeText(check.since),
          },
        }),
  };
}

/** Returns the conditions that need no store; `outage` fills the others. */
function providerConditionsWithoutStore(
  seen: Omit<ProviderObservation, 'record'>,
  outage: ConditionState,
  digest: Digest,
): Readonly<Record<'Ready' | 'Accepted', ConditionState>> {
  const plan = planProvider({ ...seen, record: null }, digest);
  const isRefused = plan.kind === 'WrongNamespace' || plan.kind === 'Invalid';
  const Accepted = isRefused ? accepted(seen.object, plan, seen.releaseNamespace) : outage;
  return { Ready: Accepted, Accepted };
}

function accepted(
  object: KubernetesObject,
  plan: ProviderPlan,
  releaseNamespace: string,
): ConditionState {
  const { namespace, name } = placeOfObject(object);
  if (plan.kind === 'WrongNamespace') {
    const message =
      `The operator reads ModelProviders only in the namespace ${releaseNamespace} of the ` +
      `release. Delete this one with: kubectl delete modelprovider ${name} -n ${namespace}`;
    return conditionState('False', 'WrongNamespace', message);
  }
  if (plan.kind === 'Invalid') {
    const edit = `kubectl edit modelprovider ${name} -n ${namespace}`;
    const message = `${plan.report} The last applied settings stay in force. Fix it with: ${edit}`;
    return conditionState('False', 'InvalidSpec', message);
  }
  if (plan.kind === 'Claimed') {
    const { cluster, namespace: others } = plan.owner;
    const message =
      `The store already has a ModelProvider of that name, from namespace ${others} of ` +
      `cluster ${cluster}; choose another name.`;
    return conditionState('False', 'NameClaimed', message);
  }
  const message =
    'The resource is valid. If several allow a namespace, the oldest with a model of the class ' +
    'serves its tenants.';
  return conditionState('True', 'Accepted', message);
}

function embeddingModel(
  object: KubernetesObject,
  { model, hasKey, usedOf }: DeclaredEmbedding,
): ConditionState {
  const { name, dimensions } = model;
  if (usedOf.name !== object.metadata.name) {
    const message =
      `${name} is not used: an installation has one embedding model, and ModelProvider ` +
      `${usedOf.name} is older, or first by name, and declares it. Remove embedding here or there.`;
    return conditionState('False', 'Superseded', message);
  }
  const key =
    ' The API embeds too, so it must be able to read the key: name the Secret in api.secretNames ' +
    'of the chart.';
  const message =
    `${name} with ${dimensions} dimensions embeds the memories of new tenants. Tenants that have ` +
    'memories of another model keep it until you run: varve embeddings migrate.' +
    (hasKey ? key : '');
  return conditionState('True', 'InUse', message);
}

function paused(object: KubernetesObject, plan: ProviderPlan): ConditionState {
  if (plan.kind !== 'Paused') return conditionState('True', 'Accepted', '');
  const { namespace, name } = placeOfObject(object);
  const command = `kubectl annotate modelprovider ${name} -n ${namespace} ${PAUSED_ANNOTATION}-`;
  return conditionState('False', 'Paused', `Changes are not applied. Resume with: ${command}`);
}

const OF_KEY = 'Check that its Secret exists and has the named key, and that the key is valid';
const LISTED = 'workers.models.secretNames of the chart';
const OF_ADDRESS =
  'Check its address, and that networkPolicy.models.ports of the chart has its port.';
/** What to fix, by the error code that a worker found. */
const REMEDIES: Readonly<Partial<Record<ErrorCode, string>>> = {
  FORBIDDEN: `Workers may not read its Secret: name the Secret in ${LISTED}.`,
  NOT_FOUND: `${OF_KEY}; and name the Secret in ${LISTED}.`,
  UNAUTHENTICATED: `${OF_KEY}; and name the Secret in ${LISTED}.`,
  TIMEOUT: OF_ADDRESS,
  PROVIDER_ERROR: OF_ADDRESS,
};

function remedyOf(code: string): string {
  return isErrorCode(code) && REMEDIES[code] !== undefined
    ? REMEDIES[code]
    : 'Check its address and its Secret.';
}

/**
 * A provider that was never called is assumed to work: the first worker that needs it finds out.
 */
function answering(record: ModelProviderRecord | null): ConditionState {
  const check = record?.check ?? null;
  if (check === null) {
    return conditionState(
      'True',
      'NotAskedYet',
      'No worker has asked the endpoint since the last change.',
    );
  }
  if (check.state === 'Available')
    return conditionState('True', 'Available', 'The endpoint answers.');
  const code = check.code ?? 'Unavailable';
  const message =
    `The endpoint does not answer as it should (${code}). ${remedyOf(code)} ` +
    'Workers retry automatically.';
  return conditionState('False', 'Unavailable', message);
}
