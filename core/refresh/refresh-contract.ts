/**
 * The contract between workflows, activities and whoever starts them: names, messages, bounds.
 * Only ids, counts, codes and times cross it. No memory text and no identifier of a person ever
 * enters a workflow history.
 */
import type { ErrorCode } from '../errors.ts';
import type { Layer } from '../layer.ts';
import type { Exhaustion } from '../records/account.ts';

export const TASK_QUEUE = 'varve';
export const MODEL_TASK_QUEUE = 'varve-llm';
export const REFRESH_TICK_SCHEDULE = 'varve-refresh-tick';

/** Scopes due within this time are waited for in an open run instead of left to the tick. */
export const HORIZON_MS = 120_000;
/** A claim lasts this long, longer than any activity; a lost one is free again after it. */
export const LEASE_MS = 600_000;
/** Batches at work at the same time in one tenant; what isolates tenants from each other. */
export const BATCHES_IN_FLIGHT_MAX = 4;
/** Claims that urgent work may add to one round, so that what was claimed before has its turn. */
export const URGENT_CLAIMS_MAX = 4;
/** A pause without a given length; long enough for a person to look at what is wrong. */
export const PAUSE_MS = 3_600_000;
/** Rounds of one run; then it continues as new, so that histories stay short. */
export const ROUNDS_PER_RUN_MAX = 4;

/** One run per tenant, whoever asks for it. */
export function refreshWorkflowId(tenant: string): string {
  return `refresh/${tenant}`;
}

/** Which scopes a claim takes: due ones whose window is over, all due ones, or every stale one. */
export type ClaimKind = 'Closed' | 'Due' | 'Stale';
/** What somebody who does not wait for a window may ask for. */
export type FlushKind = Exclude<ClaimKind, 'Closed'>;

export interface RefreshSettings {
  /** Longest silence of an activity before it counts as lost. */
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
 * What was at work for a tenant when its run ended has ended after so long: an activity lives until
 * its time-out, and hears of the end of its run with a heartbeat at the latest.
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
  /** Claims of which a pause left batches; the next round asks for them under the same ids. */
  readonly openClaims?: readonly string[];
}

export interface RefreshTotals {
  readonly rounds: number;
  readonly batches: number;
  readonly generated: number;
  readonly unchanged: number;
  readonly emptied: number;
  readonly refused: number;
  /** Items of large scopes that came nearer to their summary. */
  readonly advanced: number;
  readonly modelCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Batches that were given back for one reason; their scopes are tried again when they are due. */
export interface RefreshFailure {
  readonly code: ErrorCode;
  readonly batches: number;
  /** Of the first of them: what was wrong, and what to do. */
  readonly message: string;
}

/** What a refresh did, and what it could not do. */
export interface RefreshReport extends RefreshTotals {
  /** By code; empty where every batch that was begun came to its end. */
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

/** Sum of what several rounds or runs did. */
export function addTotals(a: RefreshTotals, b: Partial<RefreshTotals>): RefreshTotals {
  const sum = { ...a };
  for (const name of Object.keys(NO_TOTALS) as (keyof RefreshTotals)[]) {
    sum[name] = a[name] + (b[name] ?? 0);
  }
  return sum;
}

export type WindowReading =
  /** Nothing is due soon: the run may end if `wanted` is still what it was. */
  | { readonly kind: 'Idle'; readonly wanted: number }
  | {
      readonly kind: 'Open';
      readonly wanted: number;
      /** Milliseconds until the window closes; 0 when it is time. */
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
      /** False where no model was called: an answer paid for earlier, or none needed. */
      readonly called: boolean;
      /** Model calls that were made; absent in histories of the first version, which made one. */
      readonly calls?: number;
      /** The error of a later call, which left some items without an answer. */
      readonly failure?: ErrorCode;
    }
  /** The budget did not allow the call: what it lacked, and whether the caller hears of it. */
  | { readonly kind: 'Exhausted'; readonly details: Exhaustion; readonly rejected: boolean }
  | { readonly kind: 'Gone' };

export interface CommitReport {
  readonly generated: number;
  readonly emptied: number;
  readonly refused: number;
  /** Items that another claim took over meanwhile. */
  readonly lost: number;
  /** Items of large scopes that came nearer to their summary; they are due again at once. */
  readonly advanced: number;
}

/** What the workflow asks of the world. Every activity may be repeated without a second effect. */
export interface RefreshActivities {
  readWindow(input: { tenant: string }): Promise<WindowReading>;
  claimBatches(input: { tenant: string; claimId: string; kind: ClaimKind }): Promise<ClaimReport>;
  summarizeBatch(input: { tenant: string; batchId: string }): Promise<SummarizeReport>;
  /** What has no answer because of `failure` is given back as after it. */
  commitBatch(input: {
    tenant: string;
    batchId: string;
    failure?: ErrorCode;
  }): Promise<CommitReport>;
  /** Gives a batch back: with or without a failure of its items. */
  releaseBatch(input: {
    tenant: string;
    batchId: string;
    code: ErrorCode;
    /** With BUDGET_EXHAUSTED: what the budget lacked. */
    exhaustion?: Exhaustion;
  }): Promise<{ readonly deadLettered: number }>;
  /** True where nothing came in since `seen` and nothing is due soon. */
  acknowledge(input: { tenant: string; seen: number }): Promise<boolean>;
}

export interface TickActivities {
  /** Wakes every tenant with something due; answers how many. */
  requestDueRefreshes(): Promise<number>;
}

export type RefreshPhase = 'Waiting' | 'Claiming' | 'Summarizing' | 'Acknowledging' | 'Paused';

/** Whether the last batches that asked for a reservation got one. */
export type BudgetState = 'Available' | 'Exhausted';

export interface RefreshStatus {
  readonly phase: RefreshPhase;
  readonly budget: BudgetState;
  readonly pending: number;
  readonly layers: readonly Layer[];
  readonly totals: RefreshTotals;
  readonly lastError: ErrorCode | null;
}

/** Makes a run look again; a scope that turned urgent then closes the window. */
export const STALE_SIGNAL = 'stale';
export const PAUSE_SIGNAL = 'pause';
export const RESUME_SIGNAL = 'resume';
/** Closes the window now and answers the ids of the batches that run. */
export const FLUSH_NOW_UPDATE = 'flushNow';
export const STATUS_QUERY = 'status';

export interface StaleMessage {
  readonly urgent: boolean;
  /** When the window of the urgent scope closes; at once where it does not say. */
  readonly closesInMs?: number;
}

export interface PauseMessage {
  /** `PAUSE_MS` where it does not say. */
  readonly forMs?: number;
}

export interface FlushMessage {
  readonly kind: FlushKind;
}
