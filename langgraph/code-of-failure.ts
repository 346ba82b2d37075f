/** Tells errors of Varve from those of a caller's own model or hook. */
import { VarveError } from '#core/errors.ts';

/** Returns the code of an error of Varve, in this process or of a client; null for any other. */
export function codeOfFailure(error: unknown): string | null {
  if (error instanceof VarveError) return error.code;
  // A program may contain two copies of the client.
  const isOfClient = error instanceof Error && error.name === 'VarveClientError';
  return isOfClient && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
