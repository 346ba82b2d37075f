/** The HTTP answer to a failure, for every interface: the error, its status and its headers. */
import type { ServerResponse } from 'node:http';
import { VarveError } from '#core/errors.ts';
import { ERRORS } from '#core/error-codes.ts';
import type { Log } from '#core/ports/platform.ts';
import { currentRequest } from './request-log.ts';

/** Any other error goes only to the log: its message may hold memory text. */
export function knownFailure(thrown: unknown, log: Log): VarveError {
  if (thrown instanceof VarveError) return thrown;
  log.error({ ...currentRequest(), error: thrown }, 'operation failed');
  return new VarveError('CORRUPT', 'An unexpected error occurred; the server log has the details.');
}

/**
 * Sets the headers of a failure and returns its status.
 * @param scheme how a caller may authenticate
 */
export function setFailureHeaders(
  response: ServerResponse,
  failure: VarveError,
  scheme: string,
): number {
  const { allow } = failure.details;
  if (typeof allow === 'string') response.setHeader('allow', allow);
  if (failure.code === 'UNAUTHENTICATED') response.setHeader('www-authenticate', scheme);
  const seconds = retryAfterHeader(failure);
  if (seconds !== null) response.setHeader('retry-after', seconds);
  return statusOf(failure);
}

/** Returns whole seconds for the header Retry-After; null if the failure names no delay. */
export function retryAfterHeader(failure: unknown): string | null {
  if (!(failure instanceof VarveError)) return null;
  const { retryAfterMs } = failure.details;
  return typeof retryAfterMs === 'number' ? String(Math.ceil(retryAfterMs / 1_000)) : null;
}

function statusOf({ code, details }: VarveError): number {
  if (code !== 'INVALID_INPUT') return ERRORS[code].httpStatus;
  if (typeof details['allow'] === 'string') return 405;
  return details['status'] === 415 ? 415 : ERRORS[code].httpStatus;
}
