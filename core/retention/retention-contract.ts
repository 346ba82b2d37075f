/**
 * The contract of the workflows that delete the text of old turns: names, messages, limits. It
 * contains only tenants, counts and times. The name of a session may be a person's, so it is never
 * included.
 */

import type { CompactionTotals } from '../ports/compactions.ts';
import type { SessionPlace } from '../ports/turn-records.ts';

export const RETENTION_TICK_SCHEDULE = 'varve-retention-tick';

/** Sessions that one call of an activity processes. */
export const SESSIONS_PER_STEP = 20;
/** Tenants that one call of an activity processes. */
export const TENANTS_PER_LOOK = 200;

/** Returns the workflow id of a tenant: one open run per tenant, whoever the caller is. */
export function compactWorkflowId(tenant: string): string {
  return `compact/${tenant}`;
}

export interface CompactionSettings {
  readonly heartbeatTimeoutMs: number;
  readonly startToCloseTimeoutMs: number;
  /** Steps of one run; the run then continues as new, so that histories stay short. */
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

/** Returns whether a run did something that deserves an event. */
export function hasCompacted({ turns, answers }: CompactionTotals): boolean {
  return turns + answers > 0;
}

export interface CompactStepInput {
  readonly tenant: string;
  readonly place: SessionPlace | null;
  /** If true, nothing is written: the answer says what would be. */
  readonly dryRun?: boolean;
}

export interface CompactStepReport {
  /** Null at the end of the walk. */
  readonly place: SessionPlace | null;
  readonly done: CompactionTotals;
  /** Id of the event that the run writes if this is its last step. */
  readonly eventId: string;
}

export interface CompactEndInput {
  readonly tenant: string;
  readonly eventId: string;
  readonly totals: CompactionTotals;
}

/** The activities of the workflows. Each can be repeated without a second effect. */
export interface RetentionActivities {
  /**
   * Starts a run for each tenant with old turns, one page of tenants per call; reports the last
   * tenant.
   */
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
