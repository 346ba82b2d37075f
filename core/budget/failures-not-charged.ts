/** Decides which failed model or embedder calls cost nothing. */
import { VarveError } from '../errors.ts';
import { type ErrorCode } from '../error-codes.ts';

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
