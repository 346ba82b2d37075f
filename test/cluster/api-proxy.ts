/**
 * Stands before an API server and lets things go wrong by a seed: watch events that are dropped,
 * repeated or late, watches that break, fall silent or expire, conflicts and failures of requests.
 * It records what was asked, by verb and resource.
 *
 * A client reaches it by a kubeconfig of its own and has the rights of the user it was opened for.
 */
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

import { seededChance } from '../grounding/write-sets.ts';
import { NO_FAULTS, type FaultChances } from './api-proxy/faults.ts';
import { Relay } from './api-proxy/relay.ts';
import { RequestRecord } from './api-proxy/request-record.ts';
import { openUpstream } from './api-proxy/upstream.ts';
import type { WatchRelay } from './api-proxy/watch-relay.ts';

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
  /** All open watches stay open and say only where they are, until they are cut; how many. */
  holdWatches(): number;
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
    holdWatches: () => toAll((watch) => watch.hold()),
    bookmarkWatches: () => toAll((watch) => watch.bookmark()),
    expireWatches: () => toAll((watch) => watch.expire()),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
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
