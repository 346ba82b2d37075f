/** Old turns: which there are, and what a compaction leaves of them. */
import {
  applyCompaction,
  compactedTurn,
  freedBytes,
  isAsSeen,
  requireCompactedPerCall,
  type KeptTurn,
} from '#core/retention/compacted-turn.ts';
import type { Compacted, Compaction, OldTurns } from '#core/ports/turn-records.ts';
import type { Turn } from '#core/records/turn.ts';

import type { Database, Tables } from './database.ts';
import { scopeOrEmpty } from './memory-scope.ts';

export function oldTurns(database: Database): OldTurns {
  const { tables } = database;
  return {
    tenantsWithText: ({ after, limit }) =>
      database.read(() =>
        oldestBy(tables.turns.all(), Infinity, ({ tenant }) => tenant)
          .filter(([tenant]) => after === null || tenant > after)
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .slice(0, limit)
          .map(([tenant, oldestAt]) => ({ tenant, oldestAt })),
      ),
    oldSessions: (tenant, { until, place, limit }) =>
      database.read(() => {
        const { from, skip } = place ?? { from: 0, skip: 0 };
        const own = tables.turns.all().filter((turn) => turn.tenant === tenant);
        return oldestBy(own, until, ({ sessionId }) => sessionId)
          .filter(([, oldestAt]) => oldestAt >= from)
          .toSorted(([a, first], [b, second]) => first - second || (a < b ? -1 : 1))
          .slice(skip, skip + limit)
          .map(([sessionId, oldestAt]) => ({ sessionId, oldestAt }));
      }),
    old: ({ tenant, sessionId }, { until, after, limit }) =>
      database.read(() =>
        tables.turns
          .group(tenant, sessionId)
          .filter((turn) => isOld(turn, until) && turn.sequence > after)
          .toSorted((a, b) => a.sequence - b.sequence)
          .slice(0, limit),
      ),
    compact: (compaction, { now }) => database.write(() => compact(tables, compaction, now)),
  };
}

function isOld({ compactedAt, at }: Turn, until: number): boolean {
  return compactedAt === null && at <= until;
}

function oldestBy(
  turns: readonly Turn[],
  until: number,
  nameOf: (turn: Turn) => string,
): (readonly [string, number])[] {
  const oldest = new Map<string, number>();
  for (const turn of turns) {
    const name = nameOf(turn);
    if (isOld(turn, until)) oldest.set(name, Math.min(turn.at, oldest.get(name) ?? turn.at));
  }
  return [...oldest];
}

function compact(tables: Tables, { scope, turns }: Compaction, now: number): Compacted | null {
  requireCompactedPerCall(turns);
  const record = scopeOrEmpty(tables, scope);
  if (!isAsSeen(record, scope, now)) return null;
  const done: KeptTurn[] = [];
  let bytes = 0;
  for (const kept of turns) {
    const before = tables.turns.get(scope.tenant, scope.scopeId, kept.id);
    if (before === null || before.compactedAt !== null) continue;
    const after = compactedTurn(before, kept, now);
    tables.turns.put(after);
    bytes += freedBytes(before, after);
    done.push(kept);
  }
  if (done.length === 0) return { turns: done, bytes, scope: record };
  const next = applyCompaction(record, bytes);
  tables.scopes.put(next);
  return { turns: done, bytes, scope: next };
}
