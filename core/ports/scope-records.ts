/**
 * Scopes and their pending work: which are due, who works on them, and what they were made from;
 * also their summaries and segments.
 */
import type { Lease, ScopeRecord } from '../records/scope-record.ts';
import type { Scope } from '../scope.ts';
import type { Source } from '../sources/source.ts';
import { VarveError } from '../errors.ts';
import type { Segment, Summary } from '../records/summary.ts';
import type { EventRecord } from '../records/event.ts';

/** Which leases to shorten, and until when they then hold. */
export interface LeaseClamp {
  /** Null for every tenant. */
  readonly tenant: string | null;
  /** Only leases that end after this time. */
  readonly beyond: number;
  readonly until: number;
  readonly limit: number;
}

export interface ScopeRecords {
  get(scope: Scope): Promise<ScopeRecord>;
  /** Lists scopes with writes, by layer and id; the page after a given scope. */
  list(
    tenant: string,
    limit: number,
    after?: Pick<Scope, 'layer' | 'scopeId'>,
  ): Promise<readonly ScopeRecord[]>;
  /**
   * Lists live sources of a scope in the order of `Source.position`; the page after a given one.
   */
  sources(
    scope: Scope,
    page: { after: string | null; limit: number; now: number },
  ): Promise<readonly Source[]>;
  /**
   * Returns the live sources of the scope that have one of the ids, in the order of the ids; at
   * most `UNSEEN_SOURCES_MAX`.
   */
  sourcesById(scope: Scope, ids: readonly string[], now: number): Promise<readonly Source[]>;
  /**
   * Lists scopes due at or before `until` without a running lease, urgent first, then earliest. A
   * scope with an expired source (`nextExpiryAt`) is due too, unless it waits after a failure or is
   * a dead letter. Its `dueAt` and `dueTrigger` then do not reflect the expiry.
   */
  due(
    tenant: string,
    query: { until: number; now: number; limit: number },
  ): Promise<readonly ScopeRecord[]>;
  /**
   * Lists tenants with a due scope or variant, or an open refresh request, longest waiting first.
   * Skips tenants that their owners released.
   */
  dueTenants(query: { now: number; limit: number }): Promise<readonly string[]>;
  /** Leases the scopes that are at the given version and not leased; returns them. */
  lease(
    claims: readonly { scope: ScopeRecord; lease: Lease }[],
    now: number,
  ): Promise<readonly ScopeRecord[]>;
  /** Lists scopes leased under a claim, or under one of its batches. */
  leased(
    tenant: string,
    by: { claimId: string } | { batchId: string },
  ): Promise<readonly ScopeRecord[]>;
  /** Shortens leases of any holder; returns how many. */
  clampLeases(clamp: LeaseClamp): Promise<number>;
  /** Writes a record if its version is still `version - 1`; returns whether it did. */
  replace(record: ScopeRecord): Promise<boolean>;
}

/** Facts of segments, kept so that an unchanged part of a scope is paid for once. */
export interface SegmentRecords {
  /**
   * Returns those of the ids that are stored, in any order.
   * @throws VarveError INVALID_INPUT for more than `SEGMENTS_PER_CALL_MAX` ids
   */
  find(scope: Scope, ids: readonly string[]): Promise<readonly Segment[]>;
  /** Lists the segments of a scope by id; the page after a given id. */
  list(
    scope: Scope,
    page: { readonly after: string; readonly limit: number },
  ): Promise<readonly Segment[]>;
  /**
   * Stores segments. Can be repeated: the same id means the same segment, and a stored one stays.
   * @throws VarveError INVALID_INPUT for more than `SEGMENTS_PER_CALL_MAX`
   */
  put(segments: readonly Segment[]): Promise<void>;
  /** Deletes every segment of the scope except these. */
  keepOnly(scope: Scope, ids: readonly string[]): Promise<void>;
}

/** The most segments of one call; larger requests are split. */
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
  /** The new summary; null if the scope is empty, or if the old one was equal. */
  readonly summary: Summary | null;
  /** The scope record to write, made by `applyCommit` from the record of version − 1. */
  readonly scope: ScopeRecord;
  /**
   * What happened to the summary. A new general summary ends the variants chosen from the previous
   * one. An empty scope loses the summaries of all audiences, its segments and its variants.
   */
  readonly outcome: 'Generated' | 'Unchanged' | 'Emptied';
  readonly event: EventRecord;
}

/** Summaries, one current version per scope and audience. */
export interface SummaryRecords {
  get(scope: Scope, audience: string): Promise<Summary | null>;
  list(tenant: string, limit: number): Promise<readonly Summary[]>;
  /**
   * Writes summary, lineage, scope and event in one step, if the scope is still at the version
   * before `scope.version`. False: another process wrote; read and decide again.
   */
  commit(commit: SummaryCommit): Promise<boolean>;
}
