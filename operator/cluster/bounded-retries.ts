/**
 * What lasts is tried again every half minute: pauses that grow on to a quarter of an hour would
 * leave a resource behind long after an outage.
 */
import { VarveError } from '#core/errors.ts';
import type { Log } from '#core/ports/platform.ts';
import type { ReconcileResult } from '../queue/reconcile-result.ts';
import { resourceFields } from '../queue/resource-fields.ts';
import type { ReconcileRequest } from '../queue/workqueue.ts';

/** Failures in a row with growing pauses: 5 ms doubled so often is 20 s. */
export const GROWING_ATTEMPTS_MAX = 12;
export const DURING_OUTAGE_MS = 30_000;

export type Reconcile = (request: ReconcileRequest) => Promise<ReconcileResult>;

export function withBoundedRetries(reconcile: Reconcile, log: Log): Reconcile {
  return async (request) => {
    try {
      return await reconcile(request);
    } catch (error) {
      const { key, attempt } = request;
      const mayPass = error instanceof VarveError && error.retryable;
      if (!mayPass || attempt <= GROWING_ATTEMPTS_MAX) throw error;
      log.warn(
        { ...resourceFields(key), code: error.code, attempt },
        `tried again later. ${error.message}`,
      );
      return { kind: 'RequeueAfter', ms: DURING_OUTAGE_MS };
    }
  };
}
