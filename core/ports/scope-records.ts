/** Scopes with what they owe: which are due, who works on them, and what they were made from. */
import type { Lease, ScopeRecord } from '../records/scope-record.ts';
import type { Scope } from '../scope.ts';
import type { Source } from '../sources/source.ts';

/** Which leases are shortened, and until when they hold then. */
export interface LeaseCut {
  /** Null for every tenant. */
  readonly tenant: string | null;
  /** Those that end after it. */
  readonly beyond: number;
  readonly until: number;
  readonly limit: number;
}

export interface ScopeRecords {
  get(scope: Scope): Promise<ScopeRecord>;
  /** Scopes that were written to, by layer and id; a page after the last scope of another one. */
  list(
    tenant: string,
    limit: number,
    after?: Pick<Scope, 'layer' | 'scopeId'>,
  ): Promise<readonly ScopeRecord[]>;
  /** Live sources of a scope in the order of `Source.position`, a page after one. */
  sources(
    scope: Scope,
    page: { after: string | null; limit: number; now: number },
  ): Promise<readonly Source[]>;
  /**
   * Those of the ids that are live sources of the scope, in the order of the ids; at most
   * `UNSEEN_SOURCES_MAX`.
   */
  sourcesById(scope: Scope, ids: readonly string[], now: number): Promise<readonly Source[]>;
  /**
   * Scopes due at or before `until` and under no running lease, urgent first, then earliest. A
   * scope with an expired source (`nextExpiryAt`) is due too, unless it waits after a failure or is
   * a dead letter; its `dueAt` and `dueTrigger` then say nothing about the expiry.
   */
  due(
    tenant: string,
    query: { until: number; now: number; limit: number },
  ): Promise<readonly ScopeRecord[]>;
  /**
   * Tenants with a due scope or variant, or an open refresh request, the longest waiting first;
   * those that their owners released aside.
   */
  dueTenants(query: { now: number; limit: number }): Promise<readonly string[]>;
  /** Leases scopes of the given version that are not leased; answers those. */
  lease(
    claims: readonly { scope: ScopeRecord; lease: Lease }[],
    now: number,
  ): Promise<readonly ScopeRecord[]>;
  /** Scopes leased under a claim, or under one of its batches. */
  leased(
    tenant: string,
    by: { claimId: string } | { batchId: string },
  ): Promise<readonly ScopeRecord[]>;
  /** Shortens leases, whoever holds them; answers how many. */
  shortenLeases(cut: LeaseCut): Promise<number>;
  /** Writes a record if its version is still `version - 1`; answers whether it did. */
  replace(record: ScopeRecord): Promise<boolean>;
}
