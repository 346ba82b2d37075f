/** Maps refusals of the Temporal server to Varve's errors. */
import { isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { VarveError } from '#core/errors.ts';

/** The gRPC codes that we handle (google.rpc.Code). */
const INVALID_ARGUMENT = 3;
const DEADLINE_EXCEEDED = 4;
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;
const PERMISSION_DENIED = 7;
const RESOURCE_EXHAUSTED = 8;
const FAILED_PRECONDITION = 9;
const ABORTED = 10;
const UNIMPLEMENTED = 12;
const UNAUTHENTICATED = 16;

/** The server does not say how long it is busy; temporal-worker-controller waits this long too. */
const EXHAUSTED_MS = 30_000;

export function isNotFound(error: unknown): boolean {
  return codeOf(error) === NOT_FOUND;
}

/** Whether another caller did the same at the same time. */
export function isRace(error: unknown): boolean {
  return [ALREADY_EXISTS, FAILED_PRECONDITION, ABORTED].includes(codeOf(error));
}

/** Whether this server, or our permission on it, rules the call out, so that no retry helps. */
export function isNotOffered(error: unknown): boolean {
  return [PERMISSION_DENIED, UNIMPLEMENTED].includes(codeOf(error));
}

/**
 * Returns the error of a failed call.
 * @param doing what was being done, e.g. `keep its schedules`
 */
export function rpcFailure(error: unknown, doing: string): VarveError {
  if (error instanceof VarveError) return error;
  const code = codeOf(error);
  const options = { details: { grpc: code }, cause: error };
  if (code === PERMISSION_DENIED || code === UNAUTHENTICATED) {
    const message = `Temporal does not allow Varve to ${doing}; look at the namespace's roles.`;
    return new VarveError('FORBIDDEN', message, options);
  }
  if (code === RESOURCE_EXHAUSTED) {
    const details = { ...options.details, retryAfterMs: EXHAUSTED_MS };
    const message = `Temporal is too busy to ${doing}; Varve tries again.`;
    return new VarveError('RATE_LIMITED', message, { ...options, details });
  }
  if (code === INVALID_ARGUMENT) {
    const message = `Temporal refused the request to ${doing}; the log has the cause.`;
    return new VarveError('PROVIDER_REJECTED', message, options);
  }
  const message =
    `Temporal failed when Varve tried to ${doing}. Check that it runs, and that ` +
    'TEMPORAL_ADDRESS is its address.';
  return new VarveError(code === DEADLINE_EXCEEDED ? 'TIMEOUT' : 'PROVIDER_ERROR', message, {
    ...options,
  });
}

/** Returns the error for a server that cannot be reached. */
export function unanswered({ address }: { readonly address: string }, cause: unknown): VarveError {
  const message = `No Temporal server answers at ${address}.`;
  return new VarveError('PROVIDER_ERROR', message, { details: { address }, cause });
}

/** -1 if it is not a gRPC error. */
function codeOf(error: unknown): number {
  return isGrpcServiceError(error) ? error.code : -1;
}

/** Returns what `ask` finds; null if there never was a run, or the server has deleted it since. */
export async function foundRun<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}
