/**
 * Counts of tenants with more scopes than one look takes: what was counted so far, and what the
 * last whole walk over all scopes came to. Owned by the operator; an entry lives as long as its
 * tenant is reconciled under the same policy. A tenant that one look was always enough for has
 * none.
 */
import type { ReadStatus, StatusWalk } from '#core/refresh/read-tenant-status.ts';
import type { TenantStatus } from '#core/refresh/tenant-status.ts';

interface Entry {
  /** Of the policy that freshness was judged by. */
  readonly hash: string;
  /** Null where the walk is over. */
  readonly rest: StatusWalk | null;
  /** What the last whole walk counted; null where none has ended. */
  readonly whole: TenantStatus | null;
}

export class StatusWalks {
  readonly #entries = new Map<string, Entry>();

  /** Where the next look begins. Taken out, so that a look which fails begins anew. */
  take(tenant: string, hash: string): StatusWalk | null {
    const entry = this.#entries.get(tenant);
    if (entry === undefined) return null;
    if (entry.hash !== hash) {
      this.#entries.delete(tenant);
      return null;
    }
    this.#entries.set(tenant, { ...entry, rest: null });
    return entry.rest;
  }

  /** What to report of a tenant after a count. */
  put(tenant: string, hash: string, { rest, ...counted }: ReadStatus): TenantStatus {
    const entry = this.#entries.get(tenant);
    if (rest === null) {
      if (entry !== undefined) this.#entries.set(tenant, { hash, rest, whole: counted });
      return counted;
    }
    const whole = entry?.whole ?? null;
    this.#entries.set(tenant, { hash, rest, whole });
    return whole === null ? counted : worseOf(whole, counted);
  }

  /** Whether scopes of a tenant are left to look at. */
  isUnderWay(tenant: string): boolean {
    return (this.#entries.get(tenant)?.rest ?? null) !== null;
  }

  delete(tenant: string): void {
    this.#entries.delete(tenant);
  }
}

/** The last whole walk, with the trouble that the one under way has met since. */
function worseOf(whole: TenantStatus, part: TenantStatus): TenantStatus {
  const stale = Math.max(whole.stale, part.stale);
  return {
    ...whole,
    stale,
    fresh: Math.max(0, whole.scopes - stale),
    deadLetters: Math.max(whole.deadLetters, part.deadLetters),
    waitingForBudget: Math.max(whole.waitingForBudget, part.waitingForBudget),
    failure: whole.failure ?? part.failure,
  };
}
