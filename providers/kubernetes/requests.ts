/** One request to the API server: rate limit, credentials, timeout, meaning of the answer. */
import { VarveError } from '#core/errors.ts';
import type { ResourceType } from '#core/ports/kubernetes-api.ts';
import type { OperatorMetrics } from '#core/ports/metrics.ts';
import type { Access, AccessSource } from './server-and-credentials.ts';
import {
  answerError,
  cancelledError,
  connectionError,
  isMissingObject,
  parsedAnswer,
  refusalError,
  type Refusal,
  timeLimitError,
} from './failure.ts';
import type { RequestLimiter } from './request-limiter.ts';
import type { DispatcherUse, SharedDispatcher } from './shared-dispatcher.ts';
import { request as send, type Dispatcher } from 'undici';

/** The byte that separates lines of a body. */
const NEW_LINE = 0x0a;

/**
 * Reads a whole body.
 * @throws VarveError PROVIDER_ERROR if it is longer
 */
async function readBody(body: AsyncIterable<Buffer>, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw answerError('AnswerTooLong');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Reads the beginning of a body, which only serves to explain a failure. */
async function readBeginning(body: AsyncIterable<Buffer>, bytesMax: number) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk.subarray(0, bytesMax - bytes));
    bytes += chunk.length;
    if (bytes >= bytesMax) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Yields lines as they become complete. Text after the last line break belongs to a line that was
 * cut off, and is dropped.
 * @throws VarveError PROVIDER_ERROR if a line is longer than the limit
 */
export async function* readLines(
  body: AsyncIterable<Buffer>,
  bytesMax: number,
): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    let from = 0;
    for (let at = chunk.indexOf(NEW_LINE); at >= 0; at = chunk.indexOf(NEW_LINE, from)) {
      parts.push(chunk.subarray(from, at));
      bytes += at - from;
      if (bytes > bytesMax) throw answerError('AnswerTooLong');
      const line = Buffer.concat(parts).toString('utf8');
      parts = [];
      bytes = 0;
      from = at + 1;
      if (line !== '') yield line;
    }
    parts.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > bytesMax) throw answerError('AnswerTooLong');
  }
}

/** The API server itself times out after 60 s; a call that takes half of that is better retried. */
export const REQUEST_MS_MAX = 30_000;
/** etcd takes 1.5 MiB per object; JSON with managed fields may be several times that. */
export const OBJECT_BYTES_MAX = 8 * 1_024 * 1_024;
const REFUSAL_BYTES_MAX = 64 * 1_024;
const UNAUTHORIZED = 401;
const MAY_MISS: ReadonlySet<string> = new Set(['GET', 'DELETE']);
/** A Lease that is renewed late is lost, so its requests do not wait behind others. */
const URGENT_GROUP = 'coordination.k8s.io';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Including the query. */
  readonly path: string;
  readonly body?: { readonly contentType: string; readonly value: unknown };
  readonly signal?: AbortSignal | undefined;
  /** Whether it skips the rate limiter's queue. */
  readonly isUrgent?: boolean;
  /** Whether the object is a Secret: nothing of the answer is repeated in an error. */
  readonly isSecret?: boolean;
  /** Which connection pool it uses; that of requests by default. */
  readonly use?: DispatcherUse;
  /** Maximum bytes of the answer. */
  readonly bytesMax: number;
}

export interface Requests {
  /** Returns the answer as JSON; null if GET or DELETE got a 404 for a missing object. */
  answer(request: ApiRequest): Promise<unknown>;
  /** Yields the lines of an endless answer; the limit of bytes applies to each line. */
  lines(request: ApiRequest): AsyncGenerator<string>;
}

/** Returns the request options that follow from the kind alone. */
export function requestOptionsOfKind({ group, plural }: ResourceType) {
  return {
    isUrgent: group === URGENT_GROUP,
    isSecret: group === '' && plural === 'secrets',
    bytesMax: OBJECT_BYTES_MAX,
  };
}

interface RequestsOptions {
  readonly access: AccessSource;
  readonly dispatcher: SharedDispatcher;
  readonly limiter: RequestLimiter;
  readonly metrics: OperatorMetrics;
  readonly userAgent: string;
  readonly timeLimitMs: number;
  /** Aborted when the whole client ends. */
  readonly ending: AbortSignal;
}

export function createRequests(options: RequestsOptions): Requests {
  const { limiter, timeLimitMs, ending } = options;
  const open = ({ signal }: ApiRequest) =>
    openCallSpan(signal === undefined ? [ending] : [ending, signal]);
  return {
    async answer(request) {
      using span = open(request);
      await admitted(limiter, request, span);
      return await span.within(timeLimitMs, translated(span, read(options, request, span)));
    },
    async *lines(request) {
      using span = open(request);
      await admitted(limiter, request, span);
      const opened = translated(span, openBody(options, { ...request, use: 'Watch' }, span));
      const body = await span.within(timeLimitMs, opened);
      try {
        yield* readLines(body, request.bytesMax);
      } catch (error) {
        throw meaningOf(error, span);
      } finally {
        body.destroy();
      }
    },
  };
}

async function admitted(limiter: RequestLimiter, { isUrgent = false }: ApiRequest, span: CallSpan) {
  if (span.isCancelled()) throw cancelledError();
  await limiter(span.signal, isUrgent);
}

async function read(options: RequestsOptions, request: ApiRequest, { signal }: CallSpan) {
  const response = await respond(options, request, signal);
  if (isDone(response)) return parsedAnswer(await readBody(response.body, request.bytesMax));
  const refusal = await refusalOf(request, response);
  if (MAY_MISS.has(request.method) && isMissingObject(refusal)) return null;
  throw refusalError(refusal);
}

async function openBody(options: RequestsOptions, request: ApiRequest, { signal }: CallSpan) {
  const response = await respond(options, request, signal);
  if (isDone(response)) return response.body;
  throw refusalError(await refusalOf(request, response));
}

/** Sends the request, and once more with fresh credentials if the first were refused. */
async function respond(
  options: RequestsOptions,
  request: ApiRequest,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  const access = await options.access.current();
  const response = await sendWith(access, options, { request, signal });
  if (response.statusCode !== UNAUTHORIZED) return response;
  options.access.forget();
  const renewed = await options.access.current();
  if (isSame(access, renewed)) return response;
  response.body.destroy();
  return sendWith(renewed, options, { request, signal });
}

function isSame(a: Access, b: Access): boolean {
  return (
    a.headers['authorization'] === b.headers['authorization'] &&
    String(a.tls.cert) === String(b.tls.cert)
  );
}

async function sendWith(
  access: Access,
  { dispatcher, metrics, userAgent }: RequestsOptions,
  { request, signal }: { readonly request: ApiRequest; readonly signal: AbortSignal },
): Promise<Dispatcher.ResponseData> {
  const { method, path, body, use = 'Request' } = request;
  const { host } = new URL(access.server);
  const count = (code: number) =>
    metrics.count('rest_client_requests_total', { code: String(code), method, host });
  try {
    const response = await send(`${access.server}${path}`, {
      method,
      dispatcher: dispatcher.of(access, use),
      signal,
      headers: {
        ...access.headers,
        accept: 'application/json',
        'user-agent': userAgent,
        ...(body === undefined ? {} : { 'content-type': body.contentType }),
      },
      body: body === undefined ? null : JSON.stringify(body.value),
    });
    // An abandoned body has no listener for its errors, and an unhandled error ends the process.
    response.body.on('error', () => undefined);
    count(response.statusCode);
    return response;
  } catch (error) {
    count(0);
    throw error;
  }
}

async function translated<T>(span: CallSpan, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw meaningOf(error, span);
  }
}

function meaningOf(error: unknown, span: CallSpan): VarveError {
  if (span.isCancelled()) return cancelledError();
  return error instanceof VarveError ? error : connectionError(error);
}

function isDone({ statusCode }: Dispatcher.ResponseData): boolean {
  return statusCode >= 200 && statusCode < 300;
}

async function refusalOf(
  { isSecret = false }: ApiRequest,
  { statusCode, headers, body }: Dispatcher.ResponseData,
): Promise<Refusal> {
  const retryAfter = headers['retry-after'];
  return {
    httpStatus: statusCode,
    body: await readBeginning(body, REFUSAL_BYTES_MAX),
    retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
    isSecret,
  };
}

interface CallSpan extends Disposable {
  /** Aborted when the span ends, for whatever reason, and when it is disposed of. */
  readonly signal: AbortSignal;
  /** Whether the caller cancelled the call, rather than the timeout. */
  isCancelled(): boolean;
  /**
   * Waits for work at most the given milliseconds. The wait also ends for work that ignores the
   * signal, such as a credentials plugin that hangs.
   * @throws VarveError CANCELLED; PROVIDER_ERROR with the reason `Timeout`
   */
  within<T>(limitMs: number, work: Promise<T>): Promise<T>;
}

/**
 * Does not use `AbortSignal.any`: listeners of such a signal live as long as its source signals,
 * and those of a client live as long as the process.
 */
function openCallSpan(outer: readonly AbortSignal[]): CallSpan {
  const own = new AbortController();
  const cancel = () => own.abort();
  for (const signal of outer) signal.addEventListener('abort', cancel, { once: true });
  const isCancelled = () => outer.some(({ aborted }) => aborted);
  if (isCancelled()) own.abort();
  return {
    signal: own.signal,
    isCancelled,
    async within(limitMs, work) {
      const timer = setTimeout(() => own.abort(), limitMs);
      try {
        return await Promise.race([work, abortOf(own.signal)]);
      } catch (error) {
        if (isCancelled()) throw cancelledError();
        throw own.signal.aborted ? timeLimitError(limitMs) : error;
      } finally {
        clearTimeout(timer);
      }
    },
    [Symbol.dispose]() {
      for (const signal of outer) signal.removeEventListener('abort', cancel);
      own.abort();
    },
  };
}

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(cancelledError());
    else signal.addEventListener('abort', () => reject(cancelledError()), { once: true });
  });
}
