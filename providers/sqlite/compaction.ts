/** Old turns: which there are, and what a compaction leaves of them. */
import {
  applyCompaction,
  compactedTurn,
  freedBytes,
  isAsSeen,
  requireCompactedPerCall,
} from '#core/retention/compacted-turn.ts';
import type { Compacted, Compaction, OldestTurn, TurnRecords } from '#core/ports/turn-records.ts';

import type { Connection } from './connection.ts';
import { scopeOrEmpty, type ScopeTable } from './scope-table.ts';
import type { TurnTable } from './turns.ts';

type OldTurns = Pick<TurnRecords, 'tenantsWithText' | 'oldSessions' | 'old' | 'compact'>;

interface Tables {
  readonly connection: Connection;
  readonly turns: TurnTable;
  readonly scopes: ScopeTable;
}

/** One step along the index per tenant, however many turns each has. */
const NEXT_TENANT = `
  SELECT tenant, at FROM turns
  WHERE compacted_at IS NULL AND tenant > ? ORDER BY tenant, at LIMIT 1`;

/** Reads nothing but the index of turns that have their text (migrations/0006). */
const SESSIONS = `
  SELECT session_id, min(at) AS oldest FROM turns
  WHERE tenant = ? AND compacted_at IS NULL AND at <= ?
  GROUP BY session_id HAVING oldest >= ? ORDER BY oldest, session_id LIMIT ? OFFSET ?`;

const OLD = `tenant = ? AND session_id = ? AND sequence > ? AND compacted_at IS NULL AND at <= ?
  ORDER BY sequence LIMIT ?`;

export function oldTurns(tables: Tables): OldTurns {
  const { connection, turns } = tables;
  return {
    tenantsWithText: (query) => connection.read(() => tenantsWithText(connection, query)),
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

function tenantsWithText(
  connection: Connection,
  { after, limit }: Parameters<TurnRecords['tenantsWithText']>[0],
): OldestTurn[] {
  const found: OldestTurn[] = [];
  for (let last = after ?? ''; found.length < limit;) {
    const row = connection.first(NEXT_TENANT, [last]);
    if (row === null) break;
    last = String(row['tenant']);
    found.push({ tenant: last, oldestAt: Number(row['at']) });
  }
  return found;
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
