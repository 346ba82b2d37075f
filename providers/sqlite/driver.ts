/** The driver over one SQLite file: a commit is one transaction, shared with others that wait. */
import type { Anchor, Commit, Driver } from '#store/driver.ts';
import type { AnyKind, RecordKind } from '#store/record-kind.ts';

import type { Connection } from './connection.ts';
import { openRows, schemaOf, type RecordRows } from './record-rows.ts';

/** Tables of kinds whose rows are more than their columns and JSON. */
export type OwnTables = ReadonlyMap<string, RecordRows<object>>;

/**
 * @param own tables that are not made from their kind, by its name
 */
export function sqliteDriver(connection: Connection, own: OwnTables = new Map()): Driver {
  const tables = new Map<string, RecordRows<object>>(own);
  function rowsOf<R extends object>(kind: RecordKind<R> | AnyKind): RecordRows<R> {
    const known = tables.get(kind.name);
    if (known !== undefined) return known as unknown as RecordRows<R>;
    const opened = openRows(connection, kind as RecordKind<R>);
    tables.set(kind.name, asAny(opened));
    return opened;
  }
  return {
    get: (kind, key) => connection.readOne(() => rowsOf(kind).find(key)),
    getMany: (kind, keys) => {
      const find = () => keys.map((key) => rowsOf(kind).find(key));
      // A single statement sees one snapshot.
      return keys.length === 1 ? connection.readOne(find) : connection.read(find);
    },
    scan: async (kind, scan) => {
      // To SQLite a negative limit is none.
      if (scan.limit <= 0) return [];
      return connection.readOne(() => rowsOf(kind).scan(scan));
    },
    count: (kind, where, most) => connection.readOne(() => rowsOf(kind).count(where, most)),
    least: (kind, scan) => connection.read(() => rowsOf(kind).least(scan)),
    anchor: (kind, key) =>
      connection.read(() => {
        const rows = rowsOf(kind);
        return { record: rows.find(key), revision: rows.revision(key), commits: [] };
      }),
    commit: (commit) => connection.write(() => applyCommit(rowsOf, commit)),
    insert: (kind, record) => connection.write(() => rowsOf(kind).insert(record)),
    erase: (kind, where, limit) => connection.write(() => rowsOf(kind).erase(where, limit)),
  };
}

/** Makes the tables and indexes of the kinds that are not there yet. Repeatable. */
export async function createTables(
  connection: Connection,
  kinds: readonly AnyKind[],
): Promise<void> {
  const known = await connection.readOne(
    () => new Set(connection.all('SELECT name FROM sqlite_master').map((row) => row['name'])),
  );
  const missing = kinds
    .flatMap((kind) => schemaOf(kind))
    .filter((sql) => !known.has(/IF NOT EXISTS (\w+)/u.exec(sql)?.[1] ?? ''));
  if (missing.length === 0) return;
  await connection.exclusive(() => {
    for (const sql of missing) connection.script(sql);
  });
}

/** Rows of a kind that is known again by its name. */
export function asAny<R extends object>(rows: RecordRows<R>): RecordRows<object> {
  return rows as unknown as RecordRows<object>;
}

/** False, and nothing is written, where the anchor has another revision by now. */
function setAnchor<R extends object>(anchors: RecordRows<R>, commit: Commit<R>): boolean {
  const { key, record, anchor } = commit;
  if (record !== null || anchor.record === null) {
    return anchors.replace(key, record, anchor.revision);
  }
  if (anchors.revision(key) !== anchor.revision) return false;
  anchors.remove(key);
  return true;
}

type RowsOf = <R extends object>(kind: RecordKind<R> | AnyKind) => RecordRows<R>;

function applyCommit<R extends object>(rowsOf: RowsOf, commit: Commit<R>): Anchor<R> | null {
  const { kind, record, writes, inserts } = commit;
  const { revision } = commit.anchor;
  const anchors = rowsOf(kind);
  if (!setAnchor(anchors, commit)) return null;
  for (const write of writes) {
    const rows = rowsOf<object>(write.kind);
    if (write.record === null) rows.remove(write.key);
    else rows.put(write.key, write.record, revision + 1, write.isNew);
  }
  for (const insert of inserts) rowsOf<object>(insert.kind).insert(insert.record);
  return { record, revision: revision + 1, commits: [] };
}
