/** The budget account of a tenant for one period, and the ledger entry of each attempt. */
import { z } from 'zod';
import { TenantId } from '../scope.ts';

/** Open reservations on one account; a worker that wants more is told to wait. */
export const OPEN_RESERVATIONS_MAX = 256;

export const Amount = z.strictObject({
  tokens: z.int().min(0),
  microDollars: z.int().min(0),
});
/** What a call may cost or did cost. */
export type Amount = z.infer<typeof Amount>;

export const NOTHING: Amount = { tokens: 0, microDollars: 0 };

export const Reservation = z.strictObject({
  attemptId: z.string(),
  amount: Amount,
  at: z.int().min(0),
});
export type Reservation = z.infer<typeof Reservation>;

export const Account = z.strictObject({
  tenant: TenantId,
  /** Calendar month in UTC, `2026-11`. */
  period: z.string(),
  limitTokens: z.int().min(0).nullable(),
  limitMicroDollars: z.int().min(0).nullable(),
  /** Added to the limits for this period only, by `varve budget grant`. */
  granted: Amount,
  spent: Amount,
  open: z.array(Reservation).max(OPEN_RESERVATIONS_MAX),
  version: z.int().min(0),
});
export type Account = z.infer<typeof Account>;

export const LedgerEntry = z.strictObject({
  tenant: TenantId,
  attemptId: z.string(),
  period: z.string(),
  /** What the attempt belongs to: a batch of summaries, an embedding, a dream. */
  purpose: z.enum(['summary', 'embedding', 'extraction', 'dream']),
  batchId: z.string(),
  model: z.string(),
  state: z.enum(['Reserved', 'Settled', 'Released']),
  /** Why it was settled as it was: real usage, or the full reserve of an unknown outcome. */
  outcome: z.enum(['Open', 'Usage', 'UnknownOutcome', 'NotCharged']),
  reserved: Amount,
  spent: Amount,
  reservedAt: z.int().min(0),
  settledAt: z.int().min(0).nullable(),
});
export type LedgerEntry = z.infer<typeof LedgerEntry>;
