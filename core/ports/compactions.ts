/** Compactions of a tenant's old turns, as whoever asks for one sees them. */
import type { CompactionTotals } from '../retention/retention-contract.ts';

export interface CompactionRuns {
  /** Starts a durable run; one that is open is left to itself. */
  start(tenant: string): Promise<'Started' | 'UnderWay'>;
}

export type CompactionAnswer =
  /** A durable run works on it. */
  | { readonly kind: 'Started' }
  | { readonly kind: 'UnderWay' }
  /** Where no workflows run it was done at once. */
  | { readonly kind: 'Done'; readonly totals: CompactionTotals };

export interface Compactions {
  /** @throws VarveError PROVIDER_ERROR where the workflows can't be reached */
  run(tenant: string): Promise<CompactionAnswer>;
  /** What a run would do now; writes nothing. */
  preview(tenant: string): Promise<CompactionTotals>;
}
