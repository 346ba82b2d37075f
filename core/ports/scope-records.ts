/**
 * Scopes with what they owe: which are due, who works on them, and what they were made from; their
 * summaries and segments.
 */
import type { Lease, ScopeRecord } from '../records/scope-record.ts';
import type { Scope } from '../scope.ts';
import type { Source } from '../sources/source.ts';
import { VarveError } from '../errors.ts';
import type { Segment, Summary } from '../records/summary.ts';
import type { EventRecord } from '../records/event.ts';

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

/** Facts of segments, kept so that an unchanged stretch of a scope is never paid for again. */
export interface SegmentRecords {
  /**
   * Those of the given ids that are stored, in any order.
   * @throws VarveError INVALID_INPUT for more than `SEGMENTS_PER_CALL_MAX` ids
   */
  find(scope: Scope, ids: readonly string[]): Promise<readonly Segment[]>;
  /** Those of a scope by their ids, a page after one. */
  list(
    scope: Scope,
    page: { readonly after: string; readonly limit: number },
  ): Promise<readonly Segment[]>;
  /**
   * Repeatable: a segment of the same id is the same segment, and one that is there stays as it is.
   * @throws VarveError INVALID_INPUT for more than `SEGMENTS_PER_CALL_MAX`
   */
  put(segments: readonly Segment[]): Promise<void>;
  /** Forgets every segment of the scope but these. */
  keepOnly(scope: Scope, ids: readonly string[]): Promise<void>;
}

/** Segments of one call; more are asked for in several. */
export const SEGMENTS_PER_CALL_MAX = 500;

/** @throws VarveError INVALID_INPUT */
export function requireSegmentsPerCall(segments: readonly unknown[]): void {
  if (segments.length <= SEGMENTS_PER_CALL_MAX) return;
  throw new VarveError(
    'INVALID_INPUT',
    `A call takes at most ${SEGMENTS_PER_CALL_MAX} segments. Ask for these in several calls.`,
    { details: { segments: segments.length, limit: SEGMENTS_PER_CALL_MAX } },
  );
}

export interface SummaryCommit {
  /** The new summary; null where the scope is empty, or where the old one was equal. */
  readonly summary: Summary | null;
  /** The scope record to write, made by `applyCommit` from the record of version − 1. */
  readonly scope: ScopeRecord;
  /**
   * What became of the summary. A new general one ends the variants that were chosen from the one
   * before; an empty scope loses the summaries of all audiences, its segments and its variants.
   */
  readonly outcome: 'Generated' | 'Unchanged' | 'Emptied';
  readonly event: EventRecord;
}

/** Summaries, one current version per scope and audience. */
export interface SummaryRecords {
  get(scope: Scope, audience: string): Promise<Summary | null>;
  list(tenant: string, limit: number): Promise<readonly Summary[]>;
  /**
   * Writes summary, lineage, scope and event in one step, if the scope is still at the version that
   * `scope.version` follows. False: another process wrote; read and decide again.
   */
  commit(commit: SummaryCommit): Promise<boolean>;
}
