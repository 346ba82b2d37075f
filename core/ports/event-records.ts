/** Events of summaries, for readers that follow a tenant. */
import type { EventRecord } from '../records/event.ts';

export interface EventRecords {
  /** Repeatable. */
  append(event: EventRecord): Promise<void>;
  list(tenant: string, query: { afterId: string | null; limit: number }): Promise<EventRecord[]>;
}
