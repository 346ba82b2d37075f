/** Turns: a session's messages in order, each a source of the session's scope. */
import { sourceLane, type Digest } from '#core/hash.ts';
import type { TurnRecords } from '#core/ports/turn-records.ts';
import type { WriteRules } from '#core/ports/write-rules.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Turn } from '#core/records/turn.ts';
import type { Scope } from '#core/scope.ts';
import { utf8Bytes } from '#core/text.ts';
import { sessionOf } from '#core/turn-session.ts';

import { oldTurns } from './compaction.ts';
import type { Connection } from './connection.ts';
import { recordTable, type RecordTable } from './record-table.ts';
import { scopeOrEmpty, scopeTable, writeChange, type ScopeTable } from './scope-table.ts';

export type TurnTable = RecordTable<Turn>;

type NewTurn = Omit<Turn, 'sequence'>;

interface Tables {
  readonly connection: Connection;
  readonly digest: Digest;
  readonly turns: TurnTable;
  readonly scopes: ScopeTable;
}

export function turnTable(connection: Connection): TurnTable {
  return recordTable<Turn>(connection, {
    name: 'turns',
    key: ['tenant', 'session_id', 'sequence'],
    columns: {
      tenant: 'tenant',
      session_id: 'sessionId',
      sequence: 'sequence',
      id: 'id',
      content_hash: 'contentHash',
      at: 'at',
      token_count: 'tokenCount',
      flush_id: 'flushId',
      compacted_at: 'compactedAt',
    },
  });
}

export function turnRecords(connection: Connection, digest: Digest): TurnRecords {
  const turns = turnTable(connection);
  const tables: Tables = { connection, digest, turns, scopes: scopeTable(connection) };
  return {
    ...oldTurns(tables),
    append: (given, rules) => connection.write(() => appendTurns(tables, given, rules)),
    latest: ({ tenant, sessionId }, limit) =>
      connection.read(() =>
        turns
          .select('tenant = ? AND session_id = ? ORDER BY sequence DESC LIMIT ?', [
            tenant,
            sessionId,
            limit,
          ])
          .toReversed(),
      ),
  };
}

function appendTurns(
  tables: Tables,
  given: readonly NewTurn[],
  rules: WriteRules,
): { appended: number; scope: ScopeRecord } {
  const scope = sessionOf(given);
  const appended = insertTurns(tables, scope, given);
  if (appended.length === 0) return { appended: 0, scope: scopeOrEmpty(tables.scopes, scope) };
  const change = {
    lanes: appended.map((turn) => sourceLane(tables.digest, turn)),
    sources: appended.length,
    tokens: appended.reduce((sum, turn) => sum + turn.tokenCount, 0),
    bytes: appended.reduce((sum, turn) => sum + utf8Bytes(turn.content), 0),
    dropped: [],
    expiresAt: null,
    changes: appended.length,
  };
  const record = writeChange(tables.scopes, { scope, change }, rules);
  return { appended: appended.length, scope: record };
}

/** Those that the session did not have; their sequences follow on without a gap. */
function insertTurns(tables: Tables, session: Scope, given: readonly NewTurn[]): NewTurn[] {
  const { tenant, scopeId } = session;
  const last = tables.connection.first(
    'SELECT max(sequence) AS last FROM turns WHERE tenant = ? AND session_id = ?',
    [tenant, scopeId],
  );
  const before = Number(last?.['last'] ?? 0);
  const appended: NewTurn[] = [];
  for (const turn of given) {
    const sequence = before + appended.length + 1;
    if (tables.turns.insertNew({ ...turn, sequence })) appended.push(turn);
  }
  return appended;
}
