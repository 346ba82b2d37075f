/**
 * The API server of a test file, with the definitions installed and a client without a rate limit.
 */
import type { OpenKubernetesApi } from '#providers/kubernetes/open-kubernetes-api.ts';
import { openKubernetesApi } from '#providers/kubernetes/open-kubernetes-api.ts';
import { createTimers } from '#providers/node/timers.ts';
import { openTestKubernetes, type TestKubernetes } from '../cluster/test-kubernetes.ts';
import { openResourceServer } from './resource-server.ts';

export interface OperatorServer extends AsyncDisposable {
  readonly cluster: TestKubernetes;
  readonly api: OpenKubernetesApi;
}

export async function openOperatorServer(): Promise<OperatorServer> {
  await using held = new AsyncDisposableStack();
  const cluster = held.use(await openTestKubernetes());
  const installed = await openResourceServer(cluster);
  installed[Symbol.dispose]();
  const api = held.use(
    openKubernetesApi({
      kubeconfig: cluster.kubeconfig,
      userAgent: 'varve-operator/test',
      timers: createTimers(),
      requestsPerSecond: 500,
      burst: 500,
    }),
  );
  const running = held.move();
  return { cluster, api, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
