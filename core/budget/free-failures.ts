/** Which failures of a call of a model or an embedder cost nothing. */
import { VarveError, type ErrorCode } from '../errors.ts';

/** With these a provider refused the call before it worked. */
export const NOT_CHARGED: ReadonlySet<ErrorCode> = new Set([
  'RATE_LIMITED',
  'PROVIDER_REJECTED',
  'CONTENT_TOO_LONG',
  'NOT_FOUND',
  'UNAUTHENTICATED',
  'FORBIDDEN',
]);

/** A gateway that waited in vain says nothing of the model behind it, which may have gone on. */
const GATEWAY_TIMEOUT = 504;

/**
 * Whether a failed call may have been paid for: only where its outcome is not known after it was
 * sent. An endpoint that cannot be reached was sent nothing (`details.sent` is false); one that
 * answers with a status of failure has refused it.
 */
export function mayBeCharged(failure: unknown): boolean {
  if (!(failure instanceof VarveError)) return true;
  const { code, details } = failure;
  if (NOT_CHARGED.has(code)) return false;
  if (code !== 'PROVIDER_ERROR') return true;
  const { sent, status } = details;
  return !(sent === false || (typeof status === 'number' && status !== GATEWAY_TIMEOUT));
}
