/** The HTTP server around the router: TLS, bearer tokens, bounded bodies, timeouts. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Server } from 'node:net';
import { createHTTPHandler } from '@trpc/server/adapters/standalone';
import { VarveError } from '#core/errors.ts';
import type { TokenReader } from '#core/ports/access-token-reader.ts';
import { retryAfterHeader } from './error-response.ts';
import { toTrpcError } from './trpc-errors.ts';
import { type Authenticate, authenticator, withEarlyRefusal } from './authenticate.ts';
import { connectionsMax, listen } from './http-port.ts';
import { answerMcp, isMcp } from './mcp/serve-http.ts';
import { answerMem0, isMem0 } from './mem0/serve-http.ts';
import type { ApiPorts } from './api-ports.ts';
import { answerProbe, probeOf, type ProbeSource } from './probes.ts';
import {
  hasHost,
  answerHostRequired,
  answerMethodNotAllowed,
  answerMalformed,
} from './malformed-requests.ts';
import { withRequestLog, noteCaller } from './request-log.ts';
import { createEventStreams, type EventStreams, type StreamTimes } from './rest/event-stream.ts';
import { answerRest, isRest } from './rest/serve-http.ts';
import { router } from './trpc-router.ts';
import { trpcIndex } from './trpc-help-page.ts';
import { answerScrape, isScrape } from './metrics-endpoint.ts';
import { keepPair, readPair, type TlsFiles } from './tls-certificate.ts';

/** Not registered with IANA; pages and clients use it if no address is given. */
export const DEFAULT_API_PORT = 7420;
const BODY_BYTES_MAX = 4 * 1024 * 1024;
/** The URL carries the inputs of queries and takes up to nine bytes per character. */
const HEADER_BYTES_MAX = 128 * 1024;
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** Interval between checks for connections that exceed a timeout. */
const TIMEOUT_LOOK_MS = 2_000;
/** Maximum idle time of a connection without a call. */
const IDLE_TIMEOUT_MS = 5_000;
/** Calls of one tRPC request. */
const BATCH_SIZE_MAX = 32;

/** As options of Node's HTTP server. */
const SERVER_LIMITS = {
  maxHeaderSize: HEADER_BYTES_MAX,
  requestTimeout: REQUEST_TIMEOUT_MS,
  headersTimeout: HEADERS_TIMEOUT_MS,
  keepAliveTimeout: IDLE_TIMEOUT_MS,
  connectionsCheckingInterval: TIMEOUT_LOOK_MS,
  // The server refuses such requests itself, with an error code.
  requireHostHeader: false,
};

const PLACE = { what: 'API', setting: '--api-port' };

interface ApiServerOptions {
  readonly ports: ApiPorts;
  readonly host: string;
  /** 0 for any free port; null for the default port, or a free one if it is taken. */
  readonly port: number | null;
  /** Token of the operator, which permits everything; callers may send an API key instead. */
  readonly token: string;
  /** Readers of other issuers' tokens; without any, callers need the token or an API key. */
  readonly tokenReaders?: readonly TokenReader[];
  /** Certificate files, reread when they change; the server uses plain HTTP if absent. */
  readonly tls?: TlsFiles & { readonly checkEveryMs?: number };
  /** Answers `/healthz` and `/readyz` without authentication; absent if another port does. */
  readonly probes?: ProbeSource;
  /** Whether to log a line per request; off if absent. */
  readonly isRequestLogOn?: boolean;
  /** How long calls in progress may take on shutdown; they are cut at once if absent. */
  readonly finishWithinMs?: number;
  /** Maximum open files and sockets of the process; null or absent if unknown. */
  readonly openFilesMax?: number | null;
  /** How often event streams are serviced; every second if absent. */
  readonly streamTimes?: StreamTimes;
}

export interface ApiServer extends AsyncDisposable {
  readonly url: string;
}

/** @throws VarveError INVALID_INPUT if the port is taken or the files hold no certificate */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { ports, host, token, tls, openFilesMax = null, finishWithinMs = 0 } = options;
  const { isRequestLogOn = false } = options;
  const streams = createEventStreams(options.streamTimes);
  const { server, keep } = await serverOf(
    options,
    withRequestLog(answering(options, streams), { ports, isOn: isRequestLogOn, secret: token }),
  );
  answerMalformed(server);
  server.maxConnections = connectionsMax(openFilesMax);
  const port = await portOf(server, options);
  const keeping = keep();
  const scheme = tls === undefined ? 'http' : 'https';
  return {
    url: `${scheme}://${host}:${String(port)}`,
    [Symbol.asyncDispose]: async () => {
      keeping?.[Symbol.dispose]();
      streams[Symbol.dispose]();
      // An idle kept-alive connection would delay shutdown by seconds.
      server.keepAliveTimeout = 1;
      server.keepAliveTimeoutBuffer = 0;
      const cut = setTimeout(() => {
        server.closeAllConnections();
      }, finishWithinMs);
      await new Promise((resolve) => server.close(resolve));
      clearTimeout(cut);
    },
  };
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Once the server listens, `keep` reloads the certificate; without TLS it returns null. */
async function serverOf({ tls, ports }: ApiServerOptions, answer: Answer) {
  if (tls === undefined) return { server: createServer(SERVER_LIMITS, answer), keep: () => null };
  const first = await readPair(tls);
  const handshakeTimeout = HEADERS_TIMEOUT_MS;
  const server = createTlsServer({ ...SERVER_LIMITS, handshakeTimeout, ...first }, answer);
  const { checkEveryMs } = tls;
  const { log } = ports.platform;
  return { server, keep: () => keepPair(server, { files: tls, first, log, checkEveryMs }) };
}

/** Returns the handler that routes a request to its page or interface. */
function answering(
  options: ApiServerOptions,
  streams: EventStreams,
): (...call: Parameters<Answer>) => Promise<void> {
  const { ports, probes, token } = options;
  const noting =
    (authenticated: Authenticate): Authenticate =>
    async (request) => {
      const principal = await authenticated(request);
      noteCaller(principal);
      return principal;
    };
  const known = authenticator({ ...options, unknownCallers: ports.callLimiter });
  const authenticate = noting(withEarlyRefusal(known, ports.callLimiter));
  const handler = createHTTPHandler({
    router,
    maxBodySize: BODY_BYTES_MAX,
    maxBatchSize: BATCH_SIZE_MAX,
    responseMeta: ({ errors }) => {
      const after = errors
        .map(({ cause }) => retryAfterHeader(cause))
        .find((each) => each !== null);
      return after === undefined ? {} : { headers: { 'retry-after': after } };
    },
    createContext: async ({ req }) => ({
      ports,
      principal: await authenticate(req).catch((error: unknown) => {
        throw toTrpcError(error);
      }),
    }),
  });
  const { metricsPage, isMetricsOpen: isOpen, platform } = ports;
  const scrape = { page: metricsPage, isOpen, token, log: platform.log };
  // A caller that follows events had a valid key when the stream began.
  const follower = noting((request) => known(request, true));
  const rest = { ports, bodyBytesMax: BODY_BYTES_MAX, authenticate, follower, streams };
  return async (request, response) => {
    const page = probes === undefined ? null : probeOf(request);
    if (probes !== undefined && page !== null) {
      answerProbe(request, response, { source: probes, page });
    } else if (!hasHost(request)) answerHostRequired(response);
    else if (isFront(request)) answerFront(response);
    else if (isScrape(request)) await answerScrape(request, response, scrape);
    else if (isRest(request)) await answerRest(request, response, rest);
    else if (isMcp(request)) await answerMcp(request, response, rest);
    else if (isMem0(request)) await answerMem0(request, response, rest);
    // TRACE is handled here, since a request of the fetch standard can't have this method.
    else if (request.method === 'TRACE') answerMethodNotAllowed(response);
    else handler(request, response);
  };
}

/** Listens, and returns the port. @throws VarveError INVALID_INPUT if a requested one is taken */
async function portOf(server: Server, { host, port }: ApiServerOptions): Promise<number> {
  if (port !== null) return listen(server, { host, port, ...PLACE });
  try {
    return await listen(server, { host, port: DEFAULT_API_PORT, ...PLACE });
  } catch (error) {
    if (!(error instanceof VarveError)) throw error;
    return listen(server, { host, port: 0, ...PLACE });
  }
}

/** Checks early that the port is free. @throws VarveError INVALID_INPUT if it is taken */
export async function checkApiPort(place: { host: string; port: number }): Promise<void> {
  const server = createServer();
  await listen(server, { ...place, ...PLACE });
  await new Promise((resolve) => server.close(resolve));
}

function isFront({ method, url }: IncomingMessage): boolean {
  return method === 'GET' && url?.split('?', 1)[0] === '/';
}

/** Points anybody to the API, without authentication: every installation gives the same answer. */
function answerFront(response: ServerResponse): void {
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.end(trpcIndex());
}
