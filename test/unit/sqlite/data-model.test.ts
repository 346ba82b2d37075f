/** The SQLite tables for the store's kinds of records. */
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';

import { MEMORY_SIDE_KINDS } from '#providers/sqlite/memory-rows.ts';
import { createStatements, snakeCase } from '#providers/sqlite/record-tables.ts';
import { MIGRATIONS } from '#providers/sqlite/migrate.ts';
import { KINDS } from '#store/record-kinds-and-indexes.ts';
import { hasTenant, type AnyKind } from '#store/storage-driver.ts';

const ALL: readonly AnyKind[] = [...KINDS, ...MEMORY_SIDE_KINDS];
/** Of clusters, of the installation, and of models. */
const WITHOUT_TENANT = ['policyFences', 'erasureHeads', 'modelProviders', 'calibrations'];

function openTables(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  for (const sql of [
    ...MIGRATIONS,
    ...KINDS.flatMap((kind) => createStatements<never>(kind as AnyKind)),
  ]) {
    database.exec(sql);
  }
  return database;
}

function primaryKey(database: DatabaseSync, table: string): string[] {
  return database
    .prepare('SELECT name, pk FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk')
    .all(table)
    .map((row) => String(row['name']));
}

describe('DATA-1: SQLite keeps every kind of record under its key', () => {
  using database = openTables();
  const keys = new Map(ALL.map(({ name }) => [name, primaryKey(database, snakeCase(name))]));

  test.for(ALL)('DATA-1: $name', ({ name, key }) => {
    expect(keys.get(name)).toEqual(key.map(snakeCase));
    expect(key[0] === 'tenant').toBe(!WITHOUT_TENANT.includes(name));
  });
});

test('an erasure covers every table that has a tenant', () => {
  using database = openTables();
  const tables = database
    .prepare(
      `SELECT t.name AS name FROM sqlite_schema t, pragma_table_info(t.name) c
       WHERE t.type = 'table' AND c.name = 'tenant'`,
    )
    .all()
    .map((row) => String(row['name']));
  const erased = ALL.filter((kind) => hasTenant(kind)).map(({ name }) => snakeCase(name));
  expect(erased.toSorted()).toEqual(tables.toSorted());
});
