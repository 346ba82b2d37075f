/** The live sources of a scope, page by page: its memories by id, then a session's turns. */
import type { ScopeRecords } from '#core/ports/scope-records.ts';
import type { Scope } from '#core/scope.ts';
import {
  memoryPosition,
  memorySource,
  turnPosition,
  turnSource,
  type Source,
} from '#core/source.ts';

import { decodeMemory, type MemoryDocuments } from './memory-document.ts';
import { decodeChunk, ofSession, type Session, type TurnChunks } from './turn-chunk.ts';

type Page = Parameters<ScopeRecords['sources']>[1];

interface Tables {
  readonly memories: MemoryDocuments;
  readonly turns: TurnChunks;
}

/** Chunks fetched at once: they may be large, and a page often ends within the first. */
const BATCH_CHUNKS = 16;

export async function readSources(
  { memories, turns }: Tables,
  scope: Scope,
  page: Page,
): Promise<readonly Source[]> {
  const lastTurn = afterTurn(page.after);
  const found = lastTurn === null ? await liveMemories(memories, scope, page) : [];
  const rest = page.limit - found.length;
  if (scope.layer !== 'session' || rest <= 0) return found;
  const session = { tenant: scope.tenant, sessionId: scope.scopeId };
  return [...found, ...(await turnsAfter(turns, session, { after: lastTurn ?? 0, limit: rest }))];
}

async function liveMemories(
  memories: MemoryDocuments,
  { tenant, layer, scopeId }: Scope,
  { after, limit, now }: Page,
): Promise<Source[]> {
  const id = after === null ? '' : after.slice(memoryPosition('').length);
  const place = { '_id.tenant': tenant, layer, scopeId, '_id.id': { $gt: id } };
  const live = { ...place, state: 'active', endsAt: { $gt: now } };
  const found = await memories.select(live, { sort: { '_id.id': 1 }, limit });
  return found.flatMap((document) => {
    const memory = decodeMemory(document);
    return memory === null ? [] : [memorySource(memory)];
  });
}

async function turnsAfter(
  chunks: TurnChunks,
  session: Session,
  { after, limit }: { after: number; limit: number },
): Promise<Source[]> {
  const found: Source[] = [];
  let last = after;
  while (found.length < limit) {
    const later = { ...ofSession(session), last: { $gt: last } };
    const batch = await chunks.select(later, { sort: { '_id.chunk': 1 }, limit: BATCH_CHUNKS });
    const turns = batch.flatMap(decodeChunk).filter(({ sequence }) => sequence > after);
    found.push(...turns.map(turnSource));
    last = batch.at(-1)?.last ?? last;
    if (batch.length < BATCH_CHUNKS) break;
  }
  return found.slice(0, limit);
}

/** Null while the page before ended within the memories. */
function afterTurn(after: string | null): number | null {
  const prefix = turnPosition(0).replace(/0+$/, '');
  return after?.startsWith(prefix) ? Number(after.slice(prefix.length)) : null;
}
