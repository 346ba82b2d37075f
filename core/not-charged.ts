/** Which failures of a model's call cost nothing. */
import type { ErrorCode } from './errors.ts';

/** With these a provider refused the call before it worked; any other may have been paid for. */
export const NOT_CHARGED: ReadonlySet<ErrorCode> = new Set([
  'RATE_LIMITED',
  'PROVIDER_REJECTED',
  'NOT_FOUND',
  'UNAUTHENTICATED',
  'FORBIDDEN',
]);
