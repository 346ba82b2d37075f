/**
 * The contract between workflows, activities and their callers: names, messages, limits. It
 * contains only ids, counts, codes and times. No memory text and no identifier of a person ever
 * enters a workflow history.
 */
import type { ErrorCode } from '../error-codes.ts';
import type { Layer } from '../layer.ts';
import type { Exhaustion } from '../records/account.ts';

export const TASK_QUEUE = 'varve';
export const MODEL_TASK_QUEUE = 'varve-llm';
export const REFRESH_TICK_SCHEDULE = 'varve-refresh-tick';

/** An open run waits for scopes due within this time instead of leaving them to the tick. */
export const HORIZON_MS = 120_000;
/** Maximum concurrent batches per tenant, which isolates tenants from each other. */
export const BATCHES_IN_FLIGHT_MAX = 4;
/** Maximum claims that urgent work may add to a round, so that earlier claims get their turn. */
export const URGENT_CLAIMS_MAX = 4;
/** Default length of a pause, long enough for a person to investigate. */
export const PAUSE_MS = 3_600_000;
/** Rounds per run; then the run continues as new, so that histories stay short. */
const ROUNDS_PER_RUN_MAX = 4;

/** Returns the workflow id of a tenant: one run per tenant, whoever the caller is. */
export function refreshWorkflowId(tenant: string): string {
  return `refresh/${tenant}`;
}

/** Which scopes a claim takes: due ones whose window is over, all due ones, or all stale ones. */
export type ClaimKind = 'Closed' | 'Due' | 'Stale';
/** What a caller may request if it does not wait for a window. */
export type FlushKind = Exclude<ClaimKind, 'Closed'>;

export interface RefreshSettings {
  /** Maximum silence of an activity before it counts as lost. */
  readonly heartbeatTimeoutMs: number;
  readonly startToCloseTimeoutMs: number;
  readonly roundsMax: number;
}

export const REFRESH_SETTINGS: RefreshSettings = {
  heartbeatTimeoutMs: 30_000,
  startToCloseTimeoutMs: 300_000,
  roundsMax: ROUNDS_PER_RUN_MAX,
};

/**
 * When a run ends, everything that it started for the tenant ends within this time. An activity
 * runs at most until its timeout, and learns of the end of its run with its next heartbeat.
 */
export const UNDER_WAY_MS_MAX =
  REFRESH_SETTINGS.startToCloseTimeoutMs + REFRESH_SETTINGS.heartbeatTimeoutMs;

export interface TenantRefreshInput {
  readonly tenant: string;
  readonly settings: RefreshSettings;
  /** Carried from run to run. */
  readonly pausedUntil?: number;
  readonly totals?: RefreshTotals;
  readonly budget?: BudgetState;
  /** Claims whose batches a pause left over; the next round requests them with the same ids. */
  readonly openClaims?: readonly string[];
}

export interface RefreshTotals {
  readonly rounds: number;
  readonly batches: number;
  readonly generated: number;
  readonly unchanged: number;
  readonly emptied: number;
  readonly refused: number;
  /** Items of large scopes that progressed toward their summary. */
  readonly advanced: number;
  readonly modelCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Batches released for one reason; their scopes are retried when they are due. */
export interface RefreshFailure {
  readonly code: ErrorCode;
  /** Batches of this refresh; 0 if scopes wait since an earlier one, or after a refused answer. */
  readonly batches: number;
  /** Message of the first failure: what went wrong, and what to do. */
  readonly message: string;
}

/** What a refresh did, and where it failed. */
export interface RefreshReport extends RefreshTotals {
  /** By code; empty if every batch that began was completed, and nothing waits. */
  readonly failures: readonly RefreshFailure[];
}

export const NO_TOTALS: RefreshTotals = {
  rounds: 0,
  batches: 0,
  generated: 0,
  unchanged: 0,
  emptied: 0,
  refused: 0,
  advanced: 0,
  modelCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
};

export type WindowReading =
  /** Nothing is due soon: the run may end if `wanted` is still what it was. */
  | { readonly kind: 'Idle'; readonly wanted: number }
  | {
      readonly kind: 'Open';
      readonly wanted: number;
      /** Milliseconds until the window closes; 0 if it is over. */
      readonly closesInMs: number;
      readonly pending: number;
      readonly layers: readonly Layer[];
      readonly urgent: boolean;
    };

export interface ClaimedBatch {
  readonly batchId: string;
  readonly model: string;
  readonly layers: readonly Layer[];
  readonly items: number;
  readonly sourceTokens: number;
}

export interface ClaimReport {
  readonly batches: readonly ClaimedBatch[];
  readonly unchanged: number;
  readonly emptied: number;
}

export type SummarizeReport =
  | {
      readonly kind: 'Answered';
      readonly inputTokens: number;
      readonly outputTokens: number;
      /** False if no model was called: the answer was paid for earlier, or none was needed. */
      readonly called: boolean;
      /** Number of model calls. */
      readonly calls: number;
      /** Error of a later call, which left some items without an answer. */
      readonly failure?: ErrorCode;
    }
  /** The budget did not allow the call: what it lacked, and whether the caller gets an error. */
  | { readonly kind: 'Exhausted'; readonly details: Exhaustion; readonly rejected: boolean }
  | { readonly kind: 'Gone' };

export interface CommitReport {
  readonly generated: number;
  readonly emptied: number;
  readonly refused: number;
  /** Items that another claim took over in the meantime. */
  readonly lost: number;
  /** Items of large scopes that progressed toward their summary; they are due again at once. */
  readonly advanced: number;
}

/** The activities of the workflow. Each can be repeated without a second effect. */
export interface RefreshActivities {
  readWindow(input: { tenant: string }): Promise<WindowReading>;
  claimBatches(input: { tenant: string; claimId: string; kind: ClaimKind }): Promise<ClaimReport>;
  summarizeBatch(input: { tenant: string; batchId: string }): Promise<SummarizeReport>;
  /**
   * Commits a batch; items without an answer because of `failure` are released with that failure.
   */
  commitBatch(input: {
    tenant: string;
    batchId: string;
    failure?: ErrorCode;
  }): Promise<CommitReport>;
  /** Releases a batch, with or without a failure of its items. */
  releaseBatch(input: {
    tenant: string;
    batchId: string;
    code: ErrorCode;
    /** What the budget lacked; set with BUDGET_EXHAUSTED. */
    exhaustion?: Exhaustion;
  }): Promise<{ readonly deadLettered: number }>;
  /** Returns true if nothing arrived since `seen` and nothing is due soon. */
  acknowledge(input: { tenant: string; seen: number }): Promise<boolean>;
}

export interface TickActivities {
  /** Signals every tenant with something due; returns how many. */
  requestDueRefreshes(): Promise<number>;
}

type RefreshPhase = 'Waiting' | 'Claiming' | 'Summarizing' | 'Acknowledging' | 'Paused';

/** Whether the latest batches that requested a reservation got one. */
export type BudgetState = 'Available' | 'Exhausted';

export interface RefreshStatus {
  readonly phase: RefreshPhase;
  readonly budget: BudgetState;
  readonly pending: number;
  readonly layers: readonly Layer[];
  readonly totals: RefreshTotals;
  readonly lastError: ErrorCode | null;
}

/** Makes a run check again; a scope that became urgent then closes the window. */
export const STALE_SIGNAL = 'stale';
export const PAUSE_SIGNAL = 'pause';
export const RESUME_SIGNAL = 'resume';
/** Closes the window now and returns the ids of the running batches. */
export const FLUSH_NOW_UPDATE = 'flushNow';
export const STATUS_QUERY = 'status';

export interface StaleMessage {
  readonly urgent: boolean;
  /** When the window of the urgent scope closes; at once if absent. */
  readonly closesInMs?: number;
}

export interface PauseMessage {
  /** Length of the pause; `PAUSE_MS` if absent. */
  readonly forMs?: number;
}

export interface FlushMessage {
  readonly kind: FlushKind;
}
