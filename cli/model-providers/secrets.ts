/** Where model keys come from: the environment, or Secrets of a cluster. */
import { VarveError } from '#core/errors.ts';
import type { SecretSource } from '#core/ports/secret-source.ts';
import type { SecretReference } from '#core/records/model-provider-spec.ts';
import type { OpenKubernetesApi } from '#providers/kubernetes/open-kubernetes-api.ts';

/** The value does not change while the process runs. */
const VERSION = 'environment';

/** @param environment as it was read at the start of the process */
export function environmentSecrets(
  environment: Readonly<Record<string, string | undefined>>,
): SecretSource {
  return {
    read: (reference) => {
      const variable = variableOf(reference);
      const value = environment[variable];
      if (value !== undefined && value !== '') return Promise.resolve({ value, version: VERSION });
      const message = `Outside of a cluster it is the variable ${variable}; set it for the worker.`;
      return Promise.reject(new VarveError('UNAUTHENTICATED', message));
    },
  };
}

/**
 * `VARVE_SECRET_OPENAI__API_KEY` for the key `api-key` of the Secret `openai`: a variable has
 * letters, digits and `_` alone, so that names which differ in the rest only share one.
 */
export function variableOf({ name, key }: SecretReference): string {
  return `VARVE_SECRET_${asVariable(name)}__${asVariable(key)}`;
}

function asVariable(text: string): string {
  return text.toUpperCase().replaceAll(/[^A-Z0-9]/gu, '_');
}

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
