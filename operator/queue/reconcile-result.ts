/**
 * What a reconcile can end in. Three outcomes, so that "failed and forgotten" can't be written.
 * What only a change of the resource can mend is no failure of the operator: it is said in a
 * condition and an Event, and the reconcile is done, or looks again.
 */
import { VarveError } from '#core/errors.ts';

export type ReconcileResult =
  /** As declared, or as far as that can be; nothing to do until something changes. */
  | { readonly kind: 'Done' }
  /** The same; look again after so many milliseconds, or up to a tenth later. */
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
  const message = 'A reconcile threw what it should not; the log has the cause.';
  const error = new VarveError('PROVIDER_ERROR', message, { cause: thrown });
  return { result: { kind: 'Retry', error }, isPanic: true };
}
