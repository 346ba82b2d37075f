/** What a compaction does to a turn and to the record of its scope: the same in every store. */
import type { KeptTurn } from '../ports/turn-records.ts';
import { VarveError } from '../errors.ts';
import { sourceLane, type Digest } from '../hash.ts';
import type { ScopeChange } from '../sources/source-change.ts';
import type { ScopeRecord } from '../records/scope-record.ts';
import type { Turn } from '../records/turn.ts';
import { turnHash, turnSource } from '../sources/source.ts';

/** The most turns of one write; larger compactions are split. */
export const COMPACTED_PER_CALL_MAX = 200;

/** Returns the turn without its text; its hash, tokens, time and place stay. */
export function compactedTurn(turn: Turn, { quotes }: KeptTurn, at: number): Turn {
  return {
    ...turn,
    content: '',
    saidUnits: null,
    toolCalls: [],
    toolCallId: null,
    quotes: [...quotes],
    vectors: null,
    compactedAt: at,
  };
}

/** Returns a deleted turn: only its id and place, which show that it existed. */
export function deletedTurn(turn: Turn, at: number): Turn {
  const { review: _, ...whole } = turn;
  const emptied = compactedTurn(whole, { id: turn.id, sequence: turn.sequence, quotes: [] }, at);
  return { ...emptied, contentHash: DELETED_HASH, tokenCount: 0, speaker: null };
}

/**
 * Replaces the hash of a deleted text, because not even the hash is kept. The turn's id stays, and
 * `varve import` derives that of a message without one from its text.
 */
const DELETED_HASH = '';

/** Returns whether nothing of the turn is left to delete. */
export function isDeleted({ contentHash }: Pick<Turn, 'contentHash'>): boolean {
  return contentHash === DELETED_HASH;
}

/**
 * Returns an erased turn: a place without the id, so that the places of later turns stay as they
 * are.
 */
export function erasedTurn(turn: Turn, at: number): Turn {
  const { utcOffset: _, ...whole } = deletedTurn(turn, turn.compactedAt ?? at);
  return { ...whole, id: erasedId(turn), flushId: null };
}

/** Returns whether nothing of the turn is left to erase. */
export function isErased(turn: Pick<Turn, 'id' | 'sequence' | 'contentHash'>): boolean {
  return isDeleted(turn) && turn.id === erasedId(turn);
}

/** Unique within the session, and known from the place alone. */
function erasedId({ sequence }: Pick<Turn, 'sequence'>): string {
  return `erased/${String(sequence)}`;
}

/**
 * Returns how the scope of deleted turns changes: other hashes, fewer tokens, dropped citations.
 */
export function deletionChange(
  digest: Digest,
  pairs: readonly { readonly before: Turn; readonly after: Turn }[],
  cited: ReadonlySet<string>,
): ScopeChange {
  const ids = pairs.map(({ before }) => before.id);
  return {
    lanes: pairs.flatMap(({ before, after }) => [
      turnLane(digest, before),
      turnLane(digest, after),
    ]),
    sources: 0,
    tokens: -pairs.reduce((sum, { before }) => sum + before.tokenCount, 0),
    bytes: -pairs.reduce((sum, { before, after }) => sum + freedBytes(before, after), 0),
    dropped: ids.filter((id) => cited.has(id)).map((id) => ({ id, reason: 'SourceDeleted' })),
    written: [],
    expiresAt: null,
    changes: pairs.length,
  };
}

function turnLane(digest: Digest, turn: Turn): string {
  return sourceLane(digest, { id: turn.id, contentHash: turnHash(turn) });
}

/** Returns the bytes of source text that a compaction frees. */
export function freedBytes(before: Turn, after: Turn): number {
  return turnSource(before).bytes - turnSource(after).bytes;
}

/**
 * Returns the record after a compaction. Its hash and counts stay, because every turn is still a
 * source. The version rises, so that a process that has read the sources reads them again before it
 * writes.
 */
export function applyCompaction(record: ScopeRecord, bytes: number): ScopeRecord {
  const sourceBytes = Math.max(0, record.sourceBytes - bytes);
  return { ...record, sourceBytes, version: record.version + 1 };
}

/**
 * Returns whether the record is unchanged since the compaction was decided, and no writer holds it.
 */
export function isAsSeen(record: ScopeRecord, seen: ScopeRecord, now: number): boolean {
  const isLeased = record.lease !== null && record.lease.until > now;
  return record.version === seen.version && !isLeased;
}

/** @throws VarveError INVALID_INPUT */
export function requireCompactedPerCall(turns: readonly unknown[]): void {
  if (turns.length <= COMPACTED_PER_CALL_MAX) return;
  throw new VarveError(
    'INVALID_INPUT',
    `A call compacts at most ${COMPACTED_PER_CALL_MAX} turns. Compact these in several calls.`,
    { details: { turns: turns.length, limit: COMPACTED_PER_CALL_MAX } },
  );
}
