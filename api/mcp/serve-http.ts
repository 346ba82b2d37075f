/**
 * MCP over streamable HTTP, at `/mcp` of the API. There are no sessions: each POST gets its own
 * server, so nothing is kept between calls and any replica can answer.
 */
import { codeOf, VarveError } from '#core/errors.ts';
import { ERRORS } from '#core/error-codes.ts';
import { Identifiers } from '#core/identifiers.ts';
import type { Log } from '#core/ports/platform.ts';
import { MCP_METHOD_NOT_ALLOWED, methodNotAllowed } from '../method-not-allowed.ts';
import { knownFailure } from '../error-response.ts';
import { libraryOf } from '../library.ts';
import { parseInput } from '../parse-input.ts';
import { authorize, LOCAL_OPERATOR, type Principal } from '../principal.ts';
import { bodyOf, leaveUnread, type RestOptions } from '../rest/serve-http.ts';
import { Tenant } from '../schemas/shared-fields.ts';
import { withCodes } from './coded-errors.ts';
import type { Binding } from './server-binding.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';

const PATH = '/mcp';
/** The JSON-RPC code for a failure of the server itself. */
const SERVER_ERROR = -32_000;
/** Hosts whose pages may call: this machine, whatever other names resolve to it. */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The query string of the address, which a person sets up and no model sees. */
const Address = z.strictObject({
  tenant: Tenant,
  ...Identifiers.shape,
  open: z.enum(['true', 'false']).default('false'),
});

export function isMcp({ url }: Pick<IncomingMessage, 'url'>): boolean {
  const path = url?.split('?', 1)[0];
  return path === PATH || path === `${PATH}/`;
}

export async function answerMcp(
  request: IncomingMessage,
  response: ServerResponse,
  options: RestOptions,
): Promise<void> {
  try {
    checkOrigin(request);
    const principal = await options.authenticate(request);
    if (request.method !== 'POST') throw methodNotAllowed('POST', MCP_METHOD_NOT_ALLOWED);
    const binding = bindingOf(request, principal);
    const body = await bodyOf(request, options);
    const { createMcpServer, Transport } = await loaded();
    const name = principal.name === LOCAL_OPERATOR.name ? 'mcp' : principal.name;
    const isUnlimited = principal.tenants === 'all';
    const caller = { ...principal, name, tenants: [binding.tenant], isUnlimited };
    const calls = libraryOf(options.ports, caller);
    await using held = new AsyncDisposableStack();
    const { log } = options.ports.platform;
    const server = createMcpServer({ calls, binding }, log);
    held.defer(() => server.close());
    const transport = new Transport({ enableJsonResponse: true });
    await server.connect(transport);
    const parsedBody = withoutCancellations(body);
    const answer = await transport.handleRequest(headOf(request), { parsedBody });
    await send(response, answer, log);
  } catch (error) {
    if (!request.complete) leaveUnread(request, response);
    refuse(response, knownFailure(error, options.ports.platform.log));
  }
}

const HEADERS_READ = ['accept', 'content-type', 'mcp-protocol-version'] as const;

/** The part of a request that the transport reads; it gets the body separately. */
function headOf({ headers }: IncomingMessage): Request {
  const read = HEADERS_READ.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as [string, string]] : [];
  });
  return new Request(`http://localhost${PATH}`, { method: 'POST', headers: read });
}

/**
 * Removes cancellations. Nothing is kept between calls, so one can only cancel a call of the same
 * body, which would then never be answered.
 */
function withoutCancellations(body: unknown): unknown {
  if (!Array.isArray(body)) return body;
  const isCancellation = (message: unknown) =>
    (message as { method?: unknown } | null)?.method === 'notifications/cancelled';
  return body.filter((message) => !isCancellation(message));
}

async function send(response: ServerResponse, answer: Response, log: Log): Promise<void> {
  if (response.destroyed) return;
  const text = await answer.text();
  response.writeHead(answer.status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
  });
  response.end(text === '' ? text : JSON.stringify(withCodes(JSON.parse(text), log)));
}

/** Loads the optional package on first use. @throws VarveError MISSING_PACKAGE */
async function loaded() {
  try {
    const [{ createMcpServer }, { WebStandardStreamableHTTPServerTransport }] = await Promise.all([
      import('./server.ts'),
      import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    ]);
    return { createMcpServer, Transport: WebStandardStreamableHTTPServerTransport };
  } catch (cause) {
    if (codeOf(cause) !== 'ERR_MODULE_NOT_FOUND') throw cause;
    const message =
      'MCP needs the package @modelcontextprotocol/sdk, which the server lacks. Run there: ' +
      'npm install @modelcontextprotocol/sdk@1';
    throw new VarveError('MISSING_PACKAGE', message, { cause });
  }
}

/**
 * Refuses a page of another site, whose host name may have been made to resolve to this machine.
 * Programs other than browsers send no Origin.
 * @throws VarveError FORBIDDEN
 */
function checkOrigin({ headers: { origin } }: IncomingMessage): void {
  if (origin === undefined) return;
  const host = URL.canParse(origin) ? new URL(origin).hostname : '';
  if (LOOPBACK.has(host)) return;
  throw new VarveError('FORBIDDEN', 'Pages of another site may not call this server.');
}

/**
 * Returns what the address fixes, with the identifiers that the caller is bound to.
 * @throws VarveError INVALID_INPUT naming the parameter that is wrong, FORBIDDEN for another tenant
 * or another's identifier
 */
function bindingOf({ url }: IncomingMessage, principal: Principal): Binding {
  const { searchParams } = new URL(url ?? PATH, 'http://localhost');
  const { tenant, open, ...identifiers } = parseInput(Address, onceEach(searchParams));
  authorize(principal, { tenant, identifiers });
  return { tenant, identifiers: { ...identifiers, ...principal.bound }, isOpen: open === 'true' };
}

/** A parameter that is given twice stays a list, which no parameter takes. */
function onceEach(parameters: URLSearchParams): object {
  const names = [...new Set(parameters.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = parameters.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

function refuse(response: ServerResponse, failure: VarveError): void {
  if (response.headersSent || response.destroyed) return;
  const { code, message, retryable, details } = failure;
  const { allow } = details;
  if (typeof allow === 'string') response.setHeader('allow', allow);
  if (code === 'UNAUTHENTICATED') response.setHeader('www-authenticate', 'Bearer');
  const status = typeof allow === 'string' ? 405 : ERRORS[code].httpStatus;
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  const error = { code: SERVER_ERROR, message: `${code}: ${message}`, data: { code, retryable } };
  response.end(JSON.stringify({ jsonrpc: '2.0', error, id: null }));
}
