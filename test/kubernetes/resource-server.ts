/** How an API server judges a resource without storing it: dry runs that refuse unknown fields. */
import { Agent, request, type RequestOptions } from 'node:https';
import { text } from 'node:stream/consumers';
import { KubeConfig } from '@kubernetes/client-node';
import { DEFINITIONS } from '#crds/kinds-and-columns.ts';
import type { Cluster } from '../cluster/control-plane/cluster.ts';
import { installDefinitions } from '../cluster/test-kubernetes.ts';

const STRICT = 'dryRun=All&fieldValidation=Strict';

export interface ServerVerdict {
  readonly isAccepted: boolean;
  /** Why not; empty where it is accepted. */
  readonly message: string;
}

export interface ResourceServer extends Disposable {
  /** As `kubectl create --dry-run=server`. */
  create(namespace: string, resource: object): Promise<ServerVerdict>;
  /** As `kubectl replace --dry-run=server` over what is there. */
  replace(namespace: string, resource: object): Promise<ServerVerdict>;
}

/**
 * Installs the printed definitions, waits until they are served, and talks to the server by the
 * certificate of its administrator.
 */
export async function openResourceServer(cluster: Cluster): Promise<ResourceServer> {
  await installDefinitions(cluster);
  const config = new KubeConfig();
  config.loadFromFile(cluster.kubeconfig);
  const credentials: RequestOptions = {};
  await config.applyToHTTPSOptions(credentials);
  const server = new URL(config.getCurrentCluster()?.server ?? '');
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const send = async (method: string, place: string, body: object): Promise<ServerVerdict> => {
    const url = new URL(`${place}?${STRICT}`, server);
    const { ca, cert, key } = credentials;
    const sent = request(url, {
      method,
      agent,
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      headers: { 'content-type': 'application/json' },
    });
    return verdictOf(await answerTo(sent, JSON.stringify(body)));
  };
  return {
    create: (namespace, resource) => send('POST', collectionOf(namespace, resource), resource),
    replace: (namespace, resource) =>
      send('PUT', `${collectionOf(namespace, resource)}/${nameOf(resource)}`, resource),
    [Symbol.dispose]: () => {
      agent.destroy();
    },
  };
}

async function answerTo(sent: ReturnType<typeof request>, body: string): Promise<Answer> {
  const answered = Promise.withResolvers<Answer>();
  sent.once('error', answered.reject);
  sent.once('response', (response) => {
    const status = response.statusCode ?? 0;
    text(response).then((json) => {
      answered.resolve({ status, message: messageOf(json) });
    }, answered.reject);
  });
  sent.end(body);
  return answered.promise;
}

interface Answer {
  readonly status: number;
  readonly message: string;
}

/** Anything but yes and no is a failure of the test. */
function verdictOf({ status, message }: Answer): ServerVerdict {
  if (status === 200 || status === 201) return { isAccepted: true, message: '' };
  if (![400, 403, 422].includes(status)) throw new Error(`HTTP ${String(status)}: ${message}`);
  return { isAccepted: false, message };
}

function messageOf(json: string): string {
  const { message } = JSON.parse(json) as { readonly message?: unknown };
  return typeof message === 'string' ? message : '';
}

function collectionOf(namespace: string, resource: object): string {
  const { apiVersion, kind } = resource as { readonly apiVersion: string; readonly kind: string };
  const plural = DEFINITIONS.find(({ type }) => type.kind === kind)?.type.plural ?? '';
  return `/apis/${apiVersion}/namespaces/${namespace}/${plural}`;
}

function nameOf(resource: object): string {
  return (resource as { readonly metadata: { readonly name: string } }).metadata.name;
}
