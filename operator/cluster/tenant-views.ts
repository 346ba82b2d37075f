/**
 * What the last reconcile of each tenant found, for the statuses of its layer policies: they need
 * no reads of their own. Owned by the operator; an entry lives as long as its MemoryTenant.
 */
import type { PolicyRecord } from '#core/records/policy-record.ts';
import type { TenantFacts } from './tenant-facts.ts';

export interface TenantSnapshot {
  readonly uid: string;
  readonly tenant: string;
  /** Where the tenant is the resource's own. */
  readonly record: PolicyRecord | null;
  readonly facts: TenantFacts | null;
}

export class TenantViews {
  readonly #views = new Map<string, TenantSnapshot>();

  get(key: string): TenantSnapshot | null {
    return this.#views.get(key) ?? null;
  }

  /** Whether something that layer policies show is another one than before. */
  put(key: string, next: TenantSnapshot): boolean {
    const before = this.#views.get(key);
    this.#views.set(key, next);
    return before === undefined || shownOf(before) !== shownOf(next);
  }

  delete(key: string): void {
    this.#views.delete(key);
  }
}

function shownOf({ uid, record, facts }: TenantSnapshot): string {
  const applied = record === null ? null : [record.generation, record.hash];
  return JSON.stringify([uid, applied, facts?.layers ?? null]);
}
