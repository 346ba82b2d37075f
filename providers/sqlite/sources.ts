/** The live sources of a scope, page by page: its memories by id, then a session's turns. */
import type { Scope } from '#core/scope.ts';
import {
  memoryPosition,
  memorySource,
  turnPosition,
  turnSource,
  type Source,
} from '#core/source.ts';

import type { Connection } from './connection.ts';
import { LIVE, memoryTable } from './memory-table.ts';
import { turnTable } from './turns.ts';

export interface SourcePage {
  /** The position of the last source of the page before; null for the first page. */
  readonly after: string | null;
  readonly limit: number;
  readonly now: number;
}

export function sourceReader(
  connection: Connection,
): (scope: Scope, page: SourcePage) => readonly Source[] {
  const memories = memoryTable(connection);
  const turns = turnTable(connection);
  return (scope, page) => {
    const { tenant, layer, scopeId } = scope;
    const lastTurn = afterTurn(page.after);
    const found =
      lastTurn === null
        ? memories.select(
            `tenant = ? AND layer = ? AND scope_id = ? AND id > ? AND ${LIVE}
             ORDER BY id LIMIT ?`,
            [tenant, layer, scopeId, afterMemory(page.after), page.now, page.limit],
          )
        : [];
    const rest = page.limit - found.length;
    if (layer !== 'session' || rest === 0) return found.map(memorySource);
    const said = turns.select(
      'tenant = ? AND session_id = ? AND sequence > ? ORDER BY sequence LIMIT ?',
      [tenant, scopeId, lastTurn ?? 0, rest],
    );
    return [...found.map(memorySource), ...said.map(turnSource)];
  };
}

/** Null while the page before ended within the memories. */
function afterTurn(after: string | null): number | null {
  const prefix = turnPosition(0).replace(/0+$/, '');
  return after?.startsWith(prefix) ? Number(after.slice(prefix.length)) : null;
}

function afterMemory(after: string | null): string {
  return after === null ? '' : after.slice(memoryPosition('').length);
}
