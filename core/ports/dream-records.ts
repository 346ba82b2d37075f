/** What dreams owe: when each DeepDream comes next, and the proposals that were made. */
import type { DreamSchedule } from '../records/dream-schedule.ts';
import type { Proposal } from '../records/proposal.ts';

export interface DreamScheduleRecords {
  get(tenant: string, name: string): Promise<DreamSchedule | null>;
  /** All of a tenant, by name; a tenant has few (`DREAMS_PER_TENANT_MAX`). */
  list(tenant: string): Promise<readonly DreamSchedule[]>;
  /**
   * Of all tenants: whose next time is at or before `now`, or whose round starts its subjects or is
   * to be closed, by `dueAtOf`; what waits longest comes first.
   */
  due(query: { readonly now: number; readonly limit: number }): Promise<readonly DreamSchedule[]>;
  /** Writes a record if it is still at `version - 1`, a new one (version 1) if it is not there. */
  put(schedule: DreamSchedule): Promise<boolean>;
  /** Deletes it if no later generation of the policy declared it; whether it is gone. */
  remove(tenant: string, name: string, policyGeneration: number): Promise<boolean>;
}

export interface ProposalRecords {
  get(tenant: string, id: string): Promise<Proposal | null>;
  /** Newest first, a page before one; of one subject or in one state where it is asked for. */
  list(
    tenant: string,
    page: {
      readonly limit: number;
      /** Id of the last one of the page before. */
      readonly before?: string;
      readonly subject?: string;
      readonly state?: Proposal['state'];
    },
  ): Promise<readonly Proposal[]>;
  /**
   * Of all tenants: approved and not applied, and not seen to since `before`, by `pendingAtOf`;
   * what waits longest comes first.
   */
  approved(query: {
    readonly before: number;
    readonly limit: number;
  }): Promise<readonly Proposal[]>;
  /** Writes a record if it is still at `version - 1`, a new one (version 1) if it is not there. */
  put(proposal: Proposal): Promise<boolean>;
}
