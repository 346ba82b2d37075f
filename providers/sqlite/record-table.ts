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
  /** Columns computed from the record, for conditions; they are written and never read back. */
  readonly derived?: (record: T) => Readonly<Record<string, SQLInputValue>>;
}

export interface RecordTable<T> {
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
  const select = `SELECT ${[...Object.keys(shape.columns), 'record'].join(', ')} FROM ${name}`;
  const decode = (row: Row) => decodeRow(shape, row);
  const write = (record: T, suffix: (columns: readonly string[]) => string) => {
    const row = encodeRecord(shape, record);
    const columns = Object.keys(row);
    const places = columns.map(() => '?').join(', ');
    const sql = `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${places})${suffix(columns)}`;
    return connection.run(sql, Object.values(row));
  };
  return {
    decode,
    find(...values) {
      const row = connection.first(`${select} WHERE ${ofKey}`, values);
      return row === null ? null : decode(row);
    },
    select: (condition, parameters) =>
      connection.all(`${select} WHERE ${condition}`, parameters).map(decode),
    insert: (record) => void write(record, () => ''),
    insertNew: (record) => write(record, () => ' ON CONFLICT DO NOTHING') > 0,
    put: (record) => void write(record, (columns) => upsert(key, columns)),
    remove: (...values) => connection.run(`DELETE FROM ${name} WHERE ${ofKey}`, values) > 0,
  };
}

function upsert(key: readonly string[], columns: readonly string[]): string {
  const rest = columns.filter((column) => !key.includes(column));
  const sets = rest.map((column) => `${column} = excluded.${column}`).join(', ');
  return ` ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${sets}`;
}

function encodeRecord<T extends object>(
  shape: TableShape<T>,
  record: T,
): Record<string, SQLInputValue> {
  const rest: Record<string, unknown> = Object.fromEntries(Object.entries(record));
  const row: Record<string, SQLInputValue> = {};
  for (const [column, field] of Object.entries(shape.columns)) {
    // The shape names only fields that hold a text, a number or null.
    row[column] = record[field] as SQLInputValue;
    delete rest[field];
  }
  return { ...row, ...shape.derived?.(record), record: JSON.stringify(rest) };
}

/** Records were parsed before they were written; only damage can make one unreadable. */
function decodeRow<T extends object>(shape: TableShape<T>, row: Row): T {
  const record = parseJson(shape.name, row['record']);
  for (const [column, field] of Object.entries(shape.columns)) record[field] = row[column] ?? null;
  return record as T;
}

function parseJson(table: string, text: unknown): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(String(text));
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch (cause) {
    throw unreadable(table, cause);
  }
  throw unreadable(table, undefined);
}
