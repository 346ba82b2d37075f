/**
 * Connections that all calls share: one pool for requests and one for watches, so that requests
 * find a connection however many namespaces are watched. The pools are recreated only when the TLS
 * settings change. The vendor's client makes a new dispatcher, and thus a connection, for every
 * request.
 */
import { createHash } from 'node:crypto';
import { Agent, ProxyAgent, type Dispatcher } from 'undici';
import type { Access } from './server-and-credentials.ts';

/** Concurrent requests; further ones wait for a connection. */
const REQUEST_CONNECTIONS_MAX = 32;
/** Each watch holds a connection as long as it lasts: four kinds in 250 namespaces. */
const WATCH_CONNECTIONS_MAX = 1_000;
/** Load balancers drop connections that are silent for 60 s (client-go uses the same delay). */
const KEEP_ALIVE_DELAY_MS = 30_000;
const CONNECT_MS_MAX = 10_000;
/** Each request sets its own timeout, and a watch may be silent for long. */
const NO_LIMIT = 0;

export interface SharedDispatcher extends AsyncDisposable {
  of(access: Access, use: DispatcherUse): Dispatcher;
}

export type DispatcherUse = 'Request' | 'Watch';
type Pools = Readonly<Record<DispatcherUse, Dispatcher>>;

export function createSharedDispatcher(): SharedDispatcher {
  let current: { readonly mark: string; readonly pools: Pools } | null = null;
  /** Former pools that finish their requests; TLS material changes a few times a day at most. */
  const closing = new Set<Pools>();
  const retire = async (pools: Pools) => {
    closing.add(pools);
    await Promise.allSettled([pools.Request.close(), pools.Watch.close()]);
    closing.delete(pools);
  };
  return {
    of(access, use) {
      const mark = markOf(access);
      if (current?.mark === mark) return current.pools[use];
      if (current !== null) retire(current.pools).catch(() => undefined);
      const pools: Pools = {
        Request: createPool(access, REQUEST_CONNECTIONS_MAX),
        Watch: createPool(access, WATCH_CONNECTIONS_MAX),
      };
      current = { mark, pools };
      return pools[use];
    },
    async [Symbol.asyncDispose]() {
      const all = [...closing, ...(current === null ? [] : [current.pools])];
      current = null;
      await Promise.all(all.flatMap(({ Request, Watch }) => [Request.destroy(), Watch.destroy()]));
    },
  };
}

function createPool({ tls, proxyUrl }: Access, connections: number): Dispatcher {
  const connect = {
    ...tls,
    // With HTTP/2 all calls would share one connection, and a hang would stop them all.
    allowH2: false,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS,
    timeout: CONNECT_MS_MAX,
  };
  const limits = {
    allowH2: false,
    connections,
    headersTimeout: NO_LIMIT,
    bodyTimeout: NO_LIMIT,
  };
  if (proxyUrl === null) return new Agent({ ...limits, connect });
  return new ProxyAgent({ ...limits, uri: proxyUrl, requestTls: connect });
}

function markOf({ tls, proxyUrl }: Access): string {
  const hash = createHash('sha256').update(`${String(proxyUrl)}\n`);
  for (const [name, value] of Object.entries(tls)) {
    hash.update(`${name}\n`).update(typeof value === 'boolean' ? String(value) : digestible(value));
  }
  return hash.digest('hex');
}

function digestible(value: unknown): string | Buffer {
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value;
  return JSON.stringify(value);
}
