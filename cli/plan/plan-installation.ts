/** Finds the installation that would apply the resources, by files and the store: pure. */
import { VarveError } from '#core/errors.ts';
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import { type Owner, type PolicyRecord, isReleased, FOLDER_CLUSTER } from '#core/records/policy.ts';
import { DEFAULT_NAMESPACE } from '#crds/metadata.ts';
import type { KnownResources } from '#crds/read-resources.ts';
import { releaseNamespaceIn } from '#operator/cluster/cluster-id.ts';
import { fieldOf } from '#core/is-record.ts';

export interface Installation {
  /** As in the owners of its records; null if it has none. */
  readonly cluster: string | null;
  /** The namespace of its ModelProviders; null if that is not known. */
  readonly namespace: string | null;
}

/** The records that show which installations exist. */
interface KnownOwners {
  readonly policies: readonly Pick<PolicyRecord, 'owner'>[];
  readonly providers: readonly Pick<ModelProviderRecord, 'owner'>[];
  /** The namespace of the release, if the process knows it; otherwise null. */
  readonly podNamespace: string | null;
}

/**
 * The installation that owns a tenant also applies its next policy. A new tenant gets the only
 * installation in the store, or the one of the namespace that the process was given.
 */
export function installationOf(
  record: Pick<PolicyRecord, 'owner'> | null,
  known: KnownOwners,
): Installation {
  const clusters = record === null ? clustersOf(known) : [record.owner.cluster];
  const installations = clusters.map((cluster) => inCluster(cluster, known));
  const { podNamespace } = known;
  const sameNamespace = installations.filter(({ namespace }) => namespace === podNamespace);
  const [first, ...others] = installations.length > 1 ? sameNamespace : installations;
  if (first === undefined || others.length > 0) return { cluster: null, namespace: podNamespace };
  return first;
}

function clustersOf({ policies, providers }: KnownOwners): readonly string[] {
  return [...new Set([...policies, ...providers].map(({ owner }) => owner.cluster))];
}

function inCluster(cluster: string, { providers, podNamespace }: KnownOwners): Installation {
  if (cluster === FOLDER_CLUSTER) return { cluster, namespace: podNamespace ?? DEFAULT_NAMESPACE };
  const own = providers.map(({ owner }) => owner).filter((owner) => owner.cluster === cluster);
  const namespace = releaseNamespaceIn(cluster) ?? onlyNamespace(own) ?? podNamespace;
  return { cluster, namespace };
}

/** An accepted provider is in the namespace of the release. */
function onlyNamespace(owners: readonly Owner[]): string | null {
  const [first, ...others] = new Set(owners.map(({ namespace }) => namespace));
  return first === undefined || others.length > 0 ? null : first;
}

/** Namespaces that an error lists. */
const NAMES_LISTED_MAX = 10;

/** What determines the namespace of a ModelProvider. */
interface KnownProviders {
  readonly providers: readonly ModelProviderRecord[];
  /** The namespace of the release, if the process knows it; otherwise null. */
  readonly podNamespace: string | null;
}

/**
 * Returns what is known apart from the files. An option of `kubectl` decides the namespace of a
 * file that has none, and it is unknown here. So a MemoryTenant is matched with the stored one of
 * the same tenant id and name. A ModelProvider is matched with the stored one, or else goes to the
 * only installation.
 * @param namespace of resources that name none; if absent, that of the tenant in the store
 */
export function knownResources(
  records: readonly PolicyRecord[],
  namespace: string | undefined,
  known: KnownProviders,
): KnownResources {
  return {
    tenants: declared(records).map(({ owner }) => `${owner.namespace}/${owner.name}`),
    namespaceOf: (value) =>
      namespace ??
      (fieldOf(value, 'kind') === 'ModelProvider'
        ? namespaceOfProvider(textAt(fieldOf(value, 'metadata'), 'name'), records, known)
        : meantNamespace(value, records)),
  };
}

function namespaceOfProvider(
  name: string | null,
  policies: readonly PolicyRecord[],
  { providers, podNamespace }: KnownProviders,
): string | null {
  const record = providers.find((one) => one.name === name);
  if (record !== undefined) return record.owner.namespace;
  return installationOf(null, { policies, providers, podNamespace }).namespace;
}

/** Returns the record of the tenant that the MemoryTenant of this namespace and name declares. */
export function recordNamed(
  records: readonly PolicyRecord[],
  place: { readonly namespace: string; readonly name: string },
): PolicyRecord | null {
  const { namespace, name } = place;
  const isMeant = ({ owner }: PolicyRecord) => owner.namespace === namespace && owner.name === name;
  return declared(records).find(isMeant) ?? null;
}

/** Returns the records that have a MemoryTenant. */
function declared(records: readonly PolicyRecord[]): readonly PolicyRecord[] {
  return records.filter((record) => !isReleased(record));
}

function meantNamespace(value: unknown, records: readonly PolicyRecord[]): string | null {
  const [name, spec] = [textAt(fieldOf(value, 'metadata'), 'name'), fieldOf(value, 'spec')];
  if (fieldOf(value, 'kind') === 'MemoryTenant') {
    const id = textAt(spec, 'tenantId') ?? name;
    const record = records.find(({ tenant, owner }) => tenant === id && owner.name === name);
    return record?.owner.namespace ?? null;
  }
  const meant = textAt(fieldOf(spec, 'tenantRef'), 'name');
  return meant === null ? null : onlyNamespaceOf(meant, records);
}

/** @throws VarveError INVALID_INPUT if several namespaces have a tenant of that name */
function onlyNamespaceOf(name: string, records: readonly PolicyRecord[]): string | null {
  const owners = declared(records).map(({ owner }) => owner);
  const named = owners.filter((owner) => owner.name === name);
  const namespaces = [...new Set(named.map(({ namespace }) => namespace))];
  if (namespaces.length <= 1) return namespaces[0] ?? null;
  const listed = namespaces.slice(0, NAMES_LISTED_MAX).join(', ');
  throw new VarveError(
    'INVALID_INPUT',
    `A resource names no namespace, and a MemoryTenant ${name} is in each of ${listed}. ` +
      'Say which is meant with --namespace.',
  );
}

function textAt(value: unknown, name: string): string | null {
  const found = fieldOf(value, name);
  return typeof found === 'string' ? found : null;
}
