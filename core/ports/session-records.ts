/** Sessions: the conversations of a tenant and their owners. */
import type { SessionRecord } from '../records/session.ts';

export interface SessionRecords {
  get(tenant: string, sessionId: string): Promise<SessionRecord | null>;
  /** Those of one opener, the newest first and by id where two are as new, a page after one. */
  list(
    tenant: string,
    page: {
      readonly opener: string;
      readonly after: Pick<SessionRecord, 'lastAt' | 'sessionId'> | null;
      readonly limit: number;
    },
  ): Promise<readonly SessionRecord[]>;
  /** The one whose turns wait under the id of a flush. */
  ofFlush(tenant: string, flushId: string): Promise<SessionRecord | null>;
  /** Those whose flush is due, of one tenant or of all, the longest due first. */
  dueFlushes(query: {
    readonly tenant?: string;
    readonly now: number;
    readonly limit: number;
  }): Promise<readonly SessionRecord[]>;
  /**
   * Writes a record if it is still at `version - 1`, a new one if it is not there (the first
   * version is 1); answers whether it did.
   */
  put(record: SessionRecord): Promise<boolean>;
}
