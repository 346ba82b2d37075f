/** A failure in words of ours, for the faces that have none of tRPC's. */
import { VarveError } from '#core/errors.ts';
import type { Log } from '#core/ports/platform.ts';
import { currentRequest } from './request-log.ts';

/** Any other error goes into the log alone: its words may hold memory text. */
export function knownFailure(thrown: unknown, log: Log): VarveError {
  if (thrown instanceof VarveError) return thrown;
  log.error({ ...currentRequest(), error: thrown }, 'operation failed');
  return new VarveError('CORRUPT', 'An unexpected error occurred; the server log has the details.');
}
