/**
 * The contract of the workflow that changes the embedding model: names, messages, limits. It
 * contains only tenants, ids, counts, codes and times, and never the text of a memory.
 */
import { SETTLE_MS } from './reembed-transitions.ts';
import type { ErrorCode } from '../error-codes.ts';

/** Embedding calls have their own task queue with a rate limit. */
export const EMBED_TASK_QUEUE = 'varve-embed';
/** The most tenants in one message: `varve embeddings migrate --tenant …`. */
export const TENANTS_PER_MESSAGE_MAX = 100;
/** Tenants that one call of an activity processes. */
export const TENANTS_PER_PAGE = 50;

/** Returns the workflow id of a target generation: one run for each. */
export function reembedWorkflowId(generation: string): string {
  return `reembed/${generation}`;
}

export interface ReembedSettings {
  readonly heartbeatTimeoutMs: number;
  readonly startToCloseTimeoutMs: number;
  /** Turns of one run; the run then continues as new, so that histories stay short. */
  readonly turnsMax: number;
  /** See `SETTLE_MS` in core/embedding/reembed-transitions.ts. */
  readonly settleMs: number;
  /** Wait before a tenant is retried after all attempts of its turn failed. */
  readonly failurePauseMs: number;
}

export const REEMBED_SETTINGS: ReembedSettings = {
  heartbeatTimeoutMs: 30_000,
  startToCloseTimeoutMs: 600_000,
  turnsMax: 100,
  settleMs: SETTLE_MS,
  failurePauseMs: 60_000,
};

export interface ReembedInput {
  readonly generation: string;
  readonly settings: ReembedSettings;
  /** Carried from run to run. */
  readonly after?: string | null;
  readonly totals?: ReembedTotals;
}

export interface ReembedTotals {
  readonly turns: number;
  /** Vectors that a call made, and vectors from the cache. */
  readonly embedded: number;
  readonly cached: number;
  readonly tokens: number;
  /** Memories that the model refuses even on their own. */
  readonly refused: number;
  readonly cutOver: number;
  readonly dropped: number;
}

export const NO_REEMBED_TOTALS: ReembedTotals = {
  turns: 0,
  embedded: 0,
  cached: 0,
  tokens: 0,
  refused: 0,
  cutOver: 0,
  dropped: 0,
};

export const BEGIN_SIGNAL = 'begin';
export const ROLLBACK_SIGNAL = 'rollback';
/** Ends the time for which old vectors are kept. */
export const FINISH_SIGNAL = 'finish';

export interface BeginMessage {
  /** Null for every tenant; otherwise at most `TENANTS_PER_MESSAGE_MAX`. */
  readonly tenants: readonly string[] | null;
  readonly keepOldMs: number;
}

export type ReembedCommand =
  | ({ readonly kind: 'Begin' } & BeginMessage)
  | { readonly kind: 'Pause' | 'Resume' | 'RollBack' | 'Finish' };

export interface CommandReport {
  /** Tenants whose state changed, and those that another change blocks. */
  readonly changed: number;
  readonly refused: number;
  /** Where the next page begins; null after the last page. */
  readonly after: string | null;
}

export interface ReembedPage {
  /** Tenants for which a turn can do something now. */
  readonly tenants: readonly string[];
  readonly paused: number;
  /** Tenants that keep old vectors, and when the first of them continues. */
  readonly keeping: number;
  readonly nextAt: number | null;
  readonly after: string | null;
}

export interface ReembedTurnInput {
  readonly tenant: string;
  readonly generation: string;
  /** Id of the last memory of the previous turn; null to begin with the first. */
  readonly after: string | null;
  readonly settleMs: number;
}

export interface TurnReport extends Partial<Omit<ReembedTotals, 'turns'>> {
  readonly after: string | null;
  /** Milliseconds until another turn can do something; 0 for at once. */
  readonly waitMs: number;
}

/** The activities of the workflow. Each can be repeated without a second effect. */
export interface ReembedActivities {
  /** Applies a command to a page of tenants. */
  commandReembed(input: {
    generation: string;
    command: ReembedCommand;
    after: string | null;
  }): Promise<CommandReport>;
  listReembed(input: { generation: string; after: string | null }): Promise<ReembedPage>;
  /** Does a limited amount of work for one tenant. */
  reembedTurn(input: ReembedTurnInput): Promise<TurnReport>;
}

type ReembedPhase = 'Working' | 'Waiting' | 'Paused';

export interface ReembedStatus {
  readonly phase: ReembedPhase;
  /** Tenants with a change in progress, as the last walk over them found. */
  readonly tenants: number;
  readonly totals: ReembedTotals;
  readonly lastError: ErrorCode | null;
}
