/** Plans policies and their models as the operator would after the resources are applied. Pure. */
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type {
  ModelProvider as CompiledProvider,
  ModelProviderRecord,
} from '#core/records/model-provider.ts';
import { FOLDER_CLUSTER, type PolicyRecord, isReleased } from '#core/records/policy.ts';
import type { DeepDream } from '#crds/deep-dream.ts';
import type { LayerSummaryPolicy } from '#crds/layer-summary-policy.ts';
import { tenantIdOf, type MemoryTenant } from '#crds/memory-tenant.ts';
import { API_VERSION, namespaceOf } from '#crds/metadata.ts';
import type { ModelProvider } from '#crds/model-provider.ts';
import type { ReadResult } from '#crds/read-object.ts';
import type { Resources } from '#crds/read-resources.ts';
import { MODEL_PROVIDER } from '#crds/resource-types.ts';
import { folderObject } from '#operator/folder/plan-folder.ts';
import {
  folderPolicy,
  overStored,
  keepPausedLayers,
  mergeWithStored,
  type MergedPolicy,
} from '#operator/forecast/policy-after-merge.ts';
import { hasPausedAnnotation } from '#operator/tenant/metadata-and-conditions.ts';
import {
  chooseModels,
  type AcceptedProvider,
  type CompiledPolicy,
  compileResources,
  providersInUse,
} from '#operator/tenant/compile-policy.ts';
import { recordNamed, type Installation } from './plan-installation.ts';

/** A ModelProvider in the files from which tenants would get no model. */
export interface UnheardProvider {
  /** Namespace and name. */
  readonly resource: string;
  readonly reason: 'WrongNamespace' | 'NameClaimed' | 'Paused';
}

interface PlannedProviders {
  readonly accepted: readonly AcceptedProvider[];
  readonly unheard: readonly UnheardProvider[];
  /** Whether the files have ModelProviders, so that models are chosen again. */
  readonly isRechosen: boolean;
}

interface SeenProvider {
  readonly object: KubernetesObject;
  readonly reading: ReadResult<ModelProvider>;
}

/**
 * Returns the ModelProviders that an installation would have: those of the files, and in a cluster
 * also the stored ones that no file declares, which stay as last applied.
 */
export function plannedProviders(
  files: readonly ModelProvider[],
  records: readonly ModelProviderRecord[],
  { cluster, namespace }: Installation,
): PlannedProviders {
  const isHeard = (provider: ModelProvider) =>
    namespace === null || namespaceOf(provider) === namespace;
  const isFolder = cluster === FOLDER_CLUSTER;
  const own = records.filter(({ owner }) => {
    return owner.cluster === cluster && owner.namespace === namespace;
  });
  const names = new Set(files.filter(isHeard).map(({ metadata }) => metadata.name));
  const kept = isFolder ? [] : own.filter(({ name }) => !names.has(name));
  const heard = files
    .filter(isHeard)
    .map((one) => (isFolder ? folderObject(one, cluster) : ofFile(one, own)));
  const objects = [...kept.map(asApplied), ...heard];
  const place = { cluster: cluster ?? '', namespace: namespace ?? '' };
  const accepted = providersInUse(objects, namespace === null ? [] : records, place);
  const used = new Set(accepted.map(({ name }) => name));
  const unheard = files.flatMap((provider): UnheardProvider[] => {
    const { metadata } = provider;
    const resource = `${namespaceOf(provider)}/${metadata.name}`;
    if (!isHeard(provider)) return [{ resource, reason: 'WrongNamespace' }];
    if (hasPausedAnnotation(metadata)) return [{ resource, reason: 'Paused' }];
    return used.has(metadata.name) ? [] : [{ resource, reason: 'NameClaimed' }];
  });
  return { accepted, unheard, isRechosen: isFolder || unheard.length < files.length };
}

/**
 * Returns the policy with the models that it would get. If no file has ModelProviders, the models
 * stay those of the stored policy, since its operator chose them.
 */
export function withModels(
  desired: CompiledPolicy,
  record: PolicyRecord | null,
  { accepted, isRechosen }: Pick<PlannedProviders, 'accepted' | 'isRechosen'>,
): CompiledPolicy {
  const { owner, policy } = desired;
  const models =
    record !== null && !isRechosen ? record.policy.models : chooseModels(accepted, owner.namespace);
  const { models: _, ...others } = policy;
  return { owner, policy: models === undefined ? others : { ...others, models } };
}

/** Returns each provider by its name. Those in use replace those of other installations. */
export function knownProviders(
  records: readonly ModelProviderRecord[],
  accepted: readonly AcceptedProvider[],
): ReadonlyMap<string, CompiledProvider> {
  return new Map([...records, ...accepted].map(({ name, provider }) => [name, provider]));
}

/** Makes a resource from the store: without a file, it counts as last applied. */
function asApplied(record: ModelProviderRecord): SeenProvider {
  const { name, owner } = record;
  const metadata = { name, namespace: owner.namespace, ...bornAs(record) };
  return { object: { ...HEAD, metadata }, reading: { kind: 'Invalid', report: '' } };
}

function ofFile(resource: ModelProvider, records: readonly ModelProviderRecord[]): SeenProvider {
  const { name, annotations = {} } = resource.metadata;
  const record = records.find((one) => one.name === name);
  const born = record === undefined ? { uid: name, creationTimestamp: UNBORN } : bornAs(record);
  const metadata = { name, namespace: namespaceOf(resource), annotations, ...born };
  return { object: { ...HEAD, metadata }, reading: { kind: 'Valid', resource } };
}

function bornAs({ owner, createdAt, appliedAt }: ModelProviderRecord) {
  // Without a creation time, it counts as created when it was last applied.
  const at = createdAt ?? appliedAt;
  return { uid: owner.uid, creationTimestamp: new Date(at).toISOString() };
}

const HEAD = { apiVersion: API_VERSION, kind: MODEL_PROVIDER.kind };
/** Later than any existing provider, since the oldest one serves. */
const UNBORN = '9999-12-31T23:59:59Z';

/** Not compared, since files do not know which cluster they are for. */
const ANY_CLUSTER = 'plan';

interface PlannedPolicy {
  readonly merged: MergedPolicy;
  readonly record: PolicyRecord | null;
  /** Whether its MemoryTenant is paused, so that nothing would be applied. */
  readonly isPaused: boolean;
}

/**
 * Returns one policy for each MemoryTenant, in the order of the resources. Then one for each stored
 * tenant for which the files have only a LayerSummaryPolicy or DeepDream.
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
 * Returns the stored policies that no file names, unchanged. Only those of clusters: a folder's
 * tenant without a file is no longer reconciled.
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

/** A resource that refers to a MemoryTenant. */
type NamingTenant = LayerSummaryPolicy | DeepDream;

/** The resources that the operator applies, and the paused ones, which stay as last applied. */
interface Beside {
  readonly policies: readonly LayerSummaryPolicy[];
  readonly dreams: readonly DeepDream[];
  readonly paused: readonly NamingTenant[];
}

function besideOf(named: readonly NamingTenant[]): Beside {
  const heard = named.filter(({ metadata }) => !hasPausedAnnotation(metadata));
  return {
    policies: heard.filter((one) => one.kind === 'LayerSummaryPolicy'),
    dreams: heard.filter((one) => one.kind === 'DeepDream'),
    paused: named.filter(({ metadata }) => hasPausedAnnotation(metadata)),
  };
}

function plannedOf(
  tenant: MemoryTenant,
  { policies, dreams, paused }: Beside,
  record: PolicyRecord | null,
): readonly PlannedPolicy[] {
  const files = { tenants: [tenant], policies, dreams, providers: [] };
  return compileResources(files, ANY_CLUSTER).map((desired) => {
    const at = { record, isPaused: hasPausedAnnotation(tenant.metadata) };
    if (record === null) return { ...at, merged: { desired, keptLayers: [], keptDreams: [] } };
    const { policy } = record;
    const layers = paused.flatMap((one) => (isLayerPolicy(one) ? [one.spec.layer] : []));
    // The files are everything that a folder has, but only a part of what a cluster has.
    if (record.owner.cluster === FOLDER_CLUSTER) {
      const dreaming = paused.filter((one) => !isLayerPolicy(one));
      const names = dreaming.map(({ metadata }) => metadata.name);
      return {
        ...at,
        merged: keepPausedLayers(folderPolicy(desired, policy, names), policy, layers),
      };
    }
    const spoken = new Set(policies.map(({ spec }) => spec.layer));
    return {
      ...at,
      merged: keepPausedLayers(mergeWithStored(desired, policy, spoken), policy, layers),
    };
  });
}

function isLayerPolicy(resource: NamingTenant): resource is LayerSummaryPolicy {
  return resource.kind === 'LayerSummaryPolicy';
}

function placeOfTenant(resource: NamingTenant): string {
  return `${namespaceOf(resource)}/${resource.spec.tenantRef.name}`;
}
