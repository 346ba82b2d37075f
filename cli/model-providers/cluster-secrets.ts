/** The Secrets of the release namespace, by the API server that the pod or a kubeconfig names. */
import { VarveError } from '#core/errors.ts';
import type { SecretSource } from '#core/ports/secret-source.ts';
import type { OpenKubernetesApi } from '#providers/kubernetes/open-kubernetes-api.ts';

const USER_AGENT = 'varve-worker';

export interface ClusterSecrets extends SecretSource, AsyncDisposable {}

/**
 * Opened with the first key: a worker whose endpoints ask for none needs no API server.
 * @param kubeconfig null for the ServiceAccount of the pod
 */
export function clusterSecrets(namespace: string, kubeconfig: string | null): ClusterSecrets {
  const held = new AsyncDisposableStack();
  let opened: Promise<SecretSource> | null = null;
  const open = async (): Promise<SecretSource> => {
    const [{ openKubernetesApi }, { createSecretSource }, { createTimers }] = await Promise.all([
      import('#providers/kubernetes/open-kubernetes-api.ts'),
      import('#providers/kubernetes/secret-source.ts'),
      import('#providers/node/timers.ts'),
    ]);
    const options = { kubeconfig, userAgent: USER_AGENT, timers: createTimers() };
    const api: OpenKubernetesApi = held.use(openKubernetesApi(options));
    return createSecretSource(api, namespace);
  };
  return {
    read: async (reference, signal) => {
      opened ??= open();
      try {
        return await (await opened).read(reference, signal);
      } catch (error) {
        // A configuration that is not there yet may be there with the next try.
        if (error instanceof VarveError && error.code === 'INVALID_INPUT') opened = null;
        throw error;
      }
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
