/** Tables of records: their statements, and reading and writing their rows. */
import {
  type AnyKind,
  type FieldCondition,
  type IndexShape,
  type Key,
  recordKey,
  type Least,
  type LeastScan,
  type RecordKind,
  type Scan,
} from '#store/storage-driver.ts';
import { memoized } from '#core/text/memoized.ts';
import type { Connection, Row } from './connection.ts';
import type { SQLInputValue } from 'node:sqlite';
import { parsedRecord } from '#store/record-and-schema-checks.ts';

/** Creates missing tables and indexes of the kinds. Repeatable. */
export async function createTables(
  connection: Connection,
  kinds: readonly AnyKind[],
): Promise<void> {
  const known = await connection.readOne(
    () => new Set(connection.all('SELECT name FROM sqlite_master').map((row) => row['name'])),
  );
  const missing = kinds
    .flatMap((kind) => createStatements(kind))
    .filter((sql) => !known.has(/IF NOT EXISTS (\w+)/u.exec(sql)?.[1] ?? ''));
  if (missing.length === 0) return;
  await connection.exclusive(() => {
    for (const sql of missing) connection.script(sql);
  });
}

/** Returns statements that create the table and its indexes if they are missing. */
export function createStatements<R extends object>(kind: RecordKind<R>): readonly string[] {
  const name = snakeCase(kind.name);
  const keys = kind.key.map(snakeCase);
  const columns = [
    ...keys.map((column) => `${column} NOT NULL`),
    ...Object.keys(kind.columns).map(snakeCase),
    'revision INTEGER NOT NULL',
    'record TEXT',
  ];
  return [
    `CREATE TABLE IF NOT EXISTS ${name} (${columns.join(', ')}, PRIMARY KEY (${keys.join(', ')}))`,
    ...Object.entries(kind.indexes).map(([index, shape]) => indexOf(name, index, shape)),
  ];
}

function indexOf(table: string, index: string, { columns, whereSet }: IndexShape): string {
  const partial = whereSet === undefined ? '' : ` WHERE ${snakeCase(whereSet)} IS NOT NULL`;
  const on = columns.map(snakeCase).join(', ');
  return `CREATE INDEX IF NOT EXISTS ${table}_${snakeCase(index)} ON ${table} (${on})${partial}`;
}

/** What the driver needs from a table; memories have their own implementation. */
export interface RecordRows<R extends object> {
  readonly find: (key: Key) => R | null;
  /** 0 where nothing has the key. */
  readonly revision: (key: Key) => number;
  readonly scan: (scan: Scan) => R[];
  readonly count: (where: readonly FieldCondition[], most: number | undefined) => number;
  readonly least: (scan: LeastScan) => Least[];
  /**
   * Writes a row. A null record keeps the revision of an anchor without its own record.
   * @param isNew true if it is known that nothing has the key
   */
  readonly put: (key: Key, record: R | null, revision: number, isNew?: boolean) => void;
  /**
   * Raises the revision of an anchor by one, usually in one statement. Returns false, without a
   * write, if the revision is not `from`; `from` is 0 for a key that nothing has.
   */
  readonly replace: (key: Key, record: R | null, from: number) => boolean;
  /** Inserts a record unless its key is taken; returns whether it did. */
  readonly insert: (record: R) => boolean;
  readonly remove: (key: Key) => void;
  readonly erase: (where: readonly FieldCondition[], limit: number) => number;
}

/** Widens the type of rows, whose kind is found again by its name. */
export function asRowsOfAnyKind<R extends object>(rows: RecordRows<R>): RecordRows<object> {
  return rows as unknown as RecordRows<object>;
}

/** Cache of parsed records that are listed often, by their text; it takes about 8 MB. */
const PARSED_KEPT = { entriesMax: 8_192, unitsMax: 2_048 };

/** Returns the parser of stored records; one that may return a record again freezes it. */
function parserOf({ name, isListedOften }: Pick<RecordKind<never>, 'name' | 'isListedOften'>) {
  const parse = (text: string): object => parsedRecord(snakeCase(name), text);
  if (isListedOften !== true) return parse;
  return memoized((text) => deepFrozen(parse(text)), PARSED_KEPT);
}

function deepFrozen(value: object): object {
  for (const each of Object.values(value)) {
    if (typeof each === 'object' && each !== null) deepFrozen(each as object);
  }
  return Object.freeze(value);
}

export function openRows<R extends object>(
  connection: Connection,
  kind: RecordKind<R>,
): RecordRows<R> {
  const name = snakeCase(kind.name);
  const keys = kind.key.map(snakeCase);
  const ofKey = keys.map((column) => `${column} = ?`).join(' AND ');
  const parse = parserOf(kind);
  const decode = (row: Row): R => parse(String(row['record'])) as R;
  const writes = writesOf(connection, kind);
  return {
    find(key) {
      const found = connection.first(`SELECT record FROM ${name} WHERE ${ofKey}`, [...key]);
      return found === null || found['record'] === null ? null : decode(found);
    },
    revision(key) {
      const found = connection.first(`SELECT revision FROM ${name} WHERE ${ofKey}`, [...key]);
      return Number(found?.['revision'] ?? 0);
    },
    scan(scan) {
      const { sql, parameters } = conditionsOf(scan, kind.key);
      return connection
        .all(`SELECT record FROM ${name}${along(name, scan)} WHERE ${sql}`, [
          ...parameters,
          scan.limit,
        ])
        .map(decode);
    },
    count(where, most) {
      const { sql, parameters } = joined(where);
      const limit = most === undefined ? '' : ' LIMIT ?';
      const rows = `SELECT 1 FROM ${name} WHERE ${sql}${limit}`;
      const bound = most === undefined ? [] : [most];
      const row = connection.first(`SELECT count(*) AS n FROM (${rows})`, [
        ...parameters,
        ...bound,
      ]);
      return Number(row?.['n']);
    },
    least: (scan) => leastOf(connection, name, scan),
    put: (key, record, revision, isNew = false) => {
      writes.put(writes.encode(key, record, revision), isNew);
    },
    replace: (key, record, from) => writes.replace(writes.encode(key, record, from + 1), from),
    insert: (record) => writes.insert(writes.encode(recordKey(kind, record), record, 1)),
    remove: (key) => void connection.run(`DELETE FROM ${name} WHERE ${ofKey}`, [...key]),
    erase: (where, limit) => eraseRows(connection, { name, keys }, where, limit),
  };
}

function writesOf<R extends object>(connection: Connection, kind: RecordKind<R>) {
  const name = snakeCase(kind.name);
  const keys = kind.key.map(snakeCase);
  const computed = Object.entries(kind.columns);
  const columns = computed.map(([column]) => snakeCase(column));
  const written = [...keys, ...columns, 'revision', 'record'];
  const places = written.map(() => '?').join(', ');
  const insertRow = `INSERT INTO ${name} (${written.join(', ')}) VALUES (${places})`;
  const sets = written.slice(keys.length).map((column) => `${column} = excluded.${column}`);
  const upsert = `${insertRow} ON CONFLICT (${keys.join(', ')}) DO UPDATE SET ${sets.join(', ')}`;
  // Equal columns are not written; otherwise SQLite would write the pages of their indexes too.
  const same = [...keys.map((key) => `${key} = ?`), ...columns.map((column) => `${column} IS ?`)];
  const keep = `UPDATE ${name} SET revision = ?, record = ? WHERE ${same.join(' AND ')}`;
  const isIndexed = columns.length > 0;
  const rest = written.length - 2;
  const updates = sets.map((_, at) => `${written[keys.length + at] ?? ''} = ?`);
  const at = [...keys, 'revision'].map((column) => `${column} = ?`).join(' AND ');
  const replaceRow = `UPDATE ${name} SET ${updates.join(', ')} WHERE ${at}`;
  const keepAt = `${keep} AND revision = ?`;
  const insertOnce = `${insertRow} ON CONFLICT DO NOTHING`;
  const sameFirst = (values: SQLInputValue[]) => [...values.slice(rest), ...values.slice(0, rest)];
  return {
    encode: (key: Key, record: R | null, revision: number): SQLInputValue[] => [
      ...key,
      ...computed.map(([, compute]) => (record === null ? null : compute(record))),
      revision,
      record === null ? null : JSON.stringify(record),
    ],
    put(values: SQLInputValue[], isNew: boolean): void {
      if (isIndexed && !isNew && connection.run(keep, sameFirst(values)) > 0) return;
      connection.run(upsert, values);
    },
    replace(values: SQLInputValue[], from: number): boolean {
      if (from === 0) return connection.run(insertOnce, values) > 0;
      if (connection.run(keepAt, [...sameFirst(values), from]) > 0) return true;
      if (!isIndexed) return false;
      const ofKey = values.slice(0, keys.length);
      return connection.run(replaceRow, [...values.slice(keys.length), ...ofKey, from]) > 0;
    },
    insert: (values: SQLInputValue[]): boolean => connection.run(insertOnce, values) > 0,
  };
}

interface Sql {
  readonly sql: string;
  readonly parameters: SQLInputValue[];
}

/** Condition, order and limit of a scan; the limit is the last parameter. */
function conditionsOf(scan: Scan, key: readonly string[]): Sql {
  const { order = key, descending = false, after } = scan;
  const where = joined(scan.where);
  const ordered = [...order, ...key.filter((field) => !order.includes(field))].map(snakeCase);
  const direction = descending ? ' DESC' : '';
  const orderBy = ordered.map((column) => `${column}${direction}`).join(', ');
  if (after === undefined) {
    return { sql: `${where.sql} ORDER BY ${orderBy} LIMIT ?`, parameters: where.parameters };
  }
  const columns = order.slice(0, after.length).map(snakeCase).join(', ');
  const places = after.map(() => '?').join(', ');
  const later = `(${columns}) ${descending ? '<' : '>'} (${places})`;
  const sql = `${where.sql} AND ${later} ORDER BY ${orderBy} LIMIT ?`;
  return { sql, parameters: [...where.parameters, ...after] };
}

/** Joins conditions, limited to existing records: an anchor without one does not exist. */
function joined(where: readonly FieldCondition[]): Sql {
  const terms = where.map(termOf);
  const sql = ['record IS NOT NULL', ...terms.map((term) => term.sql)].join(' AND ');
  return { sql, parameters: terms.flatMap(({ parameters }) => parameters) };
}

function termOf([name, operator, value]: FieldCondition): Sql {
  const column = snakeCase(name);
  if (operator === 'in' || operator === 'not in') {
    const sql = `${column} ${operator === 'in' ? 'IN' : 'NOT IN'} (SELECT value FROM json_each(?))`;
    return { sql, parameters: [JSON.stringify(value)] };
  }
  // In practice only the two operators above have lists as values.
  const parameters = [value as SQLInputValue];
  if (operator === 'null or <=')
    return { sql: `(${column} IS NULL OR ${column} <= ?)`, parameters };
  if (operator === '=' && value === null) return { sql: `${column} IS NULL`, parameters: [] };
  return { sql: `${column} ${operator} ?`, parameters };
}

function along(name: string, { index }: { readonly index?: string }): string {
  return index === undefined ? '' : ` INDEXED BY ${name}_${snakeCase(index)}`;
}

function leastOf(connection: Connection, name: string, scan: LeastScan): Least[] {
  const { sql, parameters } = joined(scan.where);
  const [by, column] = [snakeCase(scan.by), snakeCase(scan.column)];
  const having = `${sql} AND ${column} IS NOT NULL`;
  const answer = (row: Row) => ({ group: String(row['name']), least: Number(row['least']) });
  if (scan.order === 'value') {
    const grouped = `SELECT ${by} AS name, min(${column}) AS least FROM ${name}${along(name, scan)}
      WHERE ${having}
      GROUP BY ${by} HAVING least >= ? ORDER BY least, name LIMIT ? OFFSET ?`;
    const from = scan.from ?? Number.MIN_SAFE_INTEGER;
    return connection
      .all(grouped, [...parameters, from, scan.limit, scan.skip ?? 0])
      .map((row) => answer(row));
  }
  // Takes one step along the index for each group, however many records a group has.
  const next = `SELECT ${by} AS name, ${column} AS least FROM ${name} WHERE ${having} AND ${by} > ?
    ORDER BY ${by}, ${column} LIMIT 1`;
  const found: Least[] = [];
  for (let last = scan.after ?? ''; found.length < scan.limit;) {
    const row = connection.first(next, [...parameters, last]);
    if (row === null) break;
    last = String(row['name']);
    found.push(answer(row));
  }
  return found;
}

/** Deletes the first rows by key, so that each step continues where the last one ended. */
function eraseRows(
  connection: Connection,
  { name, keys }: { readonly name: string; readonly keys: readonly string[] },
  where: readonly FieldCondition[],
  limit: number,
): number {
  const terms = where.map(termOf);
  const condition = terms.map(({ sql }) => sql).join(' AND ');
  const parameters = terms.flatMap((term) => term.parameters);
  const columns = keys.join(', ');
  return connection.run(
    `DELETE FROM ${name} WHERE (${columns}) IN (
       SELECT ${columns} FROM ${name} WHERE ${condition} ORDER BY ${columns} LIMIT ?
     )`,
    [...parameters, limit],
  );
}

export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}
