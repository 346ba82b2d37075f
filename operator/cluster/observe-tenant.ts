/** Observe: everything that a decision about one MemoryTenant rests on. Writes nothing. */
import { mayFollow } from '#core/policy/policy-ownership.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { isSameOwner, type Owner, type PolicyRecord } from '#core/records/policy-record.ts';
import { MEMORY_TENANT } from '#crds/resource-types.ts';
import { chooseModels } from '../tenant/compile-models.ts';
import { fieldOf } from '../tenant/conditions.ts';
import type { ClusterContext } from './context.ts';
import { keyOf, placeOf } from '../tenant/resource-key.ts';
import { isDeleting } from '../tenant/annotations.ts';
import type { TenantObservation } from '../tenant/plan-tenant.ts';
import { providersInUse } from '../tenant/providers-in-use.ts';
import { readProviderRecords } from './read-facts.ts';
import { tenantIdIn } from './resource-lister.ts';

export async function observeTenant(
  object: KubernetesObject,
  context: ClusterContext,
  signal: AbortSignal,
): Promise<TenantObservation> {
  const { lister, store, clusterId, releaseNamespace } = context;
  const place = placeOf(object);
  const owner: Owner = { cluster: clusterId, ...place, uid: object.metadata.uid ?? '' };
  const tenant = tenantIdIn(object);
  const record = await store.policies.get(tenant);
  const objects = lister
    .providersIn(releaseNamespace)
    .map((provider) => ({ object: provider, reading: lister.readProvider(provider) }));
  const installation = { cluster: clusterId, namespace: releaseNamespace };
  // What goes is bound by no limit, so that it need not wait for any.
  const limits = isDeleting(object.metadata) ? null : await context.limits.known();
  const allowed = limits?.kind === 'Known' ? limits.limits.models : null;
  const records = objects.length === 0 ? [] : await readProviderRecords(context);
  const inUse = providersInUse(objects, records, installation);
  return {
    object,
    reading: lister.readTenant(object),
    tenant,
    owner,
    layerPolicies: lister.layerPoliciesOf(place),
    dreams: lister.dreamsOf(place),
    models: chooseModels(inUse, place.namespace, allowed),
    ...(limits === null ? {} : { limits }),
    record,
    isOwnerGone: await isOwnerGone({ record, owner }, context, signal),
    enforcedHash: enforcedOf(object),
  };
}

/**
 * Asked of the server, since a cache may not have heard of a resource yet; not at all of a resource
 * that the tenant does not pass on from.
 */
async function isOwnerGone(
  { record, owner }: { record: PolicyRecord | null; owner: Owner },
  { api, lister }: ClusterContext,
  signal: AbortSignal,
): Promise<boolean> {
  if (record === null || isSameOwner(record.owner, owner)) return false;
  if (!mayFollow(record.owner, owner)) return false;
  const { namespace, name, uid } = record.owner;
  if (lister.tenant(keyOf({ namespace, name }))?.metadata.uid === uid) return false;
  const live = await api.get(MEMORY_TENANT, { namespace, name }, signal);
  return live?.metadata.uid !== uid;
}

/** What the status says, which is written last of all. */
function enforcedOf(object: KubernetesObject): TenantObservation['enforcedHash'] {
  const policy = fieldOf(object['status'], 'policy');
  const [generation, hash] = [fieldOf(policy, 'generation'), fieldOf(policy, 'hash')];
  if (typeof generation !== 'number' || typeof hash !== 'string') return null;
  return { generation, hash };
}
