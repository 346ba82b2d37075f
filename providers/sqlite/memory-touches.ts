/** Touches: which memories changed since an index in memory last looked, in order. */
import type { Memory } from '#core/records/memory.ts';
import type { Scope } from '#core/scope.ts';
import { scopeKey } from '#core/scope-key.ts';

import type { Connection, Parameters } from './connection.ts';

export type TouchedKey = Pick<Memory, 'tenant' | 'layer' | 'scopeId' | 'id'>;

/**
 * Minimum of latest changes that are kept of a scope; an index that is further behind is read
 * again, which then costs less than catching up.
 */
export const TOUCHES_KEPT = 50_000;
/** How often older ones are looked for: a few rows of one page, so that no write is long. */
const FORGET_EVERY = 64;

const OF_SCOPE = 'tenant = ? AND layer = ? AND scope_id = ?';
/** For a test that asks how SQLite finds its row. */
export const LAST_TOUCH = `SELECT max(seq) AS seq FROM memory_touches WHERE ${OF_SCOPE}`;

/**
 * Gives the memory a higher `seq` than any of its scope before; to be called in the transaction of
 * every add, change and deletion, and where its vectors change.
 */
export function touch(connection: Connection, key: TouchedKey): void {
  const seq = nextSeq(connection, key);
  const scope = placeOf(key);
  connection.run('INSERT INTO memory_touches VALUES (?, ?, ?, ?, ?)', [...scope, seq, key.id]);
  if (seq % FORGET_EVERY !== 0) return;
  const forget = `DELETE FROM memory_touches WHERE ${OF_SCOPE} AND seq <= ?`;
  connection.run(forget, [...scope, seq - TOUCHES_KEPT]);
}

/**
 * Asks the table once in a transaction. Where a write of it was taken back alone, the numbers it
 * took stay unused, which no index minds.
 */
function nextSeq(connection: Connection, scope: Scope): number {
  const { touched } = connection;
  const key = scopeKey(scope);
  const seq = (touched.get(key) ?? lastTouch(connection, scope) ?? erasedSeq(connection)) + 1;
  touched.set(key, seq);
  return seq;
}

/** The values of the columns of a scope, in their order. */
export function placeOf({ tenant, layer, scopeId }: Scope): readonly string[] {
  return [tenant, layer, scopeId];
}

/** Rises with every change of any memory of the scope; null where none is known. */
export function lastTouch(connection: Connection, scope: Scope): number | null {
  const seq = connection.first(LAST_TOUCH, placeOf(scope))?.['seq'];
  return typeof seq === 'number' ? seq : null;
}

/**
 * To be called in the transaction that erases the first `limit` touches of a tenant, or of one of
 * its scopes, before it does: what is written there afterwards leaves a gap after them, so that an
 * index in memory of any process is read again instead of caught up (search/index-cache.ts).
 */
export function leaveTouchGap(
  connection: Connection,
  of: { readonly columns: readonly string[]; readonly values: Parameters },
  limit: number,
): void {
  connection.touched.clear();
  const condition = of.columns.map((column) => `${column} = ?`).join(' AND ');
  const row = connection.first(
    `SELECT max(seq) AS seq FROM (
       SELECT seq FROM memory_touches WHERE ${condition}
       ORDER BY tenant, layer, scope_id, seq LIMIT ?
     )`,
    [...of.values, limit],
  );
  const seq = row?.['seq'];
  if (typeof seq !== 'number') return;
  connection.run(
    `INSERT INTO touches_erased VALUES (1, ?)
     ON CONFLICT (one) DO UPDATE SET seq = max(seq, excluded.seq)`,
    [seq + 1],
  );
}

/** One more than any touch that was erased; 0 where none was. */
function erasedSeq(connection: Connection): number {
  return Number(connection.first('SELECT seq FROM touches_erased')?.['seq'] ?? 0);
}
