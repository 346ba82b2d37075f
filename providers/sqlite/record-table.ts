/** A table of records: some fields are columns, the rest is JSON, and both make up the record. */
import type { SQLInputValue } from 'node:sqlite';

import type { Connection, Parameters, Row } from './connection.ts';
import { unreadable } from './failure.ts';

export interface TableShape<T> {
  readonly name: string;
  /** Columns of the primary key, the tenant first. */
  readonly key: readonly string[];
  /** Fields that are columns, by the name of the column. */
  readonly columns: Readonly<Record<string, keyof T & string>>;
  /** What fields mean that rows of an earlier version lack. */
  readonly absent?: Partial<T>;
  /** Columns computed from the record, for conditions; they are written and never read back. */
  readonly derived?: Readonly<Record<string, (record: T) => SQLInputValue>>;
  /**
   * Columns of indexes that most writes leave as they are. A row that keeps them is written without
   * them: SQLite would else write the pages of those indexes too.
   */
  readonly steady?: readonly string[];
}

export interface RecordTable<T> {
  /** What a statement of one's own has to select for `decode`. */
  readonly columns: readonly string[];
  find(...key: SQLInputValue[]): T | null;
  /** Records by a condition, with whatever order and limit follows it. */
  select(condition: string, parameters: Parameters): T[];
  /** Fails where the key is there already. */
  insert(record: T): void;
  /** Leaves a record of the same key as it is; answers whether it inserted. */
  insertNew(record: T): boolean;
  /** Writes the record whether it was there or not. */
  put(record: T): void;
  remove(...key: SQLInputValue[]): boolean;
  decode(row: Row): T;
}

/** Builds the statements of a table once; the connection keeps them prepared. */
export function recordTable<T extends object>(
  connection: Connection,
  shape: TableShape<T>,
): RecordTable<T> {
  const { name, key } = shape;
  const ofKey = key.map((column) => `${column} = ?`).join(' AND ');
  const columns = [...Object.keys(shape.columns), 'record'];
  const select = `SELECT ${columns.join(', ')} FROM ${name}`;
  const find = `${select} WHERE ${ofKey}`;
  const remove = `DELETE FROM ${name} WHERE ${ofKey}`;
  const written = [...Object.keys(shape.columns), ...Object.keys(shape.derived ?? {}), 'record'];
  const places = written.map(() => '?').join(', ');
  const insert = `INSERT INTO ${name} (${written.join(', ')}) VALUES (${places})`;
  const insertNew = `${insert} ON CONFLICT DO NOTHING`;
  const put = `${insert}${upsert(key, written)}`;
  const decode = (row: Row) => decodeRow(shape, row);
  const encode = rowEncoder(shape);
  const keep = steadyUpdate(shape, written);
  return {
    columns,
    decode,
    find(...values) {
      const row = connection.first(find, values);
      return row === null ? null : decode(row);
    },
    select: (condition, parameters) =>
      connection.all(`${select} WHERE ${condition}`, parameters).map(decode),
    insert: (record) => void connection.run(insert, encode(record)),
    insertNew: (record) => connection.run(insertNew, encode(record)) > 0,
    put(record) {
      const values = encode(record);
      const isKept = keep !== null && connection.run(keep.sql, keep.order(values)) > 0;
      if (!isKept) connection.run(put, values);
    },
    remove: (...values) => connection.run(remove, values) > 0,
  };
}

function upsert(key: readonly string[], columns: readonly string[]): string {
  const rest = columns.filter((column) => !key.includes(column));
  const sets = rest.map((column) => `${column} = excluded.${column}`).join(', ');
  return ` ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${sets}`;
}

/** The update of a row that keeps its steady columns; null for a table without any. */
function steadyUpdate<T>(
  { name, key, steady = [] }: TableShape<T>,
  written: readonly string[],
): { readonly sql: string; order(values: readonly SQLInputValue[]): SQLInputValue[] } | null {
  if (steady.length === 0) return null;
  const fixed = [...key, ...steady];
  const changed = written.filter((column) => !fixed.includes(column));
  const places = [...changed, ...fixed].map((column) => written.indexOf(column));
  const sets = changed.map((column) => `${column} = ?`).join(', ');
  const where = [...key.map((column) => `${column} = ?`), ...steady.map((at) => `${at} IS ?`)];
  return {
    sql: `UPDATE ${name} SET ${sets} WHERE ${where.join(' AND ')}`,
    order: (values) => places.map((place) => values[place] ?? null),
  };
}

/** Values in the order of the columns, the derived ones, and the rest as JSON. */
function rowEncoder<T extends object>(shape: TableShape<T>): (record: T) => SQLInputValue[] {
  const fields = Object.values(shape.columns);
  const isColumn: ReadonlySet<string> = new Set(fields);
  const derived = Object.values(shape.derived ?? {});
  return (record) => {
    const rest: Record<string, unknown> = {};
    const whole = record as Readonly<Record<string, unknown>>;
    for (const field of Object.keys(whole)) {
      if (!isColumn.has(field)) rest[field] = whole[field];
    }
    // The shape names only fields that hold a text, a number or null.
    const values = fields.map((field) => record[field] as SQLInputValue);
    for (const compute of derived) values.push(compute(record));
    values.push(JSON.stringify(rest));
    return values;
  };
}

/** Records were parsed before they were written; only damage can make one unreadable. */
function decodeRow<T extends object>(shape: TableShape<T>, row: Row): T {
  const record: Record<string, unknown> = {
    ...shape.absent,
    ...parseJson(shape.name, row['record']),
  };
  for (const [column, field] of Object.entries(shape.columns)) record[field] = row[column] ?? null;
  return record as T;
}

function parseJson(table: string, text: unknown): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(String(text));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch (cause) {
    throw unreadable(table, cause);
  }
  throw unreadable(table, undefined);
}
