/** Turns: a session's messages in order, each a source of the session's scope. */
import { VarveError } from '#core/errors.ts';
import { sourceLane } from '#core/hash.ts';
import type { NewId } from '#core/ports/platform.ts';
import type { TurnRecords } from '#core/ports/turn-records.ts';
import type { WriteRules } from '#core/ports/write-rules.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Turn } from '#core/records/turn.ts';
import type { Scope } from '#core/scope.ts';
import { utf8Bytes } from '#core/text.ts';
import { sessionOf } from '#core/turn-session.ts';

import { oldTurns } from './compaction.ts';
import { scopeOrEmpty, type WriteIntent } from './scope-document.ts';
import {
  CHUNK_TURNS_MAX,
  decodeChunk,
  encodeChunk,
  lastChunk,
  ofSession,
  type Session,
  type TurnChunks,
} from './turn-chunk.ts';
import { announce, conclude, type IntentTables } from './write-intent.ts';

/** Tries against other writers of the same session. */
const APPEND_TRIES_MAX = 32;

export interface TurnTables extends IntentTables {
  readonly turns: TurnChunks;
  readonly newId: NewId;
}

type NewTurn = Omit<Turn, 'sequence'>;

export function turnRecords(tables: TurnTables): TurnRecords {
  return {
    ...oldTurns(tables),
    append: (given, rules) => appendTurns(tables, given, rules),
    latest: (session, limit) => latestTurns(tables.turns, session, limit),
  };
}

/** A chunk holds one turn at least, but for the few of writers that were shut out. */
async function latestTurns(chunks: TurnChunks, session: Session, limit: number): Promise<Turn[]> {
  const selection = { sort: { '_id.chunk': -1 }, limit } as const;
  const held = { ...ofSession(session), 'turns.0': { $exists: true } };
  const found = await chunks.select(held, selection);
  return limit <= 0 ? [] : found.toReversed().flatMap(decodeChunk).slice(-limit);
}

async function appendTurns(
  tables: TurnTables,
  given: readonly NewTurn[],
  rules: WriteRules,
): Promise<{ appended: number; scope: ScopeRecord }> {
  const scope = sessionOf(given);
  let appended = 0;
  let record: ScopeRecord | null = null;
  for (let at = 0; at < given.length; at += CHUNK_TURNS_MAX) {
    const part = given.slice(at, at + CHUNK_TURNS_MAX);
    const outcome = await appendPart(tables, { scope, part }, rules);
    appended += outcome.appended;
    record = outcome.scope ?? record;
  }
  return { appended, scope: record ?? (await scopeOrEmpty(tables.scopes, scope)) };
}

async function appendPart(
  tables: TurnTables,
  { scope, part }: { scope: Scope; part: readonly NewTurn[] },
  rules: WriteRules,
): Promise<{ appended: number; scope: ScopeRecord | null }> {
  const session = { tenant: scope.tenant, sessionId: scope.scopeId };
  for (let tries = 0; tries < APPEND_TRIES_MAX; tries += 1) {
    const before = await lastChunk(tables.turns, session);
    const turns = await unknownTurns(tables.turns, session, part);
    if (turns.length === 0) return { appended: 0, scope: null };
    const chunk = (before?._id.chunk ?? 0) + 1;
    const intent = intentOf(tables, { chunk, turns }, rules);
    await announce(tables, scope, [intent]);
    const { token } = intent;
    const place = { session, chunk, after: before?.last ?? 0, token };
    const written = await tables.turns.insert(encodeChunk(place, turns));
    const verdict = written ? 'Happened' : 'DidNot';
    const record = await conclude(tables, scope, { token, verdict });
    if (written) return { appended: turns.length, scope: record };
  }
  throw new VarveError('CONFLICT', 'Others kept writing to the session; try again.');
}

/** Those that the session has not, each once. */
async function unknownTurns(
  chunks: TurnChunks,
  session: Session,
  part: readonly NewTurn[],
): Promise<NewTurn[]> {
  const ids = [...new Set(part.map(({ id }) => id))];
  const holding = { ...ofSession(session), 'turns.id': { $in: ids } };
  const found = await chunks.select(holding, { limit: ids.length, fields: ['turns.id'] });
  const known = new Set(found.flatMap(({ turns }) => turns.map(({ id }) => id)));
  return part.filter((turn, at) => {
    const isFirst = part.findIndex(({ id }) => id === turn.id) === at;
    return isFirst && !known.has(turn.id);
  });
}

function intentOf(
  { newId, digest }: TurnTables,
  { chunk, turns }: { chunk: number; turns: readonly NewTurn[] },
  { policy, now: at }: WriteRules,
): WriteIntent {
  const [first] = turns;
  const lanes = turns.map((turn) => sourceLane(digest, turn));
  const tokens = turns.reduce((sum, turn) => sum + turn.tokenCount, 0);
  const bytes = turns.reduce((sum, turn) => sum + utf8Bytes(turn.content), 0);
  const { id = '', contentHash = '' } = first ?? {};
  return {
    token: newId(),
    id,
    contentHash,
    at,
    policy,
    of: { kind: 'Turns', chunk, lanes, tokens, bytes },
  };
}
