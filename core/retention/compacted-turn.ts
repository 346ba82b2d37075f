/** What a compaction does to a turn and to the record of its scope: the same in every store. */
import { VarveError } from '../errors.ts';
import type { ScopeRecord } from '../records/scope-record.ts';
import type { Turn } from '../records/turn.ts';
import { turnSource } from '../source.ts';

/** Turns of one write; more are compacted in several. */
export const COMPACTED_PER_CALL_MAX = 200;

/** A turn of a session, and the words that stay of it. */
export interface KeptTurn {
  readonly id: string;
  readonly sequence: number;
  readonly quotes: readonly string[];
}

/** The turn without its text; its hash, tokens, time and place stay what they were. */
export function compactedTurn(turn: Turn, { quotes }: KeptTurn, at: number): Turn {
  return { ...turn, content: '', toolCalls: [], quotes: [...quotes], compactedAt: at };
}

/** Bytes of source text that a compaction frees. */
export function freedBytes(before: Turn, after: Turn): number {
  return turnSource(before).bytes - turnSource(after).bytes;
}

/**
 * The record after a compaction: its hash and counts stay, since every turn is still a source. The
 * version rises, so that whoever read the sources before reads them again before it writes.
 */
export function applyCompaction(record: ScopeRecord, bytes: number): ScopeRecord {
  const sourceBytes = Math.max(0, record.sourceBytes - bytes);
  return { ...record, sourceBytes, version: record.version + 1 };
}

/** Whether the record is still what a compaction was decided on, with nobody at work on it. */
export function isAsSeen(record: ScopeRecord, seen: ScopeRecord, now: number): boolean {
  const isLeased = record.lease !== null && record.lease.until > now;
  return record.version === seen.version && record.intents.length === 0 && !isLeased;
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
