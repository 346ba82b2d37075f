/**
 * Old turns: which there are, and what a compaction leaves of them. A chunk of turns is one
 * document and is compacted as one.
 *
 * Flow: the scope takes the intent, if it is as it was seen and no write of it is under way → the
 * chunk is written and bears the intent's token → the bytes are folded into the scope.
 * Guarantees: the scope's summary stays what it was to readers at every step, and no summary is
 * committed between the intent and its end, since it could cite words that are going.
 */
import {
  compactedTurn,
  freedBytes,
  requireCompactedPerCall,
  type KeptTurn,
} from '#core/retention/compacted-turn.ts';
import type {
  Compacted,
  Compaction,
  OldestTurn,
  OldTurns,
  TurnRecords,
} from '#core/ports/turn-records.ts';
import type { WriteRules } from '#core/ports/write-rules.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Turn } from '#core/records/turn.ts';

import { atVersion, settleAtOf, type WriteIntent } from './scope-document.ts';
import {
  decodeChunk,
  encodeTurns,
  ofSession,
  type Session,
  type TurnChunk,
  type TurnChunks,
} from './turn-chunk.ts';
import type { TurnTables } from './turns.ts';
import { conclude } from './write-intent.ts';
import { byId } from './table.ts';
import { tellTurns } from './untold-turns.ts';

/** Chunks fetched at once, as for sources. */
const BATCH_CHUNKS = 16;

export function oldTurns(tables: TurnTables): OldTurns {
  const { turns } = tables;
  return {
    async tenantsWithText(query) {
      // What processes of an earlier version wrote since is not found otherwise.
      if (query.after === null) await tellTurns(turns);
      return tenantsWithText(turns, query);
    },
    async oldSessions(tenant, { until, place, limit }) {
      const { from, skip } = place ?? { from: 0, skip: 0 };
      const rows = await turns.aggregate([
        { $match: { '_id.tenant': tenant, textAt: { $lte: until } } },
        { $group: { _id: '$_id.sessionId', oldestAt: { $min: '$textAt' } } },
        { $match: { oldestAt: { $gte: from } } },
        { $sort: { oldestAt: 1, _id: 1 } },
        { $skip: skip },
        { $limit: Math.max(1, limit) },
      ]);
      return rows.map((row) => ({
        sessionId: String(row['_id']),
        oldestAt: Number(row['oldestAt']),
      }));
    },
    old: (session, query) => turnsWithText(turns, session, query),
    compact: (compaction, rules) => compact(tables, compaction, rules),
  };
}

/** One step along the index per tenant, however many turns each has. */
async function tenantsWithText(
  chunks: TurnChunks,
  { after, limit }: Parameters<TurnRecords['tenantsWithText']>[0],
): Promise<OldestTurn[]> {
  const found: OldestTurn[] = [];
  for (let last = after ?? ''; found.length < limit;) {
    const later = { '_id.tenant': { $gt: last }, textAt: { $exists: true } };
    const first = await chunks.first(later, { '_id.tenant': 1, textAt: 1 });
    if (first?.textAt === undefined) break;
    last = first._id.tenant;
    found.push({ tenant: last, oldestAt: first.textAt });
  }
  return found;
}

async function turnsWithText(
  chunks: TurnChunks,
  session: Session,
  { until, after, limit }: { until: number; after: number; limit: number },
): Promise<Turn[]> {
  const found: Turn[] = [];
  for (let last = after; found.length < limit;) {
    const later = { ...ofSession(session), last: { $gt: last }, textAt: { $lte: until } };
    const batch = await chunks.select(later, { sort: { '_id.chunk': 1 }, limit: BATCH_CHUNKS });
    const turns = batch.flatMap(decodeChunk).filter(({ sequence }) => sequence > after);
    found.push(...turns.filter((turn) => turn.compactedAt === null && turn.at <= until));
    last = batch.at(-1)?.last ?? last;
    if (batch.length < BATCH_CHUNKS) break;
  }
  return found.slice(0, limit);
}

/** Chunk after chunk; ends before the first one that somebody else's write came before. */
async function compact(
  tables: TurnTables,
  { scope, turns }: Compaction,
  rules: WriteRules,
): Promise<Compacted | null> {
  requireCompactedPerCall(turns);
  const session = { tenant: scope.tenant, sessionId: scope.scopeId };
  const parts: Compacted[] = [];
  for (const chunk of await chunksOf(tables.turns, session, turns)) {
    const seen = parts.at(-1)?.scope ?? scope;
    const part = await compactChunk(tables, { scope: seen, turns, chunk }, rules);
    if (part === null) {
      if (parts.length === 0) return null;
      break;
    }
    parts.push(part);
  }
  const last = parts.at(-1);
  if (last === undefined) return nothingToDo(tables, scope, rules);
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  return { turns: parts.flatMap((part) => part.turns), bytes, scope: last.scope };
}

async function chunksOf(
  chunks: TurnChunks,
  session: Session,
  turns: readonly KeptTurn[],
): Promise<readonly TurnChunk[]> {
  const ids = turns.map(({ id }) => id);
  const holding = { ...ofSession(session), 'turns.id': { $in: ids }, textAt: { $exists: true } };
  const found = await chunks.select(holding, { sort: { '_id.chunk': 1 }, limit: ids.length });
  const asked = new Set(ids);
  return found.filter((chunk) =>
    decodeChunk(chunk).some(({ id, compactedAt }) => compactedAt === null && asked.has(id)),
  );
}

interface ChunkCompaction extends Compaction {
  readonly chunk: TurnChunk;
}

async function compactChunk(
  tables: TurnTables,
  { scope, turns, chunk }: ChunkCompaction,
  rules: WriteRules,
): Promise<Compacted | null> {
  const keptOf = new Map(turns.map((kept) => [kept.id, kept]));
  const done: KeptTurn[] = [];
  let bytes = 0;
  const after = decodeChunk(chunk).map((turn) => {
    const kept = turn.compactedAt === null ? keptOf.get(turn.id) : undefined;
    if (kept === undefined) return turn;
    const compacted = compactedTurn(turn, kept, rules.now);
    bytes += freedBytes(turn, compacted);
    done.push(kept);
    return compacted;
  });
  const { newId } = tables;
  const intent: WriteIntent = {
    token: newId(),
    id: done[0]?.id ?? '',
    contentHash: '',
    at: rules.now,
    policy: rules.policy,
    of: { kind: 'Compaction', chunk: chunk._id.chunk, bytes },
  };
  if (!(await announceCompaction(tables, scope, intent))) return null;
  const { token } = intent;
  const { turns: encoded, textAt } = encodeTurns(after);
  const written = await tables.turns.update(
    { ...byId(chunk._id), token: chunk.token },
    textAt === null
      ? { $set: { token, turns: encoded }, $unset: { textAt: '' } }
      : { $set: { token, turns: encoded, textAt } },
  );
  const verdict = written ? 'Happened' : 'DidNot';
  const record = await conclude(tables, scope, { token, verdict });
  return written ? { turns: done, bytes, scope: record } : null;
}

/** Only over the scope as it was seen; not heard, so that its summary stays fresh meanwhile. */
async function announceCompaction(
  { scopes }: TurnTables,
  scope: ScopeRecord,
  intent: WriteIntent,
): Promise<boolean> {
  return scopes.update(free(scope, intent.at), {
    $push: { writes: intent },
    $inc: { revision: 1 },
    $min: { settleAt: settleAtOf([intent]) },
  });
}

/** As it was seen, with nobody at work on it. */
function free(scope: ScopeRecord, now: number): Record<string, unknown> {
  return {
    ...atVersion(scope, scope.version),
    'writes.0': { $exists: false },
    $or: [{ 'record.lease': null }, { 'record.lease.until': { $lte: now } }],
  };
}

/** Where none of the turns has its text any more; null where somebody came in between. */
async function nothingToDo(
  { scopes }: TurnTables,
  scope: ScopeRecord,
  { now }: WriteRules,
): Promise<Compacted | null> {
  return (await scopes.first(free(scope, now))) === null ? null : { turns: [], bytes: 0, scope };
}
