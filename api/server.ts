/** The HTTP shell around the router: TLS, bearer token, bounded bodies, slow clients cut. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Server } from 'node:net';
import { createHTTPHandler } from '@trpc/server/adapters/standalone';
import { VarveError } from '#core/errors.ts';
import type { TokenReader } from '#core/ports/token-reader.ts';
import { toTrpcError } from './error-mapping.ts';
import { authenticator } from './authenticate.ts';
import { connectionsMax, listen } from './listener.ts';
import { answerMcp, isMcp } from './mcp/serve.ts';
import { answerMem0, isMem0 } from './mem0/serve.ts';
import type { ApiPorts } from './ports.ts';
import { answerProbe, probeOf, type ProbeSource } from './probes.ts';
import type { Principal } from './principal.ts';
import { hasHost, refuseHost, refuseMethod, refuseUnreadable } from './refusals.ts';
import { logged, noteCaller } from './request-log.ts';
import { createEventStreams, type EventStreams, type StreamTimes } from './rest/event-stream.ts';
import { answerRest, isRest } from './rest/serve.ts';
import { router } from './router.ts';
import { frontPage } from './routes.ts';
import { answerScrape, isScrape } from './scrape.ts';
import { keepPair, readPair, type TlsFiles } from './tls.ts';

const BODY_BYTES_MAX = 4 * 1024 * 1024;
/** Inputs of queries travel in the address: a query takes up to nine bytes a character there. */
const HEADER_BYTES_MAX = 128 * 1024;
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** How often connections are looked at that are over one of these times. */
const TIMEOUT_LOOK_MS = 2_000;
/** Of a connection without a call. */
const IDLE_TIMEOUT_MS = 5_000;
const SECOND_MS = 1_000;
const BATCH_SIZE_MAX = 32;
const LIMITS = {
  maxHeaderSize: HEADER_BYTES_MAX,
  requestTimeout: REQUEST_TIMEOUT_MS,
  headersTimeout: HEADERS_TIMEOUT_MS,
  keepAliveTimeout: IDLE_TIMEOUT_MS,
  connectionsCheckingInterval: TIMEOUT_LOOK_MS,
  // Refused by ourselves, with a code.
  requireHostHeader: false,
};
/** Not registered with IANA; pages and clients take it where no address is given. */
export const DEFAULT_API_PORT = 7420;
const PLACE = { what: 'API', setting: '--api-port' };

export interface ApiServerOptions {
  readonly ports: ApiPorts;
  readonly host: string;
  /** 0 for a free port; null for the default one, or a free one where that is taken. */
  readonly port: number | null;
  /** Of who runs the installation, and may do everything; callers may send an API key instead. */
  readonly token: string;
  /** Who reads tokens of others; callers send the token or keys alone where there is none. */
  readonly tokenReaders?: readonly TokenReader[];
  /** Served over TLS by what these files hold, and come to hold; in plain where absent. */
  readonly tls?: TlsFiles & { readonly lookEveryMs?: number };
  /** Answers `/healthz` and `/readyz` to everybody; absent where another port does. */
  readonly probes?: ProbeSource;
  /** Whether each request has a line in the log; none has where absent. */
  readonly isRequestLogOn?: boolean;
  /** How long calls under way may take when the server ends; they are cut at once where absent. */
  readonly finishWithinMs?: number;
  /** Files and sockets that the process may have open; null or absent where it is not known. */
  readonly openFilesMax?: number | null;
  /** How often streams of events are looked to; each second where absent. */
  readonly streamTimes?: StreamTimes;
}

export interface ApiServer extends AsyncDisposable {
  readonly url: string;
}

/** @throws VarveError INVALID_INPUT where the port is taken, or the files hold no certificate */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { host, tls, openFilesMax = null, finishWithinMs = 0 } = options;
  const streams = createEventStreams(options.streamTimes);
  const { server, keep } = await serverOf(
    options,
    logged(answering(options, streams), requestLogOf(options)),
  );
  refuseUnreadable(server);
  server.maxConnections = connectionsMax(openFilesMax);
  const port = await portOf(server, options);
  const keeping = keep();
  const scheme = tls === undefined ? 'http' : 'https';
  return {
    url: `${scheme}://${host}:${String(port)}`,
    [Symbol.asyncDispose]: async () => {
      keeping?.[Symbol.dispose]();
      streams[Symbol.dispose]();
      // Kept for a next call that will not come, a connection would hold the end up for seconds.
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

function requestLogOf({ ports, isRequestLogOn: isOn = false, token }: ApiServerOptions) {
  return { ports, isOn, secret: token };
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server, and what keeps its certificate once it listens; null where it has none. */
async function serverOf({ tls, ports }: ApiServerOptions, answer: Answer) {
  if (tls === undefined) return { server: createServer(LIMITS, answer), keep: () => null };
  const first = await readPair(tls);
  const handshakeTimeout = HEADERS_TIMEOUT_MS;
  const server = createTlsServer({ ...LIMITS, handshakeTimeout, ...first }, answer);
  const { lookEveryMs } = tls;
  const { log } = ports.platform;
  return { server, keep: () => keepPair(server, { files: tls, first, log, lookEveryMs }) };
}

/** Which page or face answers a request. */
function answering(options: ApiServerOptions, streams: EventStreams): Answer {
  const { ports, probes, token } = options;
  const authenticated = authenticator(options);
  const authenticate = async (request: Pick<IncomingMessage, 'headers'>): Promise<Principal> => {
    const principal = await authenticated(request);
    noteCaller(principal);
    return principal;
  };
  const handler = createHTTPHandler({
    router,
    maxBodySize: BODY_BYTES_MAX,
    maxBatchSize: BATCH_SIZE_MAX,
    responseMeta: ({ errors }) => {
      const after = errors.map(({ cause }) => retryAfter(cause)).find((each) => each !== null);
      return after === undefined ? {} : { headers: { 'retry-after': after } };
    },
    createContext: async ({ req }) => ({
      ports,
      principal: await trpcPrincipal(req, authenticate),
    }),
  });
  const { metricsPage, isMetricsOpen: isOpen, platform } = ports;
  const scrape = { page: metricsPage, isOpen, token, log: platform.log };
  const rest = { ports, bodyBytesMax: BODY_BYTES_MAX, authenticate, streams };
  return (request, response) => {
    const page = probes === undefined ? null : probeOf(request);
    if (probes !== undefined && page !== null) answerProbe(response, probes, page);
    else if (!hasHost(request)) refuseHost(response);
    else if (isFront(request)) answerFront(response);
    else if (isScrape(request)) void answerScrape(request, response, scrape);
    else if (isRest(request)) void answerRest(request, response, rest);
    else if (isMcp(request)) void answerMcp(request, response, rest);
    else if (isMem0(request)) void answerMem0(request, response, rest);
    // The one method that no request of the fetch standard can have, which the handler makes.
    else if (request.method === 'TRACE') refuseMethod(response);
    else handler(request, response);
  };
}

/** @throws VarveError INVALID_INPUT where a port that was asked for is taken */
async function portOf(server: Server, { host, port }: ApiServerOptions): Promise<number> {
  if (port !== null) return listen(server, { host, port, ...PLACE });
  try {
    return await listen(server, { host, port: DEFAULT_API_PORT, ...PLACE });
  } catch (error) {
    if (!(error instanceof VarveError)) throw error;
    return listen(server, { host, port: 0, ...PLACE });
  }
}

/**
 * Looks before anything else is started whether the port can be had.
 * @throws VarveError INVALID_INPUT where it is taken
 */
export async function checkApiPort(place: { host: string; port: number }): Promise<void> {
  const server = createServer();
  await listen(server, { ...place, ...PLACE });
  await new Promise((resolve) => server.close(resolve));
}

function isFront({ method, url }: IncomingMessage): boolean {
  return method === 'GET' && url?.split('?', 1)[0] === '/';
}

/** Says where to go, to anybody: it is the same for every installation. */
function answerFront(response: ServerResponse): void {
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.end(frontPage());
}

/** Whole seconds, as the header has them; null for a failure that does not say. */
function retryAfter(cause: unknown): string | null {
  if (!(cause instanceof VarveError)) return null;
  const { retryAfterMs } = cause.details;
  return typeof retryAfterMs === 'number' ? String(Math.ceil(retryAfterMs / SECOND_MS)) : null;
}

async function trpcPrincipal(
  request: IncomingMessage,
  authenticate: (request: IncomingMessage) => Promise<Principal>,
): Promise<Principal> {
  try {
    return await authenticate(request);
  } catch (error) {
    throw toTrpcError(error);
  }
}
