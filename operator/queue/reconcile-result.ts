/**
 * The outcomes of a reconcile. There are three, so that "failed and forgotten" can't be written. An
 * error that only a change of the resource can fix is not a failure of the operator: a condition
 * and an Event report it, and the reconcile is done, or is requeued.
 */
import { VarveError } from '#core/errors.ts';
import type { Log } from '#core/ports/platform.ts';

export interface ReconcileRequest {
  readonly key: string;
  /** 1 for the first try since the key last succeeded. */
  readonly attempt: number;
  /**
   * Aborted when the time is over, when leadership ended, or when a stop has waited long enough.
   */
  readonly signal: AbortSignal;
}

export type ReconcileResult =
  /** As declared, or as close as possible; nothing to do until something changes. */
  | { readonly kind: 'Done' }
  /**
   * The same, but requeued after `ms`, or up to a tenth later. If a lasting failure is the reason,
   * attempts keep counting.
   */
  | { readonly kind: 'RequeueAfter'; readonly ms: number; readonly isFailing?: true }
  /** Not as declared; retried with backoff. */
  | { readonly kind: 'Retry'; readonly error: VarveError };

export const DONE: ReconcileResult = { kind: 'Done' };

/** Turns what a reconcile threw into a result, which is always a retry. */
export function resultOfThrown(thrown: unknown): {
  readonly result: Extract<ReconcileResult, { kind: 'Retry' }>;
  /** Whether it is a mistake in the program and not a failure outside of it. */
  readonly isPanic: boolean;
} {
  if (thrown instanceof VarveError) {
    return { result: { kind: 'Retry', error: thrown }, isPanic: false };
  }
  const message = 'A reconcile failed unexpectedly; the log has the cause.';
  const error = new VarveError('PROVIDER_ERROR', message, { cause: thrown });
  return { result: { kind: 'Retry', error }, isPanic: true };
}

/** How a log line names the resource of a reconcile. */
interface ResourceFields {
  /** `namespace/name`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Returns the log fields of a key. None is named `key`, since a log redacts fields of that name.
 * @param key of a queue, `namespace/name`; names in Kubernetes have no slash
 */
export function resourceFields(key: string): ResourceFields {
  const slash = key.indexOf('/');
  return {
    resource: key,
    namespace: slash === -1 ? '' : key.slice(0, slash),
    name: key.slice(slash + 1),
  };
}

/** Failures in a row with growing pauses: twelve doublings of 5 ms reach 20 s. */
export const GROWING_ATTEMPTS_MAX = 12;
/**
 * A lasting failure is retried every half minute: pauses that grew to a quarter of an hour would
 * leave a resource behind long after an outage.
 */
export const DURING_OUTAGE_MS = 30_000;
export const DURING_OUTAGE: ReconcileResult = {
  kind: 'RequeueAfter',
  ms: DURING_OUTAGE_MS,
  isFailing: true,
};

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
        { ...resourceFields(key), code: error.code, attempt, error: error.message },
        'resource not reconciled; will retry',
      );
      return DURING_OUTAGE;
    }
  };
}
