/** Decides which failed model or embedder calls cost nothing, and keeps what the others cost. */
import { VarveError } from '../errors.ts';
import { type ErrorCode } from '../error-codes.ts';
import { isRecord } from '../is-record.ts';

/** Errors with which a provider refuses a call before it does any work. */
export const NOT_CHARGED: ReadonlySet<ErrorCode> = new Set([
  'RATE_LIMITED',
  'PROVIDER_REJECTED',
  'MISSING_PACKAGE',
  'CONTENT_TOO_LONG',
  'NOT_FOUND',
  'UNAUTHENTICATED',
  'FORBIDDEN',
]);

/** A gateway timeout says nothing about the model behind it, which may have continued. */
const GATEWAY_TIMEOUT = 504;

/**
 * Whether a failed call may have been charged: only if it was sent and its outcome is unknown. An
 * unreachable endpoint was sent nothing (`details.sent` is false); one that answers with a failure
 * status has refused the call.
 */
export function mayBeCharged(failure: unknown): boolean {
  if (!(failure instanceof VarveError)) return true;
  const { code, details } = failure;
  if (NOT_CHARGED.has(code)) return false;
  if (code !== 'PROVIDER_ERROR') return true;
  const { sent, status } = details;
  return !(sent === false || (typeof status === 'number' && status !== GATEWAY_TIMEOUT));
}

/** Calls that failed, with the tokens that they were charged for. */
export interface Charge {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Returns a failure with what was charged before it, for the report of its caller. */
export function withCharge(failure: VarveError, charge: Charge): VarveError {
  if (charge.calls === 0) return failure;
  const { code, message, details, cause, retryable } = failure;
  const more = { details: { ...details, charge }, isSettled: !retryable };
  return new VarveError(code, message, cause === undefined ? more : { ...more, cause });
}

/** Returns what was charged before a failure; null if nothing was. */
export function chargeOf(failure: unknown): Charge | null {
  if (!(failure instanceof VarveError)) return null;
  const { charge } = failure.details;
  return isCharge(charge) ? charge : null;
}

function isCharge(value: unknown): value is Charge {
  return isRecord(value) && CHARGED.every((field) => typeof value[field] === 'number');
}

const CHARGED = ['calls', 'inputTokens', 'outputTokens'] as const;
