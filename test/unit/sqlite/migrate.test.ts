import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';

import { Connection, requireSafeSqlite } from '#providers/sqlite/connection.ts';
import { INITIAL } from '#providers/sqlite/migrations/0001-vectors-terms-and-touches.ts';
import { MEMORY_SIDE_KINDS } from '#providers/sqlite/memory-rows.ts';
import { snakeCase } from '#providers/sqlite/record-tables.ts';
import { migrate, MIGRATIONS, SCHEMA_VERSION } from '#providers/sqlite/migrate.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';
import { KINDS } from '#store/record-kinds-and-indexes.ts';
import { idOf, memoryOf, NOW, rulesAt } from '#test/conformance/samples.ts';
import { OPENING, temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

/** "VARV" */
const APPLICATION_ID = 0x56_41_52_56;
/** Those of the kinds, and what the driver keeps beside them. */
const TABLES = new Set([
  ...KINDS.map(({ name }) => snakeCase(name)),
  ...MEMORY_SIDE_KINDS.map(({ name }) => snakeCase(name)),
  'schema_version',
  'terms_complete',
  'touches_erased',
  'indexes_erased',
]);

/** Whose turn is it, of clusters, of the installation, and of models. */
const OF_ALL_TENANTS = [
  'dream_schedules_by_due',
  'erasures_by_open',
  'ledger_by_open',
  'model_providers_by_cluster',
  'policies_by_cluster',
  'policies_by_release',
  'proposals_by_pending',
  'refresh_requests_by_open',
  'scopes_by_due_of_all',
  'scopes_by_lease',
  'sessions_by_flush_due',
  'sqlite_autoindex_calibrations_1',
  'sqlite_autoindex_erasure_heads_1',
  'sqlite_autoindex_model_providers_1',
  'sqlite_autoindex_policy_fences_1',
  'variants_by_due_of_all',
  'variants_by_lease',
];

/** Opens a new file, lets a test look at it or change it, and closes both. */
async function withFile(use: (file: string) => Promise<void> | void): Promise<void> {
  await using temporary = await temporaryFolder();
  const file = path.join(temporary.folder, 'varve.db');
  await use(file);
}

async function makeStore(file: string): Promise<void> {
  await using store = await openSqliteStore({ file, ...OPENING });
  expect((await store.health()).schemaVersion).toBe(SCHEMA_VERSION);
}

function change(file: string, sql: string): void {
  using database = new DatabaseSync(file);
  database.exec(sql);
}

describe('schema', () => {
  it('SCHEMA-1: a new file gets every table, and opening it again changes nothing', () =>
    withFile(async (file) => {
      await makeStore(file);
      using database = new DatabaseSync(file, { readOnly: true });
      const names = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
      expect(new Set(names.map((row) => row['name']))).toEqual(TABLES);
      expect(database.prepare('PRAGMA page_size').get()).toEqual({ page_size: 4_096 });
      expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
      await makeStore(file);
      const versions = database.prepare('SELECT version FROM schema_version').all();
      const expected = Array.from({ length: SCHEMA_VERSION }, (_, at) => ({ version: at + 1 }));
      expect(versions).toEqual(expected);
    }));

  it('every key and index begins with the tenant, except those across tenants', () =>
    withFile(async (file) => {
      await makeStore(file);
      using database = new DatabaseSync(file, { readOnly: true });
      const leading = database
        .prepare(
          `SELECT l.name AS name, i.name AS first
           FROM sqlite_schema t, pragma_index_list(t.name) l, pragma_index_info(l.name) i
           WHERE t.type = 'table' AND i.seqno = 0`,
        )
        .all();
      expect(leading.length).toBeGreaterThan(25);
      const others = leading.filter((row) => row['first'] !== 'tenant');
      expect(others.map(({ name }) => String(name)).toSorted()).toEqual(OF_ALL_TENANTS);
    }));

  it('SCHEMA-2: a newer schema is refused, and the error says what to do', () =>
    withFile(async (file) => {
      await makeStore(file);
      change(file, `INSERT INTO schema_version VALUES (${SCHEMA_VERSION + 1}, 0)`);
      const open = openSqliteStore({ file, ...OPENING });
      await expect(open).rejects.toMatchObject({
        code: 'PROVIDER_REJECTED',
        message: expect.stringMatching(/varve\.db.*newer version of Varve.*Start that newer/),
        details: { found: SCHEMA_VERSION + 1, supported: SCHEMA_VERSION },
      });
    }));

  it('SCHEMA-3: the database of another program is refused and stays unchanged', () =>
    withFile(async (file) => {
      change(file, 'CREATE TABLE theirs (id)');
      const open = openSqliteStore({ file, ...OPENING });
      await expect(open).rejects.toMatchObject({
        code: 'PROVIDER_REJECTED',
        message: expect.stringContaining('another program'),
      });
      using database = new DatabaseSync(file, { readOnly: true });
      const tables = database.prepare('SELECT name FROM sqlite_schema').all();
      expect(tables).toEqual([{ name: 'theirs' }]);
    }));

  it('SCHEMA-4: tables that another process created at the last moment are not created again', () =>
    withFile(async (file) => {
      let isFirst = true;
      const faults = {
        afterCommit: () => undefined,
        beforeStatement(sql: string) {
          if (sql !== 'BEGIN EXCLUSIVE' || !isFirst) return;
          isFirst = false;
          const id = `PRAGMA application_id = ${APPLICATION_ID};`;
          change(file, `BEGIN; ${id} ${INITIAL} INSERT INTO schema_version VALUES (1, 0); COMMIT`);
        },
      };
      await using store = await openSqliteStore({ file, ...OPENING, faults });
      expect(isFirst).toBe(false);
      expect(await store.health()).toMatchObject({ ok: true, schemaVersion: SCHEMA_VERSION });
    }));

  it('SCHEMA-5: after an upgrade, the health of a running process says to restart', () =>
    withFile(async (file) => {
      await using store = await openSqliteStore({ file, ...OPENING });
      change(file, `INSERT INTO schema_version VALUES (${SCHEMA_VERSION + 1}, 0)`);
      const health = await store.health();
      expect(health).toMatchObject({ ok: false, schemaVersion: SCHEMA_VERSION + 1 });
      expect(health.findings).toEqual([expect.stringContaining('restart this one')]);
    }));
});

describe('a file of an earlier schema', () => {
  const TAGGED = 'ALTER TABLE memories ADD COLUMN tagged INTEGER NOT NULL DEFAULT 0;';
  const NEXT = [...MIGRATIONS, TAGGED];

  /** Upgrades a file to the given steps, as a newer version would. */
  async function upgrade(file: string, migrations: readonly string[]): Promise<void> {
    const database = new DatabaseSync(file);
    const connection = new Connection(database, { fileName: 'varve.db', busyTimeoutMs: 1_000 });
    try {
      await migrate(connection, () => NOW, migrations);
    } finally {
      connection.close();
    }
  }

  function rows(file: string, sql: string): readonly unknown[] {
    using database = new DatabaseSync(file, { readOnly: true });
    return database.prepare(sql).all();
  }

  async function fill(file: string): Promise<void> {
    await using store = await openSqliteStore({ file, ...OPENING });
    await store.memories.add(memoryOf('acme', 1), rulesAt(NOW));
  }

  it('SCHEMA-7: gets each missing step once and keeps its records', () =>
    withFile(async (file) => {
      await fill(file);
      await upgrade(file, NEXT);
      await upgrade(file, NEXT);
      expect(rows(file, 'SELECT version FROM schema_version')).toEqual(
        NEXT.map((_, at) => ({ version: at + 1 })),
      );
      expect(rows(file, 'SELECT id, tagged FROM memories')).toEqual([{ id: idOf(1), tagged: 0 }]);
    }));

  it('SCHEMA-7: stays unchanged if a step fails', () =>
    withFile(async (file) => {
      await fill(file);
      const broken = upgrade(file, [...NEXT, 'INSERT INTO nowhere VALUES (1)']);
      await expect(broken).rejects.toMatchObject({ name: 'VarveError' });
      await using store = await openSqliteStore({ file, ...OPENING });
      expect(await store.health()).toMatchObject({ ok: true, schemaVersion: SCHEMA_VERSION });
      expect(await store.memories.get('acme', idOf(1))).not.toBeNull();
    }));

  it('SCHEMA-2: is refused by the earlier version once upgraded', () =>
    withFile(async (file) => {
      await fill(file);
      await upgrade(file, NEXT);
      const open = openSqliteStore({ file, ...OPENING });
      await expect(open).rejects.toMatchObject({ code: 'PROVIDER_REJECTED' });
    }));
});

describe('the version of SQLite', () => {
  it.each(['3.51.2', '3.50.9', '3.7.0', '2.99.99'])('SCHEMA-6: refuses %s', (version) => {
    expect(() => requireSafeSqlite(version)).toThrow(
      expect.objectContaining({
        code: 'PROVIDER_REJECTED',
        message: expect.stringMatching(/can corrupt.*Use Node 24\.21 or newer/),
        details: { found: version, required: '3.51.3', node: '24.21' },
      }),
    );
  });

  it.each(['3.51.3', '3.53.4', '4.0.0'])('SCHEMA-6: accepts %s', (version) => {
    expect(() => requireSafeSqlite(version)).not.toThrow();
  });
});
