/**
 * Serves the API of mem0's clients at `/mem0`: the operations on memories, with mem0's names.
 * Everything that it keeps is visible through the other interfaces.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { VarveError } from '#core/errors.ts';
import { methodNotAllowed } from '../method-not-allowed.ts';
import { setFailureHeaders, knownFailure } from '../error-response.ts';
import { libraryOf } from '../library.ts';
import { parseInput } from '../parse-input.ts';
import { authorize, LOCAL_OPERATOR, type Principal } from '../principal.ts';
import { bodyOf, leaveUnread, requireUtf8, type RestOptions } from '../rest/serve-http.ts';
import { Tenant } from '../schemas/shared-fields.ts';
import { matchMem0, MEM0_ROUTES } from './routes.ts';

const PREFIX = '/mem0';
const DEFAULT_TENANT = 'default';
/** `/mem0/v1/…`, or `/mem0/tenants/acme/v1/…` for the token of an installation. */
const ADDRESS = /^\/mem0(?:\/tenants\/(?<tenant>[^/]*))?(?<path>\/.*)?$/u;

export function isMem0({ url }: Pick<IncomingMessage, 'url'>): boolean {
  const pathname = url?.split('?', 1)[0] ?? '';
  return pathname === PREFIX || pathname.startsWith(`${PREFIX}/`);
}

export async function answerMem0(
  request: IncomingMessage,
  response: ServerResponse,
  options: RestOptions,
): Promise<void> {
  try {
    send(response, 200, await answered(request, options));
  } catch (error) {
    if (!request.complete) leaveUnread(request, response);
    refuse(response, error, options);
  }
}

async function answered(request: IncomingMessage, options: RestOptions): Promise<unknown> {
  const { socket } = request;
  const principal = await options.authenticate({ socket, headers: withBearer(request) });
  const { pathname, search, searchParams } = new URL(request.url ?? PREFIX, 'http://localhost');
  requireUtf8(search);
  const { tenant: asked, path = '/' } = ADDRESS.exec(pathname)?.groups ?? {};
  const tenant = tenantOf(principal, asked);
  authorize(principal, { tenant });
  const match = matchMem0(request.method ?? 'GET', path);
  if (!('handler' in match)) throw noRoute(match);
  const body = await bodyOf(request, options);
  const name = principal.name === LOCAL_OPERATOR.name ? 'mem0' : principal.name;
  const caller = { ...principal, name, tenants: [tenant] };
  return match.handler({
    ports: options.ports,
    principal: caller,
    tenant,
    calls: libraryOf(options.ports, caller),
    params: match.params,
    query: Object.fromEntries(searchParams),
    body,
  });
}

/** mem0's clients send `Token KEY`; the key or token is one of Varve. */
function withBearer({ headers }: IncomingMessage): IncomingMessage['headers'] {
  const authorization = headers.authorization?.replace(/^Token +/iu, 'Bearer ');
  return authorization === undefined ? headers : { ...headers, authorization };
}

/** A key has exactly one tenant. */
function tenantOf({ tenants }: Principal, asked: string | undefined): string {
  if (asked !== undefined) return parseInput(Tenant, asked);
  return tenants === 'all' ? DEFAULT_TENANT : (tenants[0] ?? DEFAULT_TENANT);
}

function noRoute(methods: readonly string[]): VarveError {
  if (methods.length > 0) return methodNotAllowed(methods.join(', '));
  const message = `Varve has no such path of mem0's. It has ${MEM0_ROUTES.join(', ')}.`;
  return new VarveError('NOT_FOUND', message);
}

/** mem0's clients read the message from `detail`. */
function refuse(response: ServerResponse, error: unknown, { ports }: RestOptions): void {
  const failure = knownFailure(error, ports.platform.log);
  if (response.headersSent || response.destroyed) return;
  const { code, message, retryable, details } = failure;
  const status = setFailureHeaders(response, failure, 'Token');
  send(response, status, { detail: message, code, retryable, details });
}

function send(response: ServerResponse, status: number, answer: unknown): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(answer));
}
