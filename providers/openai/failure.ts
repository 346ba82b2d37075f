/**
 * What a failure of the endpoint means. Its own words are not repeated: they may quote the key or
 * the text that was sent.
 */
import { APIConnectionError, APIError } from 'openai';
import { VarveError, type ErrorCode } from '#core/errors.ts';

/** Codes of OpenAI for what no waiting mends, though it comes with the status of a full queue. */
const UNPAID: ReadonlySet<unknown> = new Set(['insufficient_quota', 'billing_hard_limit_reached']);
const TOO_LONG_CODES: ReadonlySet<unknown> = new Set([
  'context_length_exceeded',
  'string_above_max_length',
]);
/** How servers that have no code for it say that a text is too long. */
const TOO_LONG =
  /context length|too long|too many tokens|maximum.{0,30}tokens|exceeds?.{0,40}tokens/iu;

/** @param now milliseconds since the epoch, for a date in `Retry-After` */
export function embeddingFailure(error: unknown, now: number): VarveError {
  if (error instanceof VarveError) return error;
  if (error instanceof APIConnectionError) {
    const message = 'The embedding endpoint cannot be reached. Check its address and that it runs.';
    return new VarveError('PROVIDER_ERROR', message, { cause: error.cause });
  }
  if (error instanceof APIError && typeof error.status === 'number') {
    return ofStatus({ ...detailsOf(error), status: error.status }, now);
  }
  const message = 'The embedding endpoint gave an answer that is none. Check its address.';
  return new VarveError('MODEL_OUTPUT_INVALID', message);
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

function ofStatus(refusal: Refusal, now: number): VarveError {
  const { status } = refusal;
  const [code, message] = meaningOf(refusal);
  const retryAfterMs = retryAfter(refusal.headers, now);
  const isLater = code === 'RATE_LIMITED' || code === 'PROVIDER_ERROR';
  const details = isLater && retryAfterMs !== null ? { status, retryAfterMs } : { status };
  return new VarveError(code, message, { details });
}

function meaningOf({ status, code, message }: Refusal): readonly [ErrorCode, string] {
  if (status === 401 || status === 403) {
    return [
      'PROVIDER_REJECTED',
      'The embedding endpoint refuses the key. Check VARVE_EMBEDDING_API_KEY.',
    ];
  }
  if (status === 413 || isTooLong(status, code, message)) {
    return [
      'CONTENT_TOO_LONG',
      'The text is too long for the embedding model; split it into sections.',
    ];
  }
  if (status === 429 && !UNPAID.has(code)) {
    return ['RATE_LIMITED', 'The embedding endpoint has too many calls; try again later.'];
  }
  if (status === 408) return ['TIMEOUT', 'The embedding endpoint did not answer in time.'];
  if (status === 409 || status >= 500) {
    return ['PROVIDER_ERROR', 'The embedding endpoint failed; try again later.'];
  }
  return [
    'PROVIDER_REJECTED',
    'The embedding endpoint refuses the call. Check model and dimensions.',
  ];
}

function isTooLong(status: number, code: unknown, message: string): boolean {
  return (status === 400 || status === 422) && (TOO_LONG_CODES.has(code) || TOO_LONG.test(message));
}

/** A longer wait is asked for again when it is over. */
const RETRY_AFTER_MS_MAX = 10 * 60 * 1_000;

/** Milliseconds to wait by `Retry-After`, in seconds or as a date (RFC 9110, 10.2.3); else null. */
export function retryAfter(headers: Headers | undefined, now: number): number | null {
  const precise = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  if (precise >= 0) return Math.min(precise, RETRY_AFTER_MS_MAX);
  const text = headers?.get('retry-after')?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/u.test(text)) return Math.min(Number(text) * 1_000, RETRY_AFTER_MS_MAX);
  const at = text === '' ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? null : Math.min(Math.max(0, at - now), RETRY_AFTER_MS_MAX);
}
