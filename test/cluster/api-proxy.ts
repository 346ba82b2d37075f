/**
 * Stands before an API server and lets things go wrong by a seed: watch events that are dropped,
 * repeated or late, watches that break, fall silent or expire, conflicts and failures of requests.
 * It records what was asked, by verb and resource.
 *
 * A client reaches it by a kubeconfig of its own and has the rights of the user it was opened for.
 */
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

import type { Chance } from '../grounding/values.ts';
import { seededChance } from '../grounding/write-sets.ts';
import { readApiRequest } from './api-proxy/api-request.ts';
import { NO_FAULTS, refusalOf, requestFault, type FaultChances } from './api-proxy/faults.ts';
import { RequestRecord, type RecordedRequest } from './api-proxy/request-record.ts';
import { openUpstream, type Upstream } from './api-proxy/upstream.ts';
import { WatchRelay } from './api-proxy/watch-relay.ts';

export interface ApiProxy extends AsyncDisposable {
  /** Path of the kubeconfig of its clients. */
  readonly kubeconfig: string;
  readonly record: RequestRecord;
  /** From now on, for watches that are open too. */
  setFaults(chances: Partial<FaultChances>): void;
  /** Those that are open. */
  watchCount(): number;
  /** Breaks all open watches; answers how many. */
  cutWatches(): number;
  /** All open watches stay open and say nothing more; answers how many. */
  silenceWatches(): number;
  /** Sends a bookmark on all open watches; answers how many. */
  bookmarkWatches(): number;
  /** Ends all open watches with an event 410; answers how many. */
  expireWatches(): number;
}

export interface ApiProxyOptions {
  /** Whose rights the clients have; a file of the tests' control plane. */
  readonly kubeconfig: string;
  /** Folder of its authority and its serving certificate. */
  readonly keys: string;
  readonly seed: number;
}

const LOCALHOST = '127.0.0.1';

export async function startApiProxy(options: ApiProxyOptions): Promise<ApiProxy> {
  await using held = new AsyncDisposableStack();
  const upstream = held.use(await openUpstream(options.kubeconfig));
  const record = new RequestRecord();
  const watches = new Set<WatchRelay>();
  const chance = seededChance(options.seed);
  let chances: FaultChances = NO_FAULTS;
  const relay = new Relay({ upstream, record, watches, chance, chances: () => chances });
  const [key, cert] = await Promise.all(
    ['serving.key', 'serving.crt'].map((name) => readFile(path.join(options.keys, name))),
  );
  const server = createServer({ key, cert }, (request, answer) => {
    relay.pass(request, answer);
  });
  server.listen(0, LOCALHOST);
  await once(server, 'listening');
  held.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const kubeconfig = path.join(options.keys, `proxy-${port}.kubeconfig`);
  await writeFile(kubeconfig, kubeconfigText(port, upstream.authority));
  held.defer(() => rm(kubeconfig, { force: true }));
  const kept = held.move();
  const toAll = (act: (watch: WatchRelay) => void): number => {
    const open = [...watches];
    for (const watch of open) act(watch);
    return open.length;
  };
  return {
    kubeconfig,
    record,
    setFaults: (given) => {
      chances = { ...NO_FAULTS, ...given };
    },
    watchCount: () => watches.size,
    cutWatches: () => toAll((watch) => watch.cut()),
    silenceWatches: () => toAll((watch) => watch.silence()),
    bookmarkWatches: () => toAll((watch) => watch.bookmark()),
    expireWatches: () => toAll((watch) => watch.expire()),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

interface RelayParts {
  readonly upstream: Upstream;
  readonly record: RequestRecord;
  readonly watches: Set<WatchRelay>;
  readonly chance: Chance;
  readonly chances: () => FaultChances;
}

class Relay {
  readonly #parts: RelayParts;

  constructor(parts: RelayParts) {
    this.#parts = parts;
  }

  pass(request: IncomingMessage, answer: ServerResponse): void {
    const { record, chance, chances } = this.#parts;
    const asked = readApiRequest(request.method ?? '', request.url ?? '');
    const recorded = record.begin(asked);
    answer.once('close', () => {
      record.end(recorded, answer.headersSent ? answer.statusCode : null);
    });
    const fault = requestFault(asked, chances(), chance);
    if (fault === 'Broken') {
      answer.destroy();
      return;
    }
    if (fault === 'Conflict' || fault === 'FailureBefore') {
      request.resume();
      refuse(answer, fault);
      return;
    }
    this.#forward(request, answer, { recorded, isLost: fault === 'FailureAfter' });
  }

  #forward(
    request: IncomingMessage,
    answer: ServerResponse,
    given: { recorded: RecordedRequest; isLost: boolean },
  ): void {
    const { upstream } = this.#parts;
    const { method = '', url = '', headers } = request;
    const sent = upstream.request(method, url, headers);
    answer.once('close', () => sent.destroy());
    // The server is away: to the client the connection breaks, as it would without a proxy.
    sent.once('error', () => answer.destroy());
    sent.once('response', (response) => {
      if (given.isLost) {
        response.resume();
        refuse(answer, 'FailureAfter');
        return;
      }
      const { connection: _own, ...passed } = response.headers;
      answer.writeHead(response.statusCode ?? 0, passed);
      if (given.recorded.verb === 'watch' && response.statusCode === 200) {
        this.#watch(response, answer);
      } else {
        response.once('error', () => answer.destroy());
        response.pipe(answer);
      }
    });
    request.pipe(sent);
  }

  #watch(response: IncomingMessage, answer: ServerResponse): void {
    const { watches, chances, chance, record } = this.#parts;
    const watch = new WatchRelay(response, answer);
    watches.add(watch);
    answer.once('close', () => watches.delete(watch));
    const onEvent = (type: string) => {
      if (type !== 'BOOKMARK') record.events += 1;
    };
    watch.run({ chances, chance, onEvent });
  }
}

function refuse(
  answer: ServerResponse,
  fault: 'Conflict' | 'FailureBefore' | 'FailureAfter',
): void {
  const { code, body } = refusalOf(fault);
  answer.writeHead(code, { 'content-type': 'application/json' }).end(body);
}

/** Without a user: the proxy shows its own credentials to the server. */
function kubeconfigText(port: number, authority: string): string {
  const data = Buffer.from(authority).toString('base64');
  const cluster = { server: `https://${LOCALHOST}:${port}`, 'certificate-authority-data': data };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'proxy', cluster }],
    users: [{ name: 'none', user: {} }],
    contexts: [{ name: 'proxy', context: { cluster: 'proxy', user: 'none' } }],
    'current-context': 'proxy',
  });
}
