/** The ledger entry of an attempt: opened with its reservation, closed when it is settled. */
import { periodOf } from './budget-account.ts';
import { VarveError } from '../errors.ts';
import type { ReserveRequest } from '../ports/budget-account-records.ts';
import { NOTHING, type Amount, type LedgerEntry } from '../records/account.ts';

/** How an attempt ended. */
export interface Settlement {
  readonly attempt: Pick<LedgerEntry, 'tenant' | 'attemptId'>;
  /** Null if unknown; then the whole reservation counts. */
  readonly used: Amount | null;
  readonly outcome: LedgerEntry['outcome'];
  readonly now: number;
}

/** Opens the entry in the period of its reservation, which it keeps. */
export function openEntry({
  attempt,
  amount,
  now,
}: Pick<ReserveRequest, 'attempt' | 'amount' | 'now'>): LedgerEntry {
  return {
    ...attempt,
    period: periodOf(now),
    state: 'Reserved',
    outcome: 'Open',
    reserved: amount,
    spent: NOTHING,
    reservedAt: now,
    settledAt: null,
  };
}

/** Closes the entry. @param spent what its account was charged */
export function closedEntry(
  entry: LedgerEntry,
  { outcome, now }: Pick<Settlement, 'outcome' | 'now'>,
  spent: Amount,
): LedgerEntry {
  const state = outcome === 'NotCharged' ? 'Released' : 'Settled';
  return { ...entry, state, outcome, spent, settledAt: now };
}

/**
 * Returns whether a settlement brings the real usage of an attempt that was settled at its full
 * reservation because no answer had arrived. The outcome then becomes `Usage`, so that it is
 * corrected only once.
 */
export function isCorrection(
  { outcome }: Pick<LedgerEntry, 'outcome'>,
  later: Pick<Settlement, 'outcome'>,
): boolean {
  return outcome === 'UnknownOutcome' && later.outcome === 'Usage';
}

/** Returns the error for a reservation of a closed attempt. */
export function attemptClosed({
  attemptId,
  state,
}: Pick<LedgerEntry, 'attemptId' | 'state'>): VarveError {
  return new VarveError(
    'CONFLICT',
    'This attempt is settled; start a new attempt for a new call.',
    {
      details: { attemptId, state },
    },
  );
}
