/** The HTTP shell around the router: loopback, bearer token, bounded bodies, slow clients cut. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { timingSafeEqual, createHash } from 'node:crypto';
import { createHTTPHandler } from '@trpc/server/adapters/standalone';
import { VarveError } from '#core/errors.ts';
import { toTrpcError } from './error-mapping.ts';
import type { ApiPorts } from './ports.ts';
import { LOCAL_OPERATOR, type Principal } from './principal.ts';
import { router } from './router.ts';

const BODY_BYTES_MAX = 4 * 1024 * 1024;
/** Inputs of queries travel in the address: a query takes up to nine bytes a character there. */
const HEADER_BYTES_MAX = 128 * 1024;
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;
const BATCH_SIZE_MAX = 32;
const METRICS_PATH = '/metrics';

export interface ApiServerOptions {
  readonly ports: ApiPorts;
  readonly host: string;
  /** 0 for a free port. */
  readonly port: number;
  /** What callers send as `Authorization: Bearer …`. */
  readonly token: string;
}

export interface ApiServer extends AsyncDisposable {
  readonly url: string;
}

/** @throws VarveError INVALID_INPUT where the port is taken. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const handler = createHTTPHandler({
    router,
    maxBodySize: BODY_BYTES_MAX,
    maxBatchSize: BATCH_SIZE_MAX,
    createContext: ({ req }) => ({ ports: options.ports, principal: principalOf(req, options) }),
  });
  const server = createServer({ maxHeaderSize: HEADER_BYTES_MAX }, (request, response) => {
    if (isScrape(request)) void answerScrape(request, response, options);
    else handler(request, response);
  });
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  const port = await listen(server, options);
  return {
    url: `http://${options.host}:${String(port)}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Looks before anything else is started whether the port can be had.
 * @throws VarveError INVALID_INPUT where it is taken
 */
export async function checkApiPort(place: { host: string; port: number }): Promise<void> {
  const server = createServer();
  await listen(server, place);
  await new Promise((resolve) => server.close(resolve));
}

function isScrape({ method, url }: IncomingMessage): boolean {
  return method === 'GET' && url?.split('?', 1)[0] === METRICS_PATH;
}

/** The page of metrics. It names no tenant, but tells how much is stored and what fails. */
async function answerScrape(
  request: IncomingMessage,
  response: ServerResponse,
  options: ApiServerOptions,
): Promise<void> {
  const { metricsPage, isMetricsOpen, platform } = options.ports;
  if (metricsPage === null) return end(response, 404, 'Nothing is measured here.\n');
  if (!isMetricsOpen && !hasToken(request, options)) {
    return end(response, 401, 'Send the token of this installation as a bearer token.\n');
  }
  try {
    const text = await metricsPage.render();
    response.setHeader('content-type', metricsPage.contentType);
    return end(response, 200, text);
  } catch (error) {
    platform.log.error({ error }, 'metrics could not be read');
    return end(response, 500, 'The metrics could not be read; the server log says why.\n');
  }
}

function end(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'text/plain');
  response.end(text);
}

/** Digests have equal length, so the comparison takes the same time for every wrong token. */
function hasToken(request: IncomingMessage, { token }: ApiServerOptions): boolean {
  const given = /^Bearer (.+)$/u.exec(request.headers.authorization ?? '')?.[1] ?? '';
  return timingSafeEqual(digest(given), digest(token));
}

function principalOf(request: IncomingMessage, options: ApiServerOptions): Principal {
  if (hasToken(request, options)) return LOCAL_OPERATOR;
  throw toTrpcError(
    new VarveError('UNAUTHENTICATED', 'Send the token of this installation as a bearer token.'),
  );
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

async function listen(
  server: Server,
  { host, port }: Pick<ApiServerOptions, 'host' | 'port'>,
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `The API port ${String(port)} is not free; set another with --api-port.`;
      reject(new VarveError('INVALID_INPUT', message, { details: { port }, cause }));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}
