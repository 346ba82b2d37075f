/** The installation that would apply resources, as far as files and the store tell: pure. */
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import type { Owner, PolicyRecord } from '#core/records/policy-record.ts';
import { DEFAULT_NAMESPACE } from '#crds/metadata.ts';
import { releaseNamespaceIn } from '#operator/cluster/cluster-id.ts';
import { FOLDER_CLUSTER } from '#operator/folder/reconcile.ts';

export interface Installation {
  /** As in the owners of its records; null where nothing of it is known. */
  readonly cluster: string | null;
  /** Where it hears ModelProviders; null where that is not known. */
  readonly namespace: string | null;
}

/** Where installations are recorded. */
export interface KnownOwners {
  readonly policies: readonly Pick<PolicyRecord, 'owner'>[];
  readonly providers: readonly Pick<ModelProviderRecord, 'owner'>[];
  /** Of the release, where the process knows it; null otherwise. */
  readonly podNamespace: string | null;
}

/**
 * Whoever has the tenant applies its next policy too. Of a new tenant it is the only installation
 * of the store, or the one of the namespace that the process was given.
 */
export function installationOf(
  record: Pick<PolicyRecord, 'owner'> | null,
  known: KnownOwners,
): Installation {
  const clusters = record === null ? clustersOf(known) : [record.owner.cluster];
  const installations = clusters.map((cluster) => inCluster(cluster, known));
  const { podNamespace } = known;
  const told = installations.filter(({ namespace }) => namespace === podNamespace);
  const [first, ...others] = installations.length > 1 ? told : installations;
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

/** A provider that was accepted lies where the release is. */
function onlyNamespace(owners: readonly Owner[]): string | null {
  const [first, ...others] = new Set(owners.map(({ namespace }) => namespace));
  return first === undefined || others.length > 0 ? null : first;
}
