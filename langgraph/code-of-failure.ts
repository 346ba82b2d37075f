/** Tells errors of Varve from those of a caller's own model or hook. */
import { VarveError } from '#core/errors.ts';

/** Returns the code of an error of Varve, in this process or of a client; null for any other. */
export function codeOfFailure(error: unknown): string | null {
  if (error instanceof VarveError) return error.code;
  // A program may contain two copies of the client.
  const isOfClient = error instanceof Error && error.name === 'VarveClientError';
  return isOfClient && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/**
 * Returns what a log may tell of an error: the code of Varve or LangChain, or the name, and the
 * HTTP status that a model answered. Its message may contain anything.
 */
export function loggedReason(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const own = codeOfFailure(error);
  if (own !== null) return own;
  const code = 'lc_error_code' in error ? error.lc_error_code : undefined;
  const status = 'status' in error ? error.status : undefined;
  const named = typeof code === 'string' ? code : error.name;
  return typeof status === 'number' ? `${named} (status ${String(status)})` : named;
}
