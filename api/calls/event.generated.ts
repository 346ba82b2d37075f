/** Made from the schemas by `npm run docs:api`; change the schemas. */
import type {
  Layer,
} from './shared.generated.ts';

export interface EventListInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Only events after the one with this id. */
  readonly after?: string | undefined;
  readonly types?:
    | readonly ('memory_summary_created'
    | 'memory_summary_checked'
    | 'memory_summary_emptied'
    | 'memory_summary_refused'
    | 'memory_batch_dead_lettered'
    | 'memory_dream_ended'
    | 'memory_proposal_decided'
    | 'memory_compaction_completed'
    | 'memory_erasure_completed'
    | 'memory_policy_applied'
    | 'memory_budget_granted'
    | 'memory_refresh_retried')[]
    | undefined;
  /** Only events of these layers. */
  readonly layers?: readonly Layer[] | undefined;
  /** Number of events to read, before filters apply. @default 100 */
  readonly limit?: number | undefined;
}

export interface EventListEvent {
  /** A UUIDv7: ids sort by time. */
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly type:
    | 'memory_summary_created'
    | 'memory_summary_checked'
    | 'memory_summary_emptied'
    | 'memory_summary_refused'
    | 'memory_batch_dead_lettered'
    | 'memory_dream_ended'
    | 'memory_proposal_decided'
    | 'memory_compaction_completed'
    | 'memory_erasure_completed'
    | 'memory_policy_applied'
    | 'memory_budget_granted'
    | 'memory_refresh_retried';
  /** Ids, counts and outcomes; never memory text. */
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
}

export interface EventListOutput {
  /** The oldest first. */
  readonly events: EventListEvent[];
  /** Null on the last page. */
  readonly nextAfter: string | null;
}

/** Calls of `event`. */
export interface EventCalls {
  /**
   * Lists what happened in a tenant: refreshes, dreams and operations. Over REST with `Accept:
   * text/event-stream`, it streams what happens from now on.
   */
  readonly list: (input: EventListInput) => Promise<EventListOutput>;
}
