/** The subjects of a tenant: who has a Markdown memory. */
import type { Subject } from '../subject.ts';
import type { SubjectRecord } from '../records/subject-record.ts';

export interface SubjectRecords {
  /** By `subjectKey`. */
  get(tenant: string, subject: string): Promise<SubjectRecord | null>;
  byId(tenant: string, subjectId: string): Promise<SubjectRecord | null>;
  /** By key, a page after one; of one kind, or those with something new, where it is asked for. */
  list(
    tenant: string,
    page: {
      readonly after: string;
      readonly limit: number;
      readonly kind?: Subject['kind'];
      readonly hasNew?: boolean;
    },
  ): Promise<readonly SubjectRecord[]>;
  /**
   * Writes a record if it is still at `version - 1`, a new one if it is not there (the first
   * version is 1); answers whether it did.
   */
  put(record: SubjectRecord): Promise<boolean>;
}
