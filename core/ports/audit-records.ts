/** The audit of a tenant, in the order of its ids. */
import type { AuditEntry } from '../records/audit-entry.ts';

export interface AuditPage {
  readonly order: 'newest' | 'oldest';
  /** An id: only what comes after it in that order. */
  readonly after: string | null;
  /** Only entries from then on. */
  readonly since: number;
  readonly limit: number;
}

export interface AuditRecords {
  /** Repeatable. */
  append(entry: AuditEntry): Promise<void>;
  list(tenant: string, page: AuditPage): Promise<readonly AuditEntry[]>;
  /** Tenants that have entries, a page after one, whatever else is left of them. */
  tenants(page: { after: string | null; limit: number }): Promise<readonly string[]>;
  /**
   * Forgets what has ended, and the oldest above the most that a tenant has; a bounded number at a
   * time. Answers how many.
   */
  sweep(tenant: string, bounds: { readonly now: number; readonly most: number }): Promise<number>;
}
