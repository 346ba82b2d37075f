/**
 * What was left under way: a write whose writer died or lost its connection is folded in where its
 * document is there, and shut out for good where it is not, so that it can't arrive late.
 */
import type { NewId } from '#core/ports/platform.ts';
import type { Scope } from '#core/scope.ts';

import { deliverEvents, type EventDocuments } from './events.ts';
import { memoryId, unchanged, voidOf } from './memory-document.ts';
import { keepChanges, type HistoryTables } from './memory-history.ts';
import { takeBack } from './memory-holder.ts';
import {
  asRead,
  INTENT_MS_MAX,
  readScope,
  scopeId,
  settleAtOf,
  type ScopeDocument,
  type WriteIntent,
} from './scope-document.ts';
import { removeParts, type SummaryTables } from './summaries.ts';
import { chunkAt, encodeChunk, type TurnChunks } from './turn-chunk.ts';
import { conclude, finishOlder, type IntentTables, type Verdict } from './write-intent.ts';
import { byId } from './table.ts';

/** Writes of which each changes one chunk of turns. */
type ChunkWrite = Extract<WriteIntent['of'], { readonly kind: 'Turns' | 'Compaction' }>;

/** Scopes settled in one look for due work; the rest waits for the next. */
const SCOPES_SETTLED_MAX = 100;
/** Tries against a writer that is still at it. */
const TRIES_MAX = 16;

export interface SettleTables
  extends IntentTables, HistoryTables, Pick<SummaryTables, 'segments' | 'variants'> {
  readonly turns: TurnChunks;
  readonly events: EventDocuments;
  readonly newId: NewId;
}

/** Settles what is older than 30 s in the scopes of a tenant. Repeatable. */
export async function settleWrites(
  tables: SettleTables,
  tenant: string,
  now: number,
): Promise<void> {
  const overdue = { '_id.tenant': tenant, settleAt: { $lte: now } };
  const selection = { sort: { settleAt: 1 }, limit: SCOPES_SETTLED_MAX } as const;
  for (const document of await tables.scopes.select(overdue, selection)) {
    const scope = scopeId(document._id);
    for (const intent of document.writes) {
      if (intent.at + INTENT_MS_MAX <= now) await settleWrite(tables, { scope, intent }, now);
    }
    if (document.record['sourceCount'] === 0) await removeParts(tables, scope);
    await deliverEvents(tables, document);
    await markSettled(tables, scope);
  }
}

async function settleWrite(
  tables: SettleTables,
  { scope, intent }: { scope: Scope; intent: WriteIntent },
  now: number,
): Promise<void> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const verdict = await verdictOn(tables, { scope, intent }, now);
    if (verdict === null) continue;
    if (verdict === 'DidNot') await shutOutYielding(tables, { scope, intent }, now);
    else await keepDeletion(tables, scope, intent);
    await conclude(tables, scope, { token: intent.token, verdict });
    await removeMark(tables, scope, intent);
    return;
  }
}

/** Null where somebody wrote in between: then it is to be asked again. */
async function verdictOn(
  tables: SettleTables,
  { scope, intent }: { scope: Scope; intent: WriteIntent },
  now: number,
): Promise<Verdict | null> {
  const { token, id, of: write } = intent;
  switch (write.kind) {
    case 'Turns':
    case 'Compaction':
      return verdictOnChunk(tables, scope, { token, write });
    case 'Memory':
      return verdictOnMemory(tables, { scope, id, token }, now);
    default: {
      // Of several memories some may be written; the scope looks at all of them again.
      for (const each of write.ids) {
        const verdict = await verdictOnMemory(tables, { scope, id: each, token }, now);
        if (verdict === null) return null;
      }
      return 'Happened';
    }
  }
}

async function verdictOnMemory(
  tables: SettleTables,
  { scope, id, token }: { scope: Scope; id: string; token: string },
  now: number,
): Promise<Verdict | null> {
  const { memories, newId } = tables;
  const _id = memoryId(scope.tenant, id);
  const document = await memories.first(byId(_id));
  if (document === null) {
    const place = { _id, layer: scope.layer, scopeId: scope.scopeId };
    const mark = voidOf(place, { token: newId(), now });
    return (await memories.insert(mark)) ? 'DidNot' : null;
  }
  if (document.token === token) return 'Happened';
  // The history of a deletion is in its mark until its intent is gone, which goes here.
  if (document.record === null) await keepChanges(tables, [document]);
  const current = await readScope(tables.scopes, scope);
  if (current !== null) await finishOlder(tables, current, [document.token]);
  // A writer that still waits changes only what bears the token that it read.
  const isShut = await memories.update(unchanged(document), { $set: { token: newId() } });
  return isShut ? 'DidNot' : null;
}

/** A late writer finds an empty chunk in its place, or another token than the one that it read. */
async function verdictOnChunk(
  { turns, newId }: SettleTables,
  { tenant, scopeId: sessionId }: Scope,
  { token, write: { kind, chunk } }: { token: string; write: ChunkWrite },
): Promise<Verdict | null> {
  const session = { tenant, sessionId };
  const document = await chunkAt(turns, session, chunk);
  if (document?.token === token) return 'Happened';
  if (kind === 'Turns') {
    if (document !== null) return 'DidNot';
    const before = await chunkAt(turns, session, chunk - 1);
    const empty = { session, chunk, after: before?.last ?? 0, token: newId() };
    return (await turns.insert(encodeChunk(empty, []))) ? 'DidNot' : null;
  }
  if (document === null) return 'DidNot';
  const asItIs = { ...byId(document._id), token: document.token };
  return (await turns.update(asItIs, { $set: { token: newId() } })) ? 'DidNot' : null;
}

/** A memory that was to yield its key keeps it, and the late writer can't take it any more. */
async function shutOutYielding(
  tables: SettleTables,
  { scope, intent }: { scope: Scope; intent: WriteIntent },
  now: number,
): Promise<void> {
  if (intent.of.kind !== 'Memory' || intent.of.yielded === null) return;
  await takeBack(tables, scope.tenant, intent);
  const { id } = intent.of.yielded.state;
  await verdictOnMemory(tables, { scope, id, token: intent.token }, now);
}

/** The history of a deletion stands in its mark, which goes once the scope knows of it. */
async function keepDeletion(
  tables: SettleTables,
  { tenant }: Scope,
  { id, token, of }: WriteIntent,
): Promise<void> {
  if (of.kind !== 'Memory' || of.after !== null) return;
  const mark = await tables.memories.first({ ...byId(memoryId(tenant, id)), token });
  if (mark !== null) await keepChanges(tables, [mark]);
}

/** The mark of a deletion stays until the scope knows of it; then nobody needs it. */
async function removeMark(
  { memories }: SettleTables,
  { tenant }: Scope,
  { token, id, of }: WriteIntent,
): Promise<void> {
  if (of.kind !== 'Memory' || of.after !== null) return;
  await memories.remove({ ...byId(memoryId(tenant, id)), token, state: 'void' });
}

async function markSettled({ scopes }: SettleTables, scope: Scope): Promise<void> {
  const document: ScopeDocument | null = await readScope(scopes, scope);
  if (document === null || document.events.length > 0) return;
  const settleAt = settleAtOf(document.writes);
  await scopes.update(asRead(document), { $set: { settleAt } });
}
