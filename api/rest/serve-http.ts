/** Serves the operations as resources over HTTP: JSON in, JSON out, problems as in RFC 9457. */
import { isUtf8 } from 'node:buffer';
import { VarveError } from '#core/errors.ts';
import { methodNotAllowed } from '../method-not-allowed.ts';
import { setFailureHeaders, knownFailure } from '../error-response.ts';
import { noteOperation } from '../request-log.ts';
import { CONTEXT_PATH, contextPreview } from './chat-context.ts';
import {
  ERRORS_PATH,
  errorsPage,
  PAGE_POLICY,
  PAGE_TYPE,
  escapedHtml,
  page,
  table,
  words,
} from './errors-page.ts';
import { wantsStream, type EventStreams, type StreamOptions } from './event-stream.ts';
import { inputOf, inputSchema, type JsonSchema } from './request-input.ts';
import { openApi } from './openapi.ts';
import { PROBLEM_TYPE, problemDocument } from './problem-json.ts';
import { matchRoute, type Route, parametersOf, ROUTES } from './routes.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';

const PREFIX = '/v1/';
const OPENAPI_PATH = '/openapi.json';

export interface RestOptions extends StreamOptions {
  readonly bodyBytesMax: number;
  readonly streams: EventStreams;
}

/** Whether a request is for this interface, and not for tRPC. */
export function isRest({ url }: Pick<IncomingMessage, 'url'>): boolean {
  const pathname = pathnameOf(url);
  return pathname.startsWith(PREFIX) || isOpen(pathname);
}

/** Pages that are the same for every installation, and open to everybody. */
function isOpen(pathname: string): boolean {
  return pathname === OPENAPI_PATH || pathname === ERRORS_PATH || pathname === DOCS_PATH;
}

export async function answerRest(
  request: IncomingMessage,
  response: ServerResponse,
  options: RestOptions,
): Promise<void> {
  try {
    const pathname = pathnameOf(request.url);
    if (isOpen(pathname)) answerOpen(request, response, pathname);
    else if (wantsStream(request)) await options.streams.answer(request, response, options);
    else {
      const body = JSON.stringify(await called(request, options));
      send(response, 200, { type: 'application/json', body });
    }
  } catch (error) {
    if (!request.complete) leaveUnread(request, response);
    sendProblem(response, error, options);
  }
}

/** @throws VarveError INVALID_INPUT for any method but GET */
function answerOpen(
  { method = 'GET' }: IncomingMessage,
  response: ServerResponse,
  pathname: string,
): void {
  if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed('GET');
  if (pathname === OPENAPI_PATH) {
    send(response, 200, { type: 'application/json', body: JSON.stringify(openApi()) });
    return;
  }
  response.setHeader('content-security-policy', PAGE_POLICY);
  const body = pathname === ERRORS_PATH ? errorsPage() : docsPage();
  send(response, 200, { type: PAGE_TYPE, body });
}

/** Bytes of an unread body up to which its connection stays open. */
const DRAINED_BYTES_MAX = 65_536;

/**
 * Reads the rest of a refused request and drops it, so that the answer arrives. The connection
 * closes if much is left: a new connection for every refusal costs more than a small body.
 */
export function leaveUnread(request: IncomingMessage, response: ServerResponse): void {
  const length = Number(request.headers['content-length'] ?? Number.NaN);
  if (!(length <= DRAINED_BYTES_MAX)) response.setHeader('connection', 'close');
  request.resume();
}

async function called(request: IncomingMessage, options: RestOptions): Promise<unknown> {
  const principal = await options.authenticate(request);
  const { ports } = options;
  const url = new URL(request.url ?? '/', 'http://localhost');
  requireUtf8(url.search);
  if (url.pathname === CONTEXT_PATH) {
    if (request.method !== 'GET') throw methodNotAllowed('GET');
    return contextPreview(ports, principal, url.searchParams);
  }
  const { route, params } = found(request.method ?? 'GET', url.pathname);
  noteOperation(route.name);
  const header = request.headers['idempotency-key'];
  const input = inputOf(route, {
    params,
    query: url.searchParams,
    body: await bodyOf(request, options),
    idempotencyKey: typeof header === 'string' ? header : undefined,
  });
  const { operation } = route;
  const answer: unknown = await operation.call(ports, principal, input);
  if (answer === null) {
    throw new VarveError('NOT_FOUND', `${route.name} found nothing under this path.`);
  }
  // Parse by the output schema, so that no field leaves that the row does not declare.
  return operation.output.parse(answer);
}

/** @throws VarveError NOT_FOUND, INVALID_INPUT */
function found(method: string, pathname: string) {
  const match = matchRoute(method, pathname);
  if (match.kind === 'Found') return match;
  if (match.kind === 'NoRoute') {
    throw new VarveError('NOT_FOUND', 'There is no such path. GET /openapi.json lists all.');
  }
  throw methodNotAllowed(match.methods.join(', '));
}

const ESCAPES = /(?:%[\da-f]{2})+/giu;

/**
 * Checks that a query string is UTF-8. Two different ids in another encoding could be read as the
 * same text, because each invalid byte becomes U+FFFD.
 * @throws VarveError INVALID_INPUT
 */
export function requireUtf8(query: string): void {
  for (const [escapes] of query.matchAll(ESCAPES)) {
    if (isUtf8(Buffer.from(escapes.replaceAll('%', ''), 'hex'))) continue;
    const message = `The query string has ${escapes}, which is not UTF-8. URL-encode it in UTF-8.`;
    throw new VarveError('INVALID_INPUT', message);
  }
}

function otherType(message: string): VarveError {
  return new VarveError('INVALID_INPUT', message, { details: { status: 415 } });
}

/** Undefined for no body. @throws VarveError INVALID_INPUT, CONTENT_TOO_LONG, CANCELLED */
export async function bodyOf(
  request: IncomingMessage,
  { bodyBytesMax }: Pick<RestOptions, 'bodyBytesMax'>,
): Promise<unknown> {
  const bytes = await bytesOf(request, bodyBytesMax);
  if (bytes.length === 0) return undefined;
  const { 'content-type': type, 'content-encoding': encoding = 'identity' } = request.headers;
  const mediaType = type?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') throw otherType('Send content-type: application/json.');
  if (encoding.toLowerCase() !== 'identity') throw otherType('Send the body uncompressed.');
  // Otherwise, letters in another encoding would be stored as U+FFFD.
  if (!isUtf8(bytes)) {
    throw new VarveError('INVALID_INPUT', 'The body is not in UTF-8. Send JSON in UTF-8.');
  }
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    const message = 'The body is not JSON. Send one object, such as {"query": "…"}, in UTF-8.';
    throw new VarveError('INVALID_INPUT', message);
  }
}

/** @throws VarveError CONTENT_TOO_LONG, CANCELLED if the caller disconnected before the end */
async function bytesOf(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Destroying the stream would close the connection before the answer is sent.
  const body = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      if (bytes > bytesMax) {
        const message = `The body is above ${String(bytesMax)} bytes; send less at a time.`;
        throw new VarveError('CONTENT_TOO_LONG', message, { details: { bytesMax } });
      }
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof VarveError || !request.destroyed) throw cause;
    throw new VarveError('CANCELLED', 'The body is incomplete; send all of it.', { cause });
  }
  return Buffer.concat(chunks);
}

function sendProblem(response: ServerResponse, error: unknown, { ports }: RestOptions): void {
  const failure = knownFailure(error, ports.platform.log);
  if (response.headersSent || response.destroyed) return;
  const status = setFailureHeaders(response, failure, 'Bearer');
  send(response, status, { type: PROBLEM_TYPE, body: problemDocument(failure, status) });
}

function send(
  response: ServerResponse,
  status: number,
  { type, body }: { readonly type: string; readonly body: string },
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
  response.end(body);
}

function pathnameOf(url: string | undefined): string {
  return (url ?? '/').split('?', 1)[0] ?? '/';
}

/** `/docs`: every resource path with its parameters and an example, made from the same table. */
const DOCS_PATH = '/docs';

let made: string | undefined;

/** Returns HTML; the same table gives the same page. */
function docsPage(): string {
  made ??= page('REST', [
    '<h1>REST</h1>',
    '<p>Send the token of the installation as <code>Authorization: Bearer …</code>. Generators of ',
    'clients read <a href="/openapi.json">/openapi.json</a>; <a href="/errors">/errors</a> says ',
    'what to do about each code.</p>',
    table(
      ['Path', 'What it does'],
      ROUTES.map((route) => ({ cells: [linked(route), words(route.operation.summary)] })),
    ),
    ...ROUTES.map(section),
  ]);
  return made;
}

function linked({ name, method, path }: Route): string {
  return `<a href="#${name}"><code>${method} ${escapedHtml(path)}</code></a>`;
}

function section(route: Route): string {
  const { name, method, path, operation } = route;
  const inPath = new Set(parametersOf(route));
  const isQuery = method === 'GET' || method === 'DELETE';
  const { properties = {}, required = [] } = inputSchema(route);
  const rows = Object.entries(properties).map(([field, schema]) => {
    const place = inPath.has(field) ? 'path' : isQuery ? 'query' : 'body';
    const must = inPath.has(field) || required.includes(field) ? 'yes' : '';
    const cells = [`<code>${field}</code>`, place, must, escapedHtml(typeOf(schema))];
    return { cells: [...cells, words(schema.description ?? '')] };
  });
  return [
    `<section id="${name}"><h3><code>${method} ${escapedHtml(path)}</code></h3>`,
    `<p>${words(operation.summary)}</p>`,
    rows.length === 0 ? '' : table(['Field', 'In', 'Required', 'Type', 'Meaning'], rows),
    `<p>Input, and the answer:</p>${example(operation.example.input)}`,
    `${example(operation.example.output)}</section>`,
  ].join('\n');
}

function example(value: unknown): string {
  return value === undefined ? '' : `<pre>${escapedHtml(JSON.stringify(value, null, 2))}</pre>`;
}

function typeOf(schema: JsonSchema): string {
  if (schema.type !== undefined) return schema.type;
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ');
  return schema.$ref?.split('/').at(-1) ?? 'any';
}
