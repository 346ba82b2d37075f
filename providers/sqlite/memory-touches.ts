/** Touches: a log of changed memories, in order, from which indexes in memory catch up. */
import type { Memory } from '#core/records/memory.ts';
import type { Scope } from '#core/scope.ts';
import { scopeKey } from '#core/scope-key.ts';
import type { Connection, Parameters } from './connection.ts';

type TouchedKey = Pick<Memory, 'tenant' | 'layer' | 'scopeId' | 'id'>;

/**
 * Minimum number of latest changes kept for a scope. An index that is further behind is read again,
 * which costs less than catching up.
 */
export const TOUCHES_KEPT = 50_000;
/** After this many touches, old ones are deleted: a few rows of one page, so no write is long. */
const FORGET_EVERY = 64;

const OF_SCOPE = 'tenant = ? AND layer = ? AND scope_id = ?';
/** Exported for a test of how SQLite finds the row. */
export const LAST_TOUCH = `SELECT max(seq) AS seq FROM memory_touches WHERE ${OF_SCOPE}`;

/**
 * Gives the memory a higher `seq` than any before in its scope. Call it in the transaction of every
 * add, change and deletion, and of a change of vectors.
 */
export function touch(connection: Connection, key: TouchedKey): void {
  const seq = nextSeq(connection, key);
  const scope = scopeColumnValues(key);
  connection.run('INSERT INTO memory_touches VALUES (?, ?, ?, ?, ?)', [...scope, seq, key.id]);
  if (seq % FORGET_EVERY !== 0) return;
  const forget = `DELETE FROM memory_touches WHERE ${OF_SCOPE} AND seq <= ?`;
  connection.run(forget, [...scope, seq - TOUCHES_KEPT]);
}

/**
 * Reads the table once per transaction. If one write of it was rolled back alone, its numbers stay
 * unused, which does no harm to an index.
 */
function nextSeq(connection: Connection, scope: Scope): number {
  const { touched } = connection;
  const key = scopeKey(scope);
  const seq = (touched.get(key) ?? lastTouch(connection, scope) ?? erasedSeq(connection)) + 1;
  touched.set(key, seq);
  return seq;
}

/** Returns the values of a scope's columns, in order. */
export function scopeColumnValues({ tenant, layer, scopeId }: Scope): readonly string[] {
  return [tenant, layer, scopeId];
}

/** Returns a scope's last touch, which rises with every change of its memories; null if none. */
export function lastTouch(connection: Connection, scope: Scope): number | null {
  const seq = connection.first(LAST_TOUCH, scopeColumnValues(scope))?.['seq'];
  return typeof seq === 'number' ? seq : null;
}

/**
 * Call it in the transaction that erases the first `limit` touches of a tenant or of one of its
 * scopes, before they are erased. Later touches then leave a gap after the erased ones, so every
 * process reads its index in memory again instead of catching up (search/index-cache.ts).
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

/** One more than any erased touch; 0 if none was erased. */
function erasedSeq(connection: Connection): number {
  return Number(connection.first('SELECT seq FROM touches_erased')?.['seq'] ?? 0);
}
