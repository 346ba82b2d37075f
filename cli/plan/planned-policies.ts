/** The policies as they would be once the resources are applied: pure. */
import { isReleased, type PolicyRecord } from '#core/records/policy-record.ts';
import type { DeepDream } from '#crds/deep-dream.ts';
import type { LayerSummaryPolicy } from '#crds/layer-summary-policy.ts';
import { tenantIdOf, type MemoryTenant } from '#crds/memory-tenant.ts';
import { namespaceOf } from '#crds/metadata.ts';
import type { Resources } from '#crds/read-resources.ts';
import { isPaused } from '#operator/tenant/annotations.ts';
import { compileResources } from '#operator/tenant/compile.ts';
import { FOLDER_CLUSTER } from '#operator/folder/reconcile.ts';
import {
  ofFolder,
  overStored,
  withPaused,
  withStored,
  type MergedPolicy,
} from '#operator/forecast/merged-policy.ts';
import { recordNamed } from './known-tenants.ts';

/** Not compared: files do not know which cluster they are for. */
const ANY_CLUSTER = 'plan';

export interface PlannedPolicy {
  readonly merged: MergedPolicy;
  readonly record: PolicyRecord | null;
  /** Whether its MemoryTenant is, so that nothing of it is applied. */
  readonly isPaused: boolean;
}

/**
 * One for each MemoryTenant, in the order of the resources, and then one for each tenant of the
 * store that a LayerSummaryPolicy or DeepDream alone speaks of.
 */
export function plannedPolicies(
  resources: Resources,
  stored: readonly PolicyRecord[],
): readonly PlannedPolicy[] {
  const byTenant = new Map(stored.map((record) => [record.tenant, record]));
  const besides = Map.groupBy([...resources.policies, ...resources.dreams], placeOfTenant);
  const declared = resources.tenants.flatMap((tenant) => {
    const place = `${namespaceOf(tenant)}/${tenant.metadata.name}`;
    const beside = besideOf(besides.get(place) ?? []);
    besides.delete(place);
    return plannedOf(tenant, beside, byTenant.get(tenantIdOf(tenant)) ?? null);
  });
  const alone = [...besides.values()].flatMap((named): readonly PlannedPolicy[] => {
    const [first] = named;
    if (first === undefined) return [];
    const { name } = first.spec.tenantRef;
    const record = recordNamed(stored, { namespace: namespaceOf(first), name });
    if (record === null) return [];
    const merged = { desired: overStored(record, besideOf(named)), keptLayers: [], keptDreams: [] };
    return [{ merged, record, isPaused: false }];
  });
  return [...declared, ...alone];
}

/**
 * Those of the store that no file names, as they are: of clusters alone, since a tenant of a folder
 * whose file is not there is looked at no more.
 */
export function otherPolicies(
  stored: readonly PolicyRecord[],
  named: readonly PlannedPolicy[],
): readonly PlannedPolicy[] {
  const names = new Set(named.map(({ merged }) => merged.desired.policy.tenant));
  return stored
    .filter((record) => !isReleased(record) && record.owner.cluster !== FOLDER_CLUSTER)
    .filter(({ tenant }) => !names.has(tenant))
    .map((record) => {
      const { owner, policy } = record;
      const merged = { desired: { owner, policy }, keptLayers: [], keptDreams: [] };
      return { merged, record, isPaused: false };
    });
}

/** What names a MemoryTenant. */
type NamingTenant = LayerSummaryPolicy | DeepDream;

/** What the operator hears of it, and what it leaves as it was last applied. */
interface Beside {
  readonly policies: readonly LayerSummaryPolicy[];
  readonly dreams: readonly DeepDream[];
  readonly paused: readonly NamingTenant[];
}

function besideOf(named: readonly NamingTenant[]): Beside {
  const heard = named.filter(({ metadata }) => !isPaused(metadata));
  return {
    policies: heard.filter((one) => one.kind === 'LayerSummaryPolicy'),
    dreams: heard.filter((one) => one.kind === 'DeepDream'),
    paused: named.filter(({ metadata }) => isPaused(metadata)),
  };
}

function plannedOf(
  tenant: MemoryTenant,
  { policies, dreams, paused }: Beside,
  record: PolicyRecord | null,
): readonly PlannedPolicy[] {
  const files = { tenants: [tenant], policies, dreams, providers: [] };
  return compileResources(files, ANY_CLUSTER).map((desired) => {
    const at = { record, isPaused: isPaused(tenant.metadata) };
    if (record === null) return { ...at, merged: { desired, keptLayers: [], keptDreams: [] } };
    const { policy } = record;
    const layers = paused.flatMap((one) => (isLayerPolicy(one) ? [one.spec.layer] : []));
    // The files of a folder are all that there is of it; those of a cluster are a part.
    if (record.owner.cluster === FOLDER_CLUSTER) {
      const dreaming = paused.filter((one) => !isLayerPolicy(one));
      const names = dreaming.map(({ metadata }) => metadata.name);
      return { ...at, merged: withPaused(ofFolder(desired, policy, names), policy, layers) };
    }
    const spoken = new Set(policies.map(({ spec }) => spec.layer));
    return { ...at, merged: withPaused(withStored(desired, policy, spoken), policy, layers) };
  });
}

function isLayerPolicy(resource: NamingTenant): resource is LayerSummaryPolicy {
  return resource.kind === 'LayerSummaryPolicy';
}

function placeOfTenant(resource: NamingTenant): string {
  return `${namespaceOf(resource)}/${resource.spec.tenantRef.name}`;
}
