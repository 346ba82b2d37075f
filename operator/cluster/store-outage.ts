/** When a store that does not answer is reported in the status of resources. */
import { VarveError } from '#core/errors.ts';

/**
 * Whether the store failed. A failure of the API server does not count, since it has an HTTP
 * status; nor does the end of this process or of its term.
 */
export function isOfStore({ code, details }: VarveError): boolean {
  return code !== 'CANCELLED' && !Object.hasOwn(details, 'httpStatus');
}

/** Failures in a row that are retried at once and not reported. */
const QUIET_ATTEMPTS_MAX = 3;

/** Whether the store keeps failing, so that it must be reported. */
export function isLastingOutage(error: unknown, attempt: number): error is VarveError {
  return error instanceof VarveError && isOfStore(error) && attempt > QUIET_ATTEMPTS_MAX;
}

/** How long no reconcile may reach the store before every further failure is reported. */
const QUIET_OUTAGE_MS = 30_000;

/**
 * For how long the store has answered no reconcile. With hundreds of tenants, each of which waits
 * for a worker and for a timeout, the failures of one tenant are minutes apart.
 */
export class StoreOutage {
  #since: number | null = null;

  answered(): void {
    this.#since = null;
  }

  /** Takes note of a failed reconcile. Returns whether its failure must be reported. */
  isLasting(error: unknown, attempt: number, now: number): error is VarveError {
    if (!(error instanceof VarveError) || !isOfStore(error)) return false;
    this.#since ??= now;
    return isLastingOutage(error, attempt) || now - this.#since > QUIET_OUTAGE_MS;
  }
}
