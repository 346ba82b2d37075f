/** What became of the memories of a scope since somebody last looked. */
import type { Scope } from '#core/scope.ts';

import type { Connection } from '../connection.ts';

/** Touches read at a time. */
const TOUCHES_MAX = 500;

const LAST_OF_SCOPE = `
  SELECT max(seq) AS seq FROM memory_touches WHERE tenant = ? AND layer = ? AND scope_id = ?`;

const FIRST_OF_SCOPE = `
  SELECT min(seq) AS seq FROM memory_touches WHERE tenant = ? AND layer = ? AND scope_id = ?`;

const AFTER = `
  SELECT seq, memory_id FROM memory_touches
  WHERE tenant = ? AND layer = ? AND scope_id = ? AND seq > ? ORDER BY seq LIMIT ${TOUCHES_MAX}`;

/** The statements of this file, so that a test can ask how SQLite finds their rows. */
export const TOUCH_STATEMENTS = [LAST_OF_SCOPE, FIRST_OF_SCOPE, AFTER] as const;

export interface Touches {
  readonly ids: readonly string[];
  /** Of the last of these; where the next ones begin. */
  readonly seq: number;
}

/** Rises with every change of any memory of the scope; 0 where none was ever written. */
export function lastTouch(connection: Connection, scope: Scope): number {
  return Number(connection.first(LAST_OF_SCOPE, place(scope))?.['seq'] ?? 0);
}

/** Whether no touch after the given one was forgotten, and none before it erased with a tenant. */
export function isWhole(connection: Connection, scope: Scope, after: number): boolean {
  const first = connection.first(FIRST_OF_SCOPE, place(scope))?.['seq'];
  return typeof first === 'number' ? first <= after + 1 : after === 0;
}

/** Memories that were touched after a touch, in bounded chunks and in the order of touches. */
export function* touchesAfter(
  connection: Connection,
  scope: Scope,
  after: number,
): Generator<Touches> {
  for (let seq = after; ;) {
    const rows = connection.all(AFTER, [...place(scope), seq]);
    const last = rows.at(-1);
    if (last === undefined) return;
    seq = Number(last['seq']);
    yield { ids: rows.map((row) => String(row['memory_id'])), seq };
    if (rows.length < TOUCHES_MAX) return;
  }
}

function place({ tenant, layer, scopeId }: Scope): string[] {
  return [tenant, layer, scopeId];
}
