/** Writes a log line and a span for each request, with an id that caller and log share. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NO_TRACING, type OpenSpan, type SpanFacts } from '#core/ports/tracing.ts';
import { readTraceparent } from '#core/trace-context.ts';
import type { ApiPorts } from './api-ports.ts';
import type { Principal } from './principal.ts';

/** What becomes known about a request while it is answered. */
interface RequestNote {
  readonly id: string;
  readonly operations: Set<string>;
  principal: Principal | null;
}

interface RequestLogOptions {
  readonly ports: Pick<ApiPorts, 'platform' | 'timer'>;
  /** Whether requests get lines; each gets an id anyway. */
  readonly isOn: boolean;
  /** The key for hashing callers, so that nobody can guess their names from the lines. */
  readonly secret: string;
}

const CALLER_LENGTH = 16;
/** Status for a caller that disconnected before the answer. */
const CLIENT_CLOSED = 499;
const SERVER_FAILURE = 500;
/** Requested every few seconds by probes and scrapers. */
const WATCHED = new Set(['/healthz', '/readyz', '/metrics']);

const current = new AsyncLocalStorage<RequestNote>();

/** Answers within a note and a span for the request, and writes its line when it is over. */
export function withRequestLog(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  { ports: { platform, timer }, isOn, secret }: RequestLogOptions,
) {
  const { log, newId, tracing } = platform;
  const answered = async (request: IncomingMessage, response: ServerResponse, span: OpenSpan) => {
    const note: RequestNote = {
      id: requestIdOf(request, newId),
      operations: new Set(),
      principal: null,
    };
    response.setHeader(REQUEST_ID_HEADER, note.id);
    const begunAt = timer();
    const over = new Promise((resolve) => response.once('close', resolve));
    try {
      await current.run(note, () => answer(request, response));
    } catch (error) {
      log.error({ request: note.id, error }, 'request failed unexpectedly');
      response.destroy();
    }
    await over;
    const { principal, operations } = note;
    const status = response.writableFinished ? response.statusCode : CLIENT_CLOSED;
    noteSpan(span, operations, status);
    if (!isOn) return;
    const level = isWatched(request) ? 'debug' : 'info';
    const fields = {
      request: note.id,
      caller: principal === null ? null : callerOf(principal, secret),
      operation: operations.size === 0 ? null : [...operations].join(','),
      status,
      durationMs: Math.round(timer() - begunAt),
    };
    log[level](fields, 'request');
  };
  return (request: IncomingMessage, response: ServerResponse): void => {
    const spans = isWatched(request) ? NO_TRACING : tracing;
    spans
      .inSpan(spanOf(request), (span) => answered(request, response, span))
      .catch((error: unknown) => {
        log.error({ error }, 'request not logged');
      });
  };
}

/** Leaves out addresses, which contain ids of people and, for a query, its whole input. */
function spanOf({ method = 'GET', headers }: IncomingMessage): SpanFacts {
  const { traceparent } = headers;
  const parent = typeof traceparent === 'string' ? readTraceparent(traceparent) : null;
  const attributes = { 'http.request.method': method };
  return { name: method, kind: 'server', parent, attributes };
}

function noteSpan(span: OpenSpan, operations: ReadonlySet<string>, status: number): void {
  const [only] = operations;
  if (only !== undefined && operations.size === 1) span.rename(only);
  span.note({ 'http.response.status_code': status, 'varve.operations': [...operations] });
  if (status >= SERVER_FAILURE) span.fail(String(status));
}

function isWatched({ url }: IncomingMessage): boolean {
  return WATCHED.has(url ?? '');
}

/** Notes the caller of the current request. */
export function noteCaller(principal: Principal): void {
  const note = current.getStore();
  if (note !== undefined) note.principal = principal;
}

/** Notes an operation of the current request; a tRPC request may have several. */
export function noteOperation(name: string): void {
  current.getStore()?.operations.add(name);
}

/** Returns the id of the current request, for log lines about its failures. */
export function currentRequest(): { readonly request?: string } {
  const note = current.getStore();
  return note === undefined ? {} : { request: note.id };
}

/** Returns the same for every request of a caller, until the token of the installation changes. */
function callerOf({ tenants, name }: Principal, secret: string): string {
  const whole = [tenants === 'all' ? '*' : tenants.join(' '), name].join('/');
  return createHmac('sha256', secret).update(whole).digest('hex').slice(0, CALLER_LENGTH);
}

const REQUEST_ID_HEADER = 'x-request-id';
/** Request ids that the log repeats unchanged. */
const WELL_FORMED = /^[\w.-]{1,128}$/u;

function requestIdOf({ headers }: IncomingMessage, newId: () => string): string {
  const given = headers[REQUEST_ID_HEADER];
  return typeof given === 'string' && WELL_FORMED.test(given) ? given : newId();
}
