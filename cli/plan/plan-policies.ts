/** Models as the operator would choose them where the resources are applied. Pure. */
import type { ModelProvider as CompiledProvider } from '#core/records/model-provider-spec.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import type { PolicyRecord } from '#core/records/policy-record.ts';
import { API_VERSION, namespaceOf } from '#crds/metadata.ts';
import type { ModelProvider } from '#crds/model-provider.ts';
import type { Reading } from '#crds/read-object.ts';
import { MODEL_PROVIDER } from '#crds/resource-types.ts';
import { isPaused } from '#operator/tenant/annotations.ts';
import { providersInUse } from '#operator/tenant/providers-in-use.ts';
import { chooseModels, type AcceptedProvider } from '#operator/tenant/compile-models.ts';
import type { DesiredPolicy } from '#operator/tenant/compile.ts';
import { folderObject } from '#operator/folder/folder-objects.ts';
import { FOLDER_CLUSTER } from '#operator/folder/reconcile.ts';
import type { Installation } from './plan-installation.ts';

/** A ModelProvider of the files that is not what tenants would get. */
export interface UnheardProvider {
  /** Namespace and name. */
  readonly resource: string;
  readonly reason: 'WrongNamespace' | 'NameClaimed' | 'Paused';
}

export interface PlannedProviders {
  readonly accepted: readonly AcceptedProvider[];
  readonly unheard: readonly UnheardProvider[];
  /** Whether the files speak of models, so that they are chosen anew. */
  readonly isChosenAnew: boolean;
}

interface SeenProvider {
  readonly object: KubernetesObject;
  readonly reading: Reading<ModelProvider>;
}

/**
 * The ModelProviders that an installation would have: those of the files, and of a cluster those of
 * the store too, which no file speaks of and which stay as they were applied.
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
    if (isPaused(metadata)) return [{ resource, reason: 'Paused' }];
    return used.has(metadata.name) ? [] : [{ resource, reason: 'NameClaimed' }];
  });
  return { accepted, unheard, isChosenAnew: isFolder || unheard.length < files.length };
}

/**
 * The policy with the models it would get. Where no file speaks of models, they stay those of the
 * policy in the store, since its operator chose them.
 */
export function withModels(
  desired: DesiredPolicy,
  record: PolicyRecord | null,
  { accepted, isChosenAnew }: Pick<PlannedProviders, 'accepted' | 'isChosenAnew'>,
): DesiredPolicy {
  const { owner, policy } = desired;
  const models =
    record !== null && !isChosenAnew
      ? record.policy.models
      : chooseModels(accepted, owner.namespace);
  const { models: _, ...others } = policy;
  return { owner, policy: models === undefined ? others : { ...others, models } };
}

/** What is known of each provider by its name: those in use above those of other installations. */
export function knownProviders(
  records: readonly ModelProviderRecord[],
  accepted: readonly AcceptedProvider[],
): ReadonlyMap<string, CompiledProvider> {
  return new Map([...records, ...accepted].map(({ name, provider }) => [name, provider]));
}

/** Of the store. What is not read from a file counts as it was last applied. */
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
  // Where nobody says when it was made, it is as old as what it last applied.
  const at = createdAt ?? appliedAt;
  return { uid: owner.uid, creationTimestamp: new Date(at).toISOString() };
}

const HEAD = { apiVersion: API_VERSION, kind: MODEL_PROVIDER.kind };
/** Later than any provider that is there: the older one serves. */
const UNBORN = '9999-12-31T23:59:59Z';
