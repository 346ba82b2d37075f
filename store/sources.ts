/** The live sources of a scope, page by page: its memories by id, then a session's turns. */
import { isLive } from '#core/sources/memory-state.ts';
import type { ScopeRecords } from '#core/ports/scope-records.ts';
import { UNSEEN_SOURCES_MAX } from '#core/records/scope-record.ts';
import { scopeKey, type Scope } from '#core/scope.ts';
import {
  hasWords,
  memoryPosition,
  memorySource,
  turnPosition,
  turnSource,
  type Source,
} from '#core/sources/source.ts';

import { MEMORIES, ofScope, ofSession, scopeKeyOf, SCOPES, TURNS } from './kinds.ts';
import type { StoreParts } from './store-parts.ts';

type Page = Parameters<ScopeRecords['sources']>[1];

export async function readSources(
  { driver }: StoreParts,
  scope: Scope,
  { after, limit, now }: Page,
): Promise<readonly Source[]> {
  // Whatever a commit of the scope left unfinished is finished first.
  await driver.anchor(SCOPES, scopeKeyOf(scope));
  const lastTurn = afterTurn(after);
  const memories =
    lastTurn === null
      ? await driver.scan(MEMORIES, {
          where: [
            ...ofScope(scope),
            ['id', '>', after === null ? '' : after.slice(memoryPosition('').length)],
            ['liveUntil', '>', now],
          ],
          order: ['id'],
          limit,
        })
      : [];
  const found = memories.map(memorySource);
  if (scope.layer !== 'session' || found.length >= limit) return found;
  const session = { tenant: scope.tenant, sessionId: scope.scopeId };
  const said = await driver.scan(TURNS, {
    where: [...ofSession(session), ['sequence', '>', lastTurn ?? 0]],
    limit: limit - found.length,
  });
  return [...found, ...said.map(turnSource)];
}

/** Memories, and turns of a session that have words. */
export async function readSourcesById(
  { driver }: StoreParts,
  scope: Scope,
  { ids, now }: { readonly ids: readonly string[]; readonly now: number },
): Promise<readonly Source[]> {
  const asked = ids.slice(0, UNSEEN_SOURCES_MAX);
  if (asked.length === 0) return [];
  // Whatever a commit of the scope left unfinished is finished first.
  await driver.anchor(SCOPES, scopeKeyOf(scope));
  const { tenant, layer, scopeId: sessionId } = scope;
  const [memories, turns] = await Promise.all([
    driver.getMany(
      MEMORIES,
      asked.map((id) => [tenant, id]),
    ),
    layer !== 'session'
      ? []
      : driver.scan(TURNS, {
          index: 'byId',
          where: [...ofSession({ tenant, sessionId }), ['id', 'in', asked]],
          limit: asked.length,
        }),
  ]);
  const found = new Map<string, Source>();
  for (const turn of turns) found.set(turn.id, turnSource(turn));
  for (const memory of memories) {
    if (memory === null || scopeKey(memory) !== scopeKey(scope) || !isLive(memory, now)) continue;
    found.set(memory.id, memorySource(memory));
  }
  return asked.flatMap((id) => found.get(id) ?? []).filter(hasWords);
}

/** Null while the page before ended within the memories. */
function afterTurn(after: string | null): number | null {
  const prefix = turnPosition(0).replace(/0+$/u, '');
  return after?.startsWith(prefix) === true ? Number(after.slice(prefix.length)) : null;
}
