/** Old turns: which there are, and what a compaction leaves of them. */
import {
  applyCompaction,
  compactedTurn,
  freedBytes,
  isAsSeen,
  requireCompactedPerCall,
} from '#core/retention/compacted-turn.ts';
import type { Compacted, Compaction, OldTurns } from '#core/ports/turn-records.ts';

import type { Connection } from './connection.ts';
import { oldestOfTenants } from './oldest-of-tenants.ts';
import { scopeOrEmpty, type ScopeTable } from './scope-table.ts';
import type { TurnTable } from './turns.ts';

interface Tables {
  readonly connection: Connection;
  readonly turns: TurnTable;
  readonly scopes: ScopeTable;
}

/** One step along the index per tenant, however many turns each has. */
const NEXT_TENANT = `
  SELECT tenant, at FROM turns
  WHERE compacted_at IS NULL AND tenant > ? ORDER BY tenant, at LIMIT 1`;

/**
 * Along the index by time: a row counts where the session has no earlier one with its text, which
 * is one step of the index by session. So no page groups what the pages before it did.
 */
const SESSIONS = `
  SELECT DISTINCT session_id, at AS oldest FROM turns AS oldest_turn
  WHERE tenant = ? AND compacted_at IS NULL AND at <= ? AND at >= ? AND NOT EXISTS (
    SELECT 1 FROM turns AS earlier
    WHERE earlier.tenant = oldest_turn.tenant AND earlier.session_id = oldest_turn.session_id
      AND earlier.compacted_at IS NULL AND earlier.at < oldest_turn.at
  )
  ORDER BY at, session_id LIMIT ? OFFSET ?`;

const OLD = `tenant = ? AND session_id = ? AND sequence > ? AND compacted_at IS NULL AND at <= ?
  ORDER BY sequence LIMIT ?`;

export function oldTurns(tables: Tables): OldTurns {
  const { connection, turns } = tables;
  return {
    tenantsWithText: (query) =>
      connection.read(() => oldestOfTenants(connection, NEXT_TENANT, query)),
    oldSessions: (tenant, { until, place, limit }) =>
      connection.read(() => {
        const { from, skip } = place ?? { from: 0, skip: 0 };
        const rows = connection.all(SESSIONS, [tenant, until, from, limit, skip]);
        return rows.map((row) => ({
          sessionId: String(row['session_id']),
          oldestAt: Number(row['oldest']),
        }));
      }),
    old: ({ tenant, sessionId }, { until, after, limit }) =>
      connection.read(() => turns.select(OLD, [tenant, sessionId, after, until, limit])),
    compact: (compaction, { now }) =>
      connection.write(() => {
        requireCompactedPerCall(compaction.turns);
        // What is written over is overwritten where it lay, as by an erasure.
        connection.script('PRAGMA secure_delete = ON');
        try {
          return compact(tables, compaction, now);
        } finally {
          connection.script('PRAGMA secure_delete = OFF');
        }
      }),
  };
}

function compact(
  { turns: table, scopes }: Tables,
  { scope, turns }: Compaction,
  now: number,
): Compacted | null {
  const record = scopeOrEmpty(scopes, scope);
  if (!isAsSeen(record, scope, now)) return null;
  const going = turns.flatMap((kept) => {
    const before = table.find(scope.tenant, scope.scopeId, kept.sequence);
    const isGone = before === null || before.id !== kept.id || before.compactedAt !== null;
    return isGone ? [] : [{ kept, before, after: compactedTurn(before, kept, now) }];
  });
  if (going.length === 0) return { turns: [], bytes: 0, scope: record };
  for (const { after } of going) table.put(after);
  const bytes = going.reduce((sum, { before, after }) => sum + freedBytes(before, after), 0);
  const next = applyCompaction(record, bytes);
  scopes.put(next);
  return { turns: going.map(({ kept }) => kept), bytes, scope: next };
}
