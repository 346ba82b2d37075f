/** The driver over one SQLite file: a commit is a transaction, shared with other waiting ones. */
import type { Anchor, AnyKind, Commit, Driver, RecordKind } from '#store/storage-driver.ts';
import type { Connection } from './connection.ts';
import { asRowsOfAnyKind, openRows, type RecordRows } from './record-tables.ts';

/** Tables of kinds whose rows are more than their columns and JSON. */
type OwnTables = ReadonlyMap<string, RecordRows<object>>;

/**
 * Creates the driver.
 * @param own tables that are not derived from their kind, by its name
 */
export function sqliteDriver(connection: Connection, own: OwnTables = new Map()): Driver {
  const tables = new Map<string, RecordRows<object>>(own);
  function rowsOf<R extends object>(kind: RecordKind<R> | AnyKind): RecordRows<R> {
    const known = tables.get(kind.name);
    if (known !== undefined) return known as unknown as RecordRows<R>;
    const opened = openRows(connection, kind as RecordKind<R>);
    tables.set(kind.name, asRowsOfAnyKind(opened));
    return opened;
  }
  return {
    // A failed commit leaves nothing, unless its flush failed, which the caller must know.
    namesCommits: false,
    get: (kind, key) => connection.readOne(() => rowsOf(kind).find(key)),
    getMany: (kind, keys) => {
      const find = () => keys.map((key) => rowsOf(kind).find(key));
      // A single statement sees one snapshot.
      return keys.length === 1 ? connection.readOne(find) : connection.read(find);
    },
    scan: async (kind, scan) => {
      // For SQLite a negative limit means no limit.
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

/** Writes an anchor; false, without a write, if its revision has changed meanwhile. */
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
