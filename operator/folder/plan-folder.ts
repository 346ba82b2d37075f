/**
 * Plans what to do about the resources of a folder: pure, from the files and the store. Each tenant
 * and each provider is decided by the rules of the cluster.
 */
import type { Digest } from '#core/hash.ts';
import { mayFollow } from '#core/policy/policy-ownership.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import { isReleased, type Owner, type PolicyRecord } from '#core/records/policy.ts';
import { tenantIdOf, type MemoryTenant } from '#crds/memory-tenant.ts';
import { namespaceOf } from '#crds/metadata.ts';
import type { ModelProvider } from '#crds/model-provider.ts';
import type { ReadResult } from '#crds/read-object.ts';
import type { Resources } from '#crds/read-resources.ts';
import type { Resource } from '#crds/immutable-fields.ts';
import type { StoreCleanUp } from '../cluster/clean-up-tenant.ts';
import { planProvider, type ProviderPlan } from '../cluster/reconcile-provider.ts';
import { TENANT_FINALIZER, namespacedKey, timeText } from '../tenant/metadata-and-conditions.ts';
import {
  chooseModels,
  type AcceptedProvider,
  isFor,
  ownerOf,
  uidOf,
  providersInUse,
} from '../tenant/compile-policy.ts';
import {
  planDeletion,
  planDeclaredTenant,
  type DeclaredTenantPlan,
  type TenantObservation,
} from '../tenant/plan-tenant.ts';
import {
  ERASE_AFTER_MS,
  type RemovedResource,
  type RemovedResources,
} from './removed-resources.ts';

export interface Observed {
  readonly resources: Resources;
  readonly removed: RemovedResources<MemoryTenant>;
  readonly removedProviders: RemovedResources<ModelProvider>;
  /** The policies in the store, of any owner. */
  readonly policies: readonly PolicyRecord[];
  readonly providers: readonly ModelProviderRecord[];
  /** Whether to do the erasures that records name: only a caller that comes back finishes them. */
  readonly mayErase: boolean;
}

/** The owner of the folder, and the moment of the plan. */
interface PlanMoment {
  readonly cluster: string;
  /** The namespace whose ModelProviders have an effect. */
  readonly releaseNamespace: string;
  readonly now: number;
  readonly digest: Digest;
  /** The hash of the policy that this process last enforced; null if it enforced none. */
  readonly enforcedHash: (tenant: string) => string | null;
}

export type Action =
  | {
      readonly kind: 'Declared';
      readonly tenant: string;
      readonly seen: TenantObservation;
      readonly plan: DeclaredTenantPlan;
      /** See {@link erasureEndedBy}. */
      readonly endsErasure: PolicyRecord | null;
    }
  /**
   * Its file is gone. The release records when everything is erased, unless the file comes back; at
   * that time, the plan is to erase.
   */
  | {
      readonly kind: 'Release';
      readonly tenant: string;
      readonly key: string;
      readonly plan: StoreCleanUp;
    }
  | {
      readonly kind: 'HeldByPause';
      readonly tenant: string;
      /** See {@link erasureEndedBy}. */
      readonly endsErasure: PolicyRecord | null;
    }
  /** Nothing of the tenant belongs to this resource any more. */
  | { readonly kind: 'Forget'; readonly tenant: string; readonly key: string }
  /**
   * Owned by this folder, which no longer declares it, but no process saw the deletion. Its policy
   * is kept: memory is not config.
   */
  | { readonly kind: 'Orphan'; readonly tenant: string; readonly owner: Owner };

export type ProviderAction =
  | {
      readonly kind: 'Declared';
      readonly provider: string;
      readonly object: KubernetesObject;
      readonly plan: ProviderPlan;
      readonly record: ModelProviderRecord | null;
    }
  | { readonly kind: 'Remove'; readonly provider: string; readonly key: string };

export interface Plan {
  /** First, so that workers find the models that policies name. */
  readonly providers: readonly ProviderAction[];
  /**
   * In the order of the files, then those whose file is gone, then erasures and orphans in the
   * order of the store.
   */
  readonly tenants: readonly Action[];
}

/** What was observed, with the maps to look up each tenant. */
interface Look {
  readonly observed: Observed;
  readonly moment: PlanMoment;
  readonly records: ReadonlyMap<string, PolicyRecord>;
  readonly accepted: readonly AcceptedProvider[];
}

/** Plans one folder. Tenants of other owners are only ever refused. */
export function planFolder(observed: Observed, moment: PlanMoment): Plan {
  const { resources, removed, policies } = observed;
  const records = new Map(policies.map((record) => [record.tenant, record]));
  const look = { observed, moment, records, accepted: acceptedProviders(observed, moment) };
  const declared = resources.tenants.map((tenant) => planDeclared(tenant, look));
  const went = [...removed].map(([key, one]) => planRemoved(key, one, look));
  return {
    providers: planProviders(observed, moment),
    tenants: [
      ...declared,
      ...went,
      ...planErasures(observed, moment),
      ...orphansOf(observed, moment),
    ],
  };
}

function planDeclared(
  resource: MemoryTenant,
  { observed, moment, records, accepted }: Look,
): Action {
  const { resources, removed } = observed;
  const { cluster, enforcedHash, digest } = moment;
  const tenant = tenantIdOf(resource);
  const owner = ownerOf(resource, cluster);
  const record = records.get(tenant) ?? null;
  const hash = enforcedHash(tenant);
  const seen: TenantObservation = {
    ...folderObject(resource, cluster),
    tenant,
    owner,
    layerPolicies: resources.policies
      .filter((policy) => isFor(policy, resource))
      .map((policy) => ({ ...folderObject(policy, cluster), layer: policy.spec.layer })),
    dreams: resources.dreams
      .filter((dream) => isFor(dream, resource))
      .map((dream) => folderObject(dream, cluster)),
    models: chooseModels(accepted, owner.namespace),
    record,
    isOwnerGone: record !== null && isRemoved(record, removed),
    enforcedHash: record === null || hash === null ? null : { generation: record.generation, hash },
  };
  const plan = planDeclaredTenant(seen, digest);
  const endsErasure = plan.kind === 'Paused' ? erasureEndedBy(owner, record) : null;
  return { kind: 'Declared', tenant, seen, plan, endsErasure };
}

/**
 * Returns the record of a tenant whose erasure a paused resource ends, since no claim does; null if
 * there is none. Otherwise the erasure would continue if the resource went again unseen.
 */
function erasureEndedBy(owner: Owner, record: PolicyRecord | null): PolicyRecord | null {
  const isErasing = record?.erasesAt !== undefined && mayFollow(record.owner, owner);
  return isErasing ? record : null;
}

/** Whether no resource declares a record any more: it was released, or its file was seen to go. */
function isRemoved(record: PolicyRecord, removed: Observed['removed']): boolean {
  return isReleased(record) || removed.has(namespacedKey(record.owner));
}

function planRemoved(
  key: string,
  { resource, removedAt }: RemovedResource<MemoryTenant>,
  { observed, moment, records }: Look,
): Action {
  const { cluster, now } = moment;
  const tenant = tenantIdOf(resource);
  const owner = ownerOf(resource, cluster);
  const record = records.get(tenant) ?? null;
  // Another resource takes the tenant over, and ends this claim itself before it does.
  if (isFollowed(tenant, owner.namespace, observed)) return { kind: 'Forget', tenant, key };
  const { object, reading } = folderObject(resource, cluster);
  const metadata = { ...object.metadata, deletionTimestamp: timeText(removedAt) };
  const removed = { ...object, metadata };
  const plan = planDeletion({ object: removed, reading, tenant, owner, record });
  if (plan.kind === 'Paused') {
    return { kind: 'HeldByPause', tenant, endsErasure: erasureEndedBy(owner, record) };
  }
  if (plan.kind === 'Leave' || plan.kind === 'Orphan') return { kind: 'Forget', tenant, key };
  const erasesAt = plan.kind === 'Erase' ? removedAt + ERASE_AFTER_MS : undefined;
  return planRelease({ tenant, owner, generation: record?.generation, erasesAt }, now);
}

/** Plans the erasures that releases recorded, whichever process saw the file go. */
function planErasures(observed: Observed, { cluster, now }: PlanMoment): Action[] {
  const { policies, removed, mayErase } = observed;
  if (!mayErase) return [];
  return policies
    .filter(({ owner, erasesAt }) => owner.cluster === cluster && erasesAt !== undefined)
    .filter(({ owner }) => !removed.has(namespacedKey(owner)))
    .filter(({ tenant, owner }) => !isFollowed(tenant, owner.namespace, observed))
    .map(({ tenant, owner, generation, erasesAt }) =>
      planRelease({ tenant, owner, generation, erasesAt }, now),
    );
}

function planRelease(terms: Omit<StoreCleanUp, 'kind'>, now: number): Action {
  const { tenant, owner, erasesAt } = terms;
  const kind = erasesAt !== undefined && erasesAt <= now ? 'Erase' : 'Release';
  return { kind: 'Release', tenant, key: namespacedKey(owner), plan: { ...terms, kind } };
}

function isFollowed(tenant: string, namespace: string, { resources }: Observed): boolean {
  return resources.tenants.some(
    (other) => tenantIdOf(other) === tenant && namespaceOf(other) === namespace,
  );
}

function orphansOf({ resources, removed, policies }: Observed, { cluster }: PlanMoment): Action[] {
  const declared = new Set(resources.tenants.map(tenantIdOf));
  return policies
    .filter((record) => record.owner.cluster === cluster && !isRemoved(record, removed))
    .filter(({ tenant }) => !declared.has(tenant))
    .map(({ owner, tenant }) => ({ kind: 'Orphan', tenant, owner }));
}

function acceptedProviders(
  { resources, providers }: Observed,
  { cluster, releaseNamespace: namespace }: PlanMoment,
): readonly AcceptedProvider[] {
  const heard = resources.providers.filter((one) => namespaceOf(one) === namespace);
  const objects = heard.map((provider) => folderObject(provider, cluster));
  return providersInUse(objects, providers, { cluster, namespace });
}

function planProviders(observed: Observed, moment: PlanMoment): ProviderAction[] {
  const { resources, providers, removedProviders } = observed;
  const { cluster, releaseNamespace, digest } = moment;
  const declared = resources.providers.map((resource): ProviderAction => {
    const provider = resource.metadata.name;
    const record = providers.find(({ name }) => name === provider) ?? null;
    const seen = { ...folderObject(resource, cluster), releaseNamespace, record };
    const plan = planProvider(seen, digest);
    return { kind: 'Declared', provider, object: seen.object, plan, record };
  });
  const leftOver = providers
    .filter(({ owner }) => owner.cluster === cluster && owner.namespace === releaseNamespace)
    .filter(({ owner }) => removedProviders.has(namespacedKey(owner)))
    .map(({ name, owner }): ProviderAction => {
      return { kind: 'Remove', provider: name, key: namespacedKey(owner) };
    });
  return [...declared, ...leftOver];
}

/** A resource and its reading, in the form that controllers use. */
interface FolderObject<T> {
  readonly object: KubernetesObject;
  readonly reading: ReadResult<T>;
}

/**
 * Makes the object for a file that passed its schema. It has the finalizer until it is released.
 */
export function folderObject<T extends Resource>(resource: T, cluster: string): FolderObject<T> {
  const { apiVersion, kind, spec } = resource;
  const { name, annotations = {} } = resource.metadata;
  const namespace = namespaceOf(resource);
  const uid = uidOf(resource, cluster);
  const metadata = { name, namespace, uid, annotations, finalizers: [TENANT_FINALIZER] };
  return {
    object: { apiVersion, kind, metadata, spec },
    reading: { kind: 'Valid', resource },
  };
}
