/**
 * What a reconcile can end in. Three outcomes, so that "failed and forgotten" can't be written. An
 * error that only a change of the resource can fix is no failure of the operator: a condition and
 * an Event report it, and the reconcile is done, or is requeued.
 */
import { VarveError } from '#core/errors.ts';
import type { Log } from '#core/ports/platform.ts';

export interface ReconcileRequest {
  readonly key: string;
  /** 1 for the first try since the key last succeeded. */
  readonly attempt: number;
  /** Aborted when the time is over, when leading ended, or when a stop waited long enough. */
  readonly signal: AbortSignal;
}

export type ReconcileResult =
  /** As declared, or as far as that can be; nothing to do until something changes. */
  | { readonly kind: 'Done' }
  /** The same; requeued after so many milliseconds, or up to a tenth later. */
  | { readonly kind: 'RequeueAfter'; readonly ms: number }
  /** Not as declared; tried again with growing pauses. */
  | { readonly kind: 'Retry'; readonly error: VarveError };

export const DONE: ReconcileResult = { kind: 'Done' };

/** What was thrown by a reconcile, contained: it is always tried again. */
export function resultOfThrown(thrown: unknown): {
  readonly result: Extract<ReconcileResult, { kind: 'Retry' }>;
  /** Whether it is a mistake of the program and no failure of the world. */
  readonly isPanic: boolean;
} {
  if (thrown instanceof VarveError) {
    return { result: { kind: 'Retry', error: thrown }, isPanic: false };
  }
  const message = 'A reconcile failed unexpectedly; the log has the cause.';
  const error = new VarveError('PROVIDER_ERROR', message, { cause: thrown });
  return { result: { kind: 'Retry', error }, isPanic: true };
}

/** How a line of the log names the resource that a reconcile was for. */
export interface ResourceFields {
  /** `namespace/name`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Never as `key`: a log redacts fields of that name. @param key of a queue, `namespace/name`; names
 * of Kubernetes have no slash
 */
export function resourceFields(key: string): ResourceFields {
  const slash = key.indexOf('/');
  return {
    resource: key,
    namespace: slash === -1 ? '' : key.slice(0, slash),
    name: key.slice(slash + 1),
  };
}

/** Failures in a row with growing pauses: twelve doublings of 5 ms come to 20 s. */
export const GROWING_ATTEMPTS_MAX = 12;
/**
 * What lasts is tried again every half minute: pauses that grow on to a quarter of an hour would
 * leave a resource behind long after an outage.
 */
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
        { ...resourceFields(key), code: error.code, attempt, error: error.message },
        'resource not reconciled; will retry',
      );
      return { kind: 'RequeueAfter', ms: DURING_OUTAGE_MS };
    }
  };
}
