/**
 * Every failure that Varve reports, in one table: its HTTP status, tRPC code, condition and exit
 * status. Edges (API, activities, operator, CLI) read the table; nothing else decides what a
 * failure means.
 */

/** The tRPC codes that Varve's codes map to. */
type TrpcCode =
  | 'BAD_GATEWAY'
  | 'BAD_REQUEST'
  | 'CLIENT_CLOSED_REQUEST'
  | 'CONFLICT'
  | 'FORBIDDEN'
  | 'GATEWAY_TIMEOUT'
  | 'INTERNAL_SERVER_ERROR'
  | 'NOT_FOUND'
  | 'NOT_IMPLEMENTED'
  | 'PAYLOAD_TOO_LARGE'
  | 'PAYMENT_REQUIRED'
  | 'SERVICE_UNAVAILABLE'
  | 'TOO_MANY_REQUESTS'
  | 'UNAUTHORIZED'
  | 'UNPROCESSABLE_CONTENT';

interface ErrorSpec {
  /** Whether the same call may succeed later without a change by the caller. */
  readonly retryable: boolean;
  readonly httpStatus: number;
  /** tRPC's own code. Several Varve codes share one, so retries are never derived from it. */
  readonly trpc: TrpcCode;
  /** Reason of the condition that the operator sets, in Kubernetes' PascalCase. */
  readonly reason: string;
  /** Exit status of the command line; 64 and above follow BSD's sysexits.h where one fits. */
  readonly exit: number;
}

export const ERRORS = {
  INVALID_INPUT: spec(false, 400, 'BAD_REQUEST', 'InvalidSpec', 2),
  MISSING_IDENTIFIER: spec(false, 400, 'BAD_REQUEST', 'MissingIdentifier', 2),
  INVALID_LAYER: spec(false, 400, 'BAD_REQUEST', 'InvalidLayer', 2),
  CONTENT_TOO_LONG: spec(false, 413, 'PAYLOAD_TOO_LARGE', 'ContentTooLong', 2),
  UNAUTHENTICATED: spec(false, 401, 'UNAUTHORIZED', 'Unauthenticated', 3),
  FORBIDDEN: spec(false, 403, 'FORBIDDEN', 'AccessDenied', 3),
  MEMORY_NOT_FOUND: spec(false, 404, 'NOT_FOUND', 'MemoryNotFound', 4),
  NOT_FOUND: spec(false, 404, 'NOT_FOUND', 'NotFound', 4),
  CONFLICT: spec(true, 409, 'CONFLICT', 'Conflict', 5),
  BUDGET_EXHAUSTED: spec(false, 402, 'PAYMENT_REQUIRED', 'BudgetExhausted', 6),
  CONTEXT_LIMIT_TOO_SMALL: spec(false, 422, 'UNPROCESSABLE_CONTENT', 'ContextLimitTooSmall', 6),
  FILTER_TOO_BROAD: spec(false, 422, 'UNPROCESSABLE_CONTENT', 'FilterTooBroad', 6),
  TENANT_CLAIMED: spec(false, 409, 'CONFLICT', 'TenantClaimed', 5),
  RATE_LIMITED: spec(true, 429, 'TOO_MANY_REQUESTS', 'RateLimited', 7),
  PROVIDER_ERROR: spec(true, 503, 'SERVICE_UNAVAILABLE', 'ProviderUnavailable', 7),
  PROVIDER_REJECTED: spec(false, 502, 'BAD_GATEWAY', 'ProviderRejected', 8),
  MISSING_PACKAGE: spec(false, 501, 'NOT_IMPLEMENTED', 'MissingPackage', 69),
  MODEL_OUTPUT_INVALID: spec(true, 502, 'BAD_GATEWAY', 'ModelOutputInvalid', 8),
  TIMEOUT: spec(true, 504, 'GATEWAY_TIMEOUT', 'Timeout', 7),
  CANCELLED: spec(false, 499, 'CLIENT_CLOSED_REQUEST', 'Cancelled', 130),
  CORRUPT: spec(false, 500, 'INTERNAL_SERVER_ERROR', 'Corrupt', 70),
} as const satisfies Record<string, ErrorSpec>;

export type ErrorCode = keyof typeof ERRORS;

/** Returns whether a string is an error code, e.g. the `type` of a failure from Temporal. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERRORS, value);
}

function spec(...row: [boolean, number, TrpcCode, string, number]): ErrorSpec {
  const [retryable, httpStatus, trpc, reason, exit] = row;
  return { retryable, httpStatus, trpc, reason, exit };
}
