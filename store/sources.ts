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

/** Null while the page before ended within the memories. */
function afterTurn(after: string | null): number | null {
  const prefix = turnPosition(0).replace(/0+$/u, '');
  return after?.startsWith(prefix) === true ? Number(after.slice(prefix.length)) : null;
}
