/**
 * What the last reconcile of each tenant found, for the statuses of its layer policies and dreams:
 * they need no reads of their own. Owned by the operator; an entry lives as long as its
 * MemoryTenant.
 */
import type { TenantPolicy } from '#core/records/policy.ts';
import type { PolicyRecord } from '#core/records/policy-record.ts';
import type { PlatformLimits } from '#crds/limit-values.ts';
import { SharedValues } from '../shared-values.ts';
import type { TenantFacts } from './tenant-facts.ts';

export interface TenantSnapshot {
  readonly uid: string;
  readonly tenant: string;
  /** Where the tenant is the resource's own. */
  readonly record: PolicyRecord | null;
  readonly facts: TenantFacts | null;
  /** Of the platform, as the policy was planned by them; null where they are not known. */
  readonly limits: PlatformLimits | null;
}

export class TenantViews {
  readonly #views = new Map<string, TenantSnapshot>();
  /** Most tenants have the defaults of most settings, which are most of a snapshot. */
  readonly #settings = new SharedValues();

  get(key: string): TenantSnapshot | null {
    return this.#views.get(key) ?? null;
  }

  /** Whether something that layer policies or dreams show is another one than before. */
  put(key: string, next: TenantSnapshot): boolean {
    const before = this.#views.get(key);
    this.#views.set(key, { ...next, record: this.#shared(next.record) });
    return before === undefined || shownOf(before) !== shownOf(next);
  }

  delete(key: string): void {
    this.#views.delete(key);
  }

  #shared(record: PolicyRecord | null): PolicyRecord | null {
    if (record === null) return null;
    const settings = Object.entries(record.policy).map(([name, value]) => [
      name,
      this.#settings.of(value),
    ]);
    return { ...record, policy: Object.fromEntries(settings) as TenantPolicy };
  }
}

function shownOf({ uid, record, facts }: TenantSnapshot): string {
  const applied = record === null ? null : [record.generation, record.hash];
  return JSON.stringify([uid, applied, facts?.layers ?? null, facts?.dreams ?? null]);
}
