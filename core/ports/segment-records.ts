/** Facts of segments, kept so that an unchanged stretch of a scope is never paid for again. */
import { VarveError } from '../errors.ts';
import type { Segment } from '../records/segment.ts';
import type { Scope } from '../scope.ts';

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
