/** The id of a cluster in the store. Kubernetes gives a cluster no name of its own. */
import { VarveError } from '#core/errors.ts';
import type { KubernetesApi, ResourceType } from '#core/ports/kubernetes-api.ts';

const NAMESPACE: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  isNamespaced: false,
};
/** Exists in every cluster for as long as the cluster does. */
const OF_THE_CLUSTER = 'kube-system';

/** The form of an id that `clusterIdOf` makes: a uid and a namespace. */
const MADE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(?<namespace>[-a-z0-9]+)$/u;

/** Returns the namespace of the release that an id was made for; null for a configured id. */
export function releaseNamespaceIn(clusterId: string): string | null {
  return MADE_ID.exec(clusterId)?.groups?.['namespace'] ?? null;
}

/**
 * Makes the id from the uid of the namespace `kube-system`, which others use as the id of a cluster
 * too (OpenTelemetry's `k8s.cluster.uid`), and the namespace of the release. Two releases in a
 * cluster each have a leader and a fence, so they must have different ids if they share a store.
 * @throws VarveError FORBIDDEN, NOT_FOUND if it can't be read: then an id has to be configured
 */
export async function clusterIdOf(
  api: Pick<KubernetesApi, 'get'>,
  releaseNamespace: string,
): Promise<string> {
  const message =
    'The id of the cluster is the uid of its namespace kube-system, which this user may not ' +
    'read. Allow it to get that namespace, or set an id with --cluster-id.';
  try {
    const namespace = await api.get(NAMESPACE, { name: OF_THE_CLUSTER });
    const uid = namespace?.metadata.uid;
    // Neither part contains a dot.
    if (uid !== undefined) return `${uid}.${releaseNamespace}`;
    throw new VarveError('NOT_FOUND', message);
  } catch (error) {
    if (!(error instanceof VarveError) || error.code !== 'FORBIDDEN') throw error;
    throw new VarveError('FORBIDDEN', message, { details: error.details, cause: error });
  }
}
