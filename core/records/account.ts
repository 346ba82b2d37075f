/** The budget account of a tenant for one period, and the ledger entry of each attempt. */
import { z } from 'zod';
import { TenantId } from '../scope.ts';

/** The most grants of one period; whoever needs more should raise the limit in the policy. */
export const GRANTS_MAX = 100;

/** The most open reservations of one account; a worker that needs another one has to wait. */
export const OPEN_RESERVATIONS_MAX = 256;

export const Amount = z.strictObject({
  tokens: z.int().min(0),
  microDollars: z.int().min(0),
});
/** What a call may cost or did cost. */
export type Amount = z.infer<typeof Amount>;

export const NOTHING: Amount = { tokens: 0, microDollars: 0 };

/** The details of BUDGET_EXHAUSTED: amounts of the measure that ran out. */
export const Exhaustion = z.strictObject({
  measure: z.enum(['tokens', 'microDollars']),
  limit: z.int().min(0),
  spent: z.int().min(0),
  reserved: z.int().min(0),
  requested: z.int().min(0),
  periodEndsAt: z.int().min(0),
});
export type Exhaustion = z.infer<typeof Exhaustion>;

/** More budget for one period: who gave it, when, and why. */
export const Grant = z.strictObject({
  /** Id of the event that reports the grant. */
  id: z.string(),
  /** Chosen by the caller: the same key grants only once. */
  key: z.string().min(1).max(256),
  amount: Amount,
  principal: z.string(),
  reason: z.string().min(1).max(1_000),
  at: z.int().min(0),
});
export type Grant = z.infer<typeof Grant>;

const Reservation = z.strictObject({
  attemptId: z.string(),
  amount: Amount,
  at: z.int().min(0),
});
type Reservation = z.infer<typeof Reservation>;

export const Account = z.strictObject({
  tenant: TenantId,
  /** Calendar month in UTC, `2026-11`. */
  period: z.string(),
  limitTokens: z.int().min(0).nullable(),
  limitMicroDollars: z.int().min(0).nullable(),
  /** Added to the limits for this period only: the sum of the grants. */
  granted: Amount,
  grants: z.array(Grant).max(GRANTS_MAX),
  spent: Amount,
  open: z.array(Reservation).max(OPEN_RESERVATIONS_MAX),
  /** The policy generation that last set the limits; 0 if none was given. */
  policyGeneration: z.int().min(0),
  version: z.int().min(0),
});
export type Account = z.infer<typeof Account>;

export const LedgerEntry = z.strictObject({
  tenant: TenantId,
  attemptId: z.string(),
  period: z.string(),
  /**
   * What the attempt was made for. A verification judges the batch, flush or dream in `batchId`.
   */
  purpose: z.enum([
    'summary',
    'variant',
    'embedding',
    'extraction',
    'dream',
    'verification',
    'conversation',
  ]),
  batchId: z.string(),
  model: z.string(),
  state: z.enum(['Reserved', 'Settled', 'Released']),
  /** How it was settled: by real usage, or with the full reserve after an unknown outcome. */
  outcome: z.enum(['Open', 'Usage', 'UnknownOutcome', 'NotCharged']),
  reserved: Amount,
  spent: Amount,
  reservedAt: z.int().min(0),
  settledAt: z.int().min(0).nullable(),
});
export type LedgerEntry = z.infer<typeof LedgerEntry>;
