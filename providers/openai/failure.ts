/**
 * Maps a failure of the endpoint to a VarveError. The endpoint's message is not repeated: it may
 * quote the key or the text that was sent.
 */
import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import { VarveError } from '#core/errors.ts';
import type { ErrorCode } from '#core/error-codes.ts';

/** Codes of OpenAI for permanent failures that have the status of a rate limit. */
const UNPAID: ReadonlySet<unknown> = new Set(['insufficient_quota', 'billing_hard_limit_reached']);
const TOO_LONG_CODES: ReadonlySet<unknown> = new Set([
  'context_length_exceeded',
  'string_above_max_length',
]);
/** Messages of servers without a code for a text that is too long. */
const OF_CONTEXT = /context[ _-]?(?:length|size|window)|\bn_ctx\b/iu;
const TOO_LONG = /too long|too many tokens|maximum.{0,30}tokens|exceeds?.{0,40}tokens/iu;

/** Codes of a connection that was never established, so that nothing was sent. */
const NOT_CONNECTED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);
/** The error of `fetch`, which has no code, for a port that it never calls, such as 1 or 6000. */
const REFUSED_PORT = 'bad port';
/** Maximum depth of nested causes that are read. */
const CAUSES_MAX = 5;

/** What differs between kinds of calls. */
interface Words {
  readonly endpoint: string;
  /** Codes for an endpoint that refuses the key, the account or the model name. */
  readonly refusedKey: ErrorCode;
  readonly forbidden: ErrorCode;
  readonly unknownModel: ErrorCode;
  /** What holds the key: a variable, or an option of the library. */
  readonly key: string;
  readonly tooLong: readonly [ErrorCode, string];
  readonly refused: string;
}

const EMBEDDING: Words = {
  endpoint: 'embedding endpoint',
  refusedKey: 'PROVIDER_REJECTED',
  forbidden: 'PROVIDER_REJECTED',
  unknownModel: 'PROVIDER_REJECTED',
  key: 'VARVE_EMBEDDING_API_KEY, or the option embedding.apiKey',
  tooLong: [
    'CONTENT_TOO_LONG',
    'The text is too long for the embedding model; split it into sections.',
  ],
  refused: 'The embedding endpoint refuses the call. Check model and dimensions.',
};

const CHAT: Words = {
  endpoint: 'model endpoint',
  refusedKey: 'UNAUTHENTICATED',
  forbidden: 'FORBIDDEN',
  unknownModel: 'NOT_FOUND',
  key: 'OPENAI_API_KEY, or the option models.apiKey',
  tooLong: [
    'PROVIDER_REJECTED',
    'The prompt is too long for the model. Set how many tokens it really reads: ' +
      'VARVE_MODEL_…_CONTEXT_TOKENS, or contextTokens in its ModelProvider.',
  ],
  refused: 'The model endpoint refuses the call. Check the name of the model and its token limits.',
};

/** @param now milliseconds since the epoch, for a date in `Retry-After` */
export function embeddingFailure(error: unknown, now: number): VarveError {
  return endpointFailure(error, now, EMBEDDING);
}

/** @param now milliseconds since the epoch, for a date in `Retry-After` */
export function chatFailure(error: unknown, now: number): VarveError {
  return endpointFailure(error, now, CHAT);
}

/** The client's own timeout is as long as ours, so either may fire first. */
export function isTimeout(error: unknown): boolean {
  return error instanceof APIConnectionTimeoutError;
}

function endpointFailure(error: unknown, now: number, words: Words): VarveError {
  if (error instanceof VarveError) return error;
  if (error instanceof APIConnectionError) {
    const message = `The ${words.endpoint} cannot be reached. Check its address and that it runs.`;
    const details = { sent: !neverConnected(error) };
    return new VarveError('PROVIDER_ERROR', message, { cause: error.cause, details });
  }
  if (error instanceof APIError && typeof error.status === 'number') {
    return ofStatus({ ...detailsOf(error), status: error.status }, now, words);
  }
  if (error instanceof SyntaxError) {
    const message = `The ${words.endpoint} gave an unreadable answer. Check its address.`;
    return new VarveError('MODEL_OUTPUT_INVALID', message);
  }
  const message = `The ${words.endpoint} closed the connection within its answer; try again later.`;
  return new VarveError('PROVIDER_ERROR', message);
}

function neverConnected(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < CAUSES_MAX && cause instanceof Error; depth += 1) {
    if ('code' in cause && NOT_CONNECTED.has(cause.code)) return true;
    if (cause.message === REFUSED_PORT) return true;
    cause = cause.cause;
  }
  return false;
}

interface Refusal {
  readonly status: number;
  readonly code: unknown;
  readonly message: string;
  readonly headers: Headers | undefined;
}

function detailsOf({ code, message, headers }: APIError): Omit<Refusal, 'status'> {
  return { code, message, headers: headers instanceof Headers ? headers : undefined };
}

function ofStatus(refusal: Refusal, now: number, words: Words): VarveError {
  const { status } = refusal;
  const [code, message] = meaningOf(refusal, words);
  const retryAfterMs = retryAfterMsOf(refusal.headers, now);
  const isLater = code === 'RATE_LIMITED' || code === 'PROVIDER_ERROR';
  const details = isLater && retryAfterMs !== null ? { status, retryAfterMs } : { status };
  return new VarveError(code, message, { details });
}

function meaningOf(
  { status, code, message }: Refusal,
  { endpoint, key, tooLong, refused, ...codes }: Words,
): readonly [ErrorCode, string] {
  if (status === 401) return [codes.refusedKey, `The ${endpoint} refuses the key. Check ${key}.`];
  if (status === 403) return [codes.forbidden, `The ${endpoint} refuses the key. Check ${key}.`];
  if (status === 402 || (status === 429 && UNPAID.has(code))) {
    return [
      codes.forbidden,
      `The account of the ${endpoint} has no credit left. Check its billing.`,
    ];
  }
  if (status === 413 || isTooLong(status, code, message)) return tooLong;
  if (status === 404) return [codes.unknownModel, refused];
  if (status === 429) {
    return ['RATE_LIMITED', `The ${endpoint} has too many calls; try again later.`];
  }
  if (status === 408) return ['TIMEOUT', `The ${endpoint} did not answer in time.`];
  if (status === 409 || status >= 500) {
    return ['PROVIDER_ERROR', `The ${endpoint} failed; try again later.`];
  }
  return ['PROVIDER_REJECTED', refused];
}

function isTooLong(status: number, code: unknown, message: string): boolean {
  if (status !== 400 && status !== 422) return false;
  return TOO_LONG_CODES.has(code) || isOfContext(message) || TOO_LONG.test(message);
}

/** Whether a message is about the length of a text; "too long" alone may be about a wait. */
export function isOfContext(message: string): boolean {
  return OF_CONTEXT.test(message);
}

/** Longer waits are cut to this; the server asks again afterwards. */
const RETRY_AFTER_MS_MAX = 10 * 60 * 1_000;

/** Returns milliseconds by `Retry-After`, in seconds or as a date (RFC 9110, 10.2.3); else null. */
function retryAfterMsOf(headers: Headers | undefined, now: number): number | null {
  const precise = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  if (precise >= 0) return Math.min(precise, RETRY_AFTER_MS_MAX);
  const text = headers?.get('retry-after')?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/u.test(text)) return Math.min(Number(text) * 1_000, RETRY_AFTER_MS_MAX);
  const at = text === '' ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? null : Math.min(Math.max(0, at - now), RETRY_AFTER_MS_MAX);
}
