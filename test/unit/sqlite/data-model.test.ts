import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { DATA_MODEL } from '#core/records/data-model.ts';
import { ERASED_TABLES } from '#providers/sqlite/erasure.ts';
import { MIGRATIONS } from '#providers/sqlite/schema.ts';

const snake = (name: string): string => name.replaceAll(/[A-Z]/gu, (it) => `_${it.toLowerCase()}`);

function primaryKey(database: DatabaseSync, table: string): string[] {
  return database
    .prepare('SELECT name, pk FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk')
    .all(table)
    .map((row) => String(row['name']));
}

describe('DATA-1: SQLite keeps every record of the data model under its key', () => {
  using database = new DatabaseSync(':memory:');
  for (const sql of MIGRATIONS) database.exec(sql);
  const keys = new Map(
    Object.keys(DATA_MODEL).map((table) => [table, primaryKey(database, snake(table))]),
  );

  test.for(Object.entries(DATA_MODEL))('DATA-1: %s', ([table, { schema, key }]) => {
    expect(keys.get(table)).toEqual(key.map(snake));
    expect(key[0]).toBe('tenant');
    expect(Object.keys(schema.shape)).toEqual(expect.arrayContaining([...key]));
  });
});

test('K8S-04: an erasure goes through every table that has a tenant, by its whole key', () => {
  using database = new DatabaseSync(':memory:');
  for (const sql of MIGRATIONS) database.exec(sql);
  const tables = database
    .prepare(
      `SELECT t.name AS name FROM sqlite_schema t, pragma_table_info(t.name) c
       WHERE t.type = 'table' AND c.name = 'tenant'`,
    )
    .all()
    .map((row) => String(row['name']));
  const erased = ERASED_TABLES.map(({ name }) => name);
  expect([...erased, 'policies'].toSorted()).toEqual(tables.toSorted());
  for (const { name, key } of ERASED_TABLES) expect(key).toEqual(primaryKey(database, name));
});
