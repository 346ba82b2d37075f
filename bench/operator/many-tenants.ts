/** A cluster with many tenants, and an operator that sees them for the first time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { KubernetesApi, KubernetesObject, ResourceType } from '#core/ports/kubernetes-api.ts';
import { customResourceDefinition, DEFINITIONS } from '#crds/kinds-and-columns.ts';
import { API_VERSION } from '#crds/metadata.ts';
import { MEMORY_TENANT } from '#crds/resource-types.ts';

const AT_ONCE = 16;
const PAGE = 500;

const DEFINITION: ResourceType = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  isNamespaced: false,
};

/** Installs the four kinds. The server may still refuse to list them for a moment. */
export async function installDefinitions(api: KubernetesApi): Promise<void> {
  for (const definition of DEFINITIONS) {
    const object = customResourceDefinition(definition) as KubernetesObject;
    await api.apply(DEFINITION, object, { fieldManager: 'bench', force: true });
  }
}

/** Creates tenants with a budget and nothing else. */
export async function declareTenants(
  api: KubernetesApi,
  namespace: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  const numbers = Array.from({ length: to - from }, (_, n) => from + n);
  const worker = async (): Promise<void> => {
    for (let n = numbers.pop(); n !== undefined; n = numbers.pop()) {
      const name = `tenant-${String(n)}`;
      const spec = { budget: { tokens: 1_000_000, dollars: '25.00' } };
      await api.create(MEMORY_TENANT, {
        apiVersion: API_VERSION,
        kind: 'MemoryTenant',
        metadata: { namespace, name },
        spec,
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Returns all of them as the server has them. */
export async function listTenants(
  api: KubernetesApi,
  namespace: string,
): Promise<readonly KubernetesObject[]> {
  const items: KubernetesObject[] = [];
  let continueToken: string | null = null;
  do {
    const more = continueToken === null ? {} : { continueToken };
    const page = await api.list(MEMORY_TENANT, { namespace, limit: PAGE, ...more });
    items.push(...page.items);
    continueToken = page.continueToken;
  } while (continueToken !== null);
  return items;
}

/** Whether the status is about the current spec and says that it is in force. */
export function isInForce(object: KubernetesObject): boolean {
  const status = object['status'] as
    | {
        readonly observedGeneration?: number;
        readonly conditions?: readonly { readonly type: string; readonly status: string }[];
      }
    | undefined;
  const isSeen = status?.observedGeneration === object.metadata.generation;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return isSeen && ready?.status === 'True';
}

/** An API server for the measurement: the one that the tests build, in a separate process. */
export interface BenchControlPlane extends AsyncDisposable {
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
}

const SERVE = path.resolve(import.meta.dirname, '../../test/cluster/control-plane/serve.ts');

/** Starts it; builds it first if needed, which takes minutes. */
export async function startBenchControlPlane(): Promise<BenchControlPlane> {
  const server = spawn(process.execPath, [SERVE], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(server, 'exit');
  for await (const kubeconfig of createInterface({ input: server.stdout })) {
    return {
      kubeconfig,
      [Symbol.asyncDispose]: async () => {
        server.stdin.end();
        await ended;
      },
    };
  }
  throw new Error('The control plane did not start.');
}
