/** Turns: a session's messages in order, each a source of the session's scope. */
import { sourceLane, type Digest } from '#core/hash.ts';
import type { TurnRecords } from '#core/ports/turn-records.ts';
import type { WriteRules } from '#core/ports/write-rules.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Turn } from '#core/records/turn.ts';
import { turnSource } from '#core/source.ts';
import { sessionOf } from '#core/turn-session.ts';

import { oldTurns } from './compaction.ts';
import type { Database, Tables } from './database.ts';
import { writeChange } from './memory-scope.ts';

export function turnRecords(database: Database, digest: Digest): TurnRecords {
  const { tables } = database;
  return {
    ...oldTurns(database),
    append: (given, rules) => database.write(() => appendTurns({ tables, digest }, given, rules)),
    latest: ({ tenant, sessionId }, limit) =>
      database.read(() => turnsOf(tables, tenant, sessionId).slice(-limit)),
  };
}

/** The turns of a session in their order. */
export function turnsOf(tables: Tables, tenant: string, sessionId: string): readonly Turn[] {
  return tables.turns.group(tenant, sessionId).toSorted((a, b) => a.sequence - b.sequence);
}

function appendTurns(
  { tables, digest }: { tables: Tables; digest: Digest },
  given: readonly Omit<Turn, 'sequence'>[],
  rules: WriteRules,
): { appended: number; scope: ScopeRecord } {
  const scope = sessionOf(given);
  const { tenant, scopeId } = scope;
  const before = tables.turns.group(tenant, scopeId).length;
  const appended: Turn[] = [];
  for (const turn of given) {
    if (tables.turns.get(tenant, scopeId, turn.id) !== null) continue;
    const numbered = { ...turn, sequence: before + appended.length + 1 };
    tables.turns.put(numbered);
    appended.push(numbered);
  }
  const change = {
    lanes: appended.map((turn) => sourceLane(digest, turn)),
    sources: appended.length,
    tokens: appended.reduce((sum, turn) => sum + turn.tokenCount, 0),
    bytes: appended.reduce((sum, turn) => sum + turnSource(turn).bytes, 0),
    dropped: [],
    expiresAt: null,
    changes: appended.length,
  };
  const seen = { scope, change: appended.length === 0 ? null : change };
  return { appended: appended.length, scope: writeChange(tables, seen, rules) };
}
