/**
 * The contract of the workflows that take the text of old turns: names, messages, bounds. Only
 * tenants, counts and times cross it; the name of a session may be a person's, and never does.
 */

import type { CompactionTotals } from '../ports/compactions.ts';
import type { SessionPlace } from '../ports/turn-records.ts';

export const RETENTION_TICK_SCHEDULE = 'varve-retention-tick';

/** Sessions that one call of an activity looks at. */
export const SESSIONS_PER_STEP = 20;
/** Tenants that one call of an activity looks at. */
export const TENANTS_PER_LOOK = 200;

/** One open run per tenant, whoever the caller is. */
export function compactWorkflowId(tenant: string): string {
  return `compact/${tenant}`;
}

export interface CompactionSettings {
  readonly heartbeatTimeoutMs: number;
  readonly startToCloseTimeoutMs: number;
  /** Steps of one run; then it continues as new, so that histories stay short. */
  readonly stepsMax: number;
}

export const COMPACTION_SETTINGS: CompactionSettings = {
  heartbeatTimeoutMs: 30_000,
  startToCloseTimeoutMs: 600_000,
  stepsMax: 100,
};

export const NO_COMPACTION: CompactionTotals = {
  sessions: 0,
  turns: 0,
  quotes: 0,
  bytesFreed: 0,
  unsummarized: 0,
  waiting: 0,
  answers: 0,
};

/** Whether a run did something that is worth an event. */
export function hasCompacted({ turns, answers }: CompactionTotals): boolean {
  return turns + answers > 0;
}

export interface CompactStepInput {
  readonly tenant: string;
  readonly place: SessionPlace | null;
  /** True where nothing is to be written: the answer says what would be. */
  readonly dryRun?: boolean;
}

export interface CompactStepReport {
  /** Null at the end of the walk. */
  readonly place: SessionPlace | null;
  readonly done: CompactionTotals;
  /** The id that the event of the run has, should this be its last step. */
  readonly eventId: string;
}

export interface CompactEndInput {
  readonly tenant: string;
  readonly eventId: string;
  readonly totals: CompactionTotals;
}

/** What the workflows ask of the world. Every activity may be repeated without a second effect. */
export interface RetentionActivities {
  /** Starts a run for each tenant with old turns, a page of tenants; the last one of the page. */
  startCompactions(input: { after: string | null }): Promise<StartReport>;
  compactStep(input: CompactStepInput): Promise<CompactStepReport>;
  /** Writes the event of a run and logs it. */
  endCompaction(input: CompactEndInput): Promise<void>;
}

export interface StartReport {
  readonly started: number;
  /** Tenants whose previous run is still open. */
  readonly underWay: number;
  /** Tenants whose run could not be started; the next tick tries again. */
  readonly failed: number;
  readonly after: string | null;
}

export interface CompactInput {
  readonly tenant: string;
  readonly settings: CompactionSettings;
  /** Carried from run to run. */
  readonly place?: SessionPlace | null;
  readonly totals?: CompactionTotals;
}
