/** A server that answers as a test says, for answers that a real one rarely gives, and a client. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  openKubernetesApi,
  type KubernetesApiOptions,
  type OpenKubernetesApi,
} from '#providers/kubernetes/open-kubernetes-api.ts';
import { createTimers } from '#providers/node/timers.ts';

export const NOTES = {
  group: 'test.dev',
  version: 'v1',
  kind: 'Note',
  plural: 'notes',
  isNamespaced: true,
};
export const PLACE = { namespace: 'a', name: 'note' };
export const NOTE = {
  apiVersion: 'test.dev/v1',
  kind: 'Note',
  metadata: { ...PLACE, resourceVersion: '7' },
};

export interface AskedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface ScriptedApi extends AsyncDisposable {
  readonly api: OpenKubernetesApi;
  readonly asked: readonly AskedRequest[];
  /** Connections ever opened, and those open now. */
  readonly connections: { opened: number; readonly open: ReadonlySet<Socket> };
  /** Path of its kubeconfig. */
  readonly kubeconfig: string;
  readonly folder: string;
}

export type Answer = (request: AskedRequest, response: ServerResponse) => void;

export interface ScriptedOptions extends Partial<Omit<KubernetesApiOptions, 'kubeconfig'>> {
  /** The user of the kubeconfig, by the folder of the test. */
  readonly user?: (folder: string) => object;
}

export async function scriptedApi(
  answer: Answer,
  { user = () => ({}), ...options }: ScriptedOptions = {},
): Promise<ScriptedApi> {
  await using held = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-scripted-'));
  held.defer(() => rm(folder, { recursive: true, force: true }));
  const asked: AskedRequest[] = [];
  const open = new Set<Socket>();
  const connections = { opened: 0, open };
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part;
    });
    request.once('end', () => {
      const given = { method, url, headers, body };
      asked.push(given);
      answer(given, response);
    });
  });
  server.on('connection', (socket: Socket) => {
    connections.opened += 1;
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  held.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const kubeconfig = path.join(folder, 'kubeconfig');
  await writeFile(kubeconfig, kubeconfigText(`http://127.0.0.1:${String(port)}`, user(folder)));
  const api = held.use(
    openKubernetesApi({
      userAgent: 'varve-test/1',
      timers: createTimers(),
      requestsPerSecond: 10_000,
      burst: 10_000,
      ...options,
      kubeconfig,
    }),
  );
  const kept = held.move();
  return {
    api,
    asked,
    connections,
    kubeconfig,
    folder,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

export function kubeconfigText(server: string, user: object, namespace = 'home'): string {
  const cluster = { server, 'insecure-skip-tls-verify': true };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace } }],
    'current-context': 'x',
  });
}

export function send(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

/** A Status as an API server words it. */
export function statusOf(reason: string, message: string, details: object = {}): object {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
  return { ...status, reason, message, details };
}
