/** The error for a call that the budget of its tenant does not allow. */
import { VarveError } from '../errors.ts';
import type { Exhaustion } from '../records/account.ts';

/**
 * Returns the message.
 * @param what the budget does not allow, as the rest of a sentence: `this call of a model`
 */
export function budgetMessage(what: string): string {
  return (
    `The budget of the period does not allow ${what}. Raise it in the policy, grant more for ` +
    'this period, or wait for the next one.'
  );
}

/** @param details what the budget lacks, and what a caller adds to it */
export function budgetExhausted(
  what: string,
  details: Exhaustion & { readonly generated?: number },
): VarveError {
  return new VarveError('BUDGET_EXHAUSTED', budgetMessage(what), { details: { ...details } });
}
