import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';

import { IN_MEMORY, openSqliteStore } from '#providers/sqlite/store.ts';
import { memoryOf, NOW, rulesAt } from '#test/conformance/samples.ts';
import { OPENING, temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

const DONE = { engine: 'sqlite', rewritten: true, remains: [] };

test('a rewrite of a file that another process writes to is TIMEOUT, and works later', async () => {
  await using temporary = await temporaryFolder();
  const file = path.join(temporary.folder, 'varve.db');
  await using store = await openSqliteStore({ file, ...OPENING, busyTimeoutMs: 50 });
  await store.memories.add(memoryOf('acme', 1), rulesAt(NOW));
  using other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  await expect(store.rewriteFiles()).rejects.toMatchObject({ code: 'TIMEOUT' });
  other.exec('ROLLBACK');
  expect(await store.rewriteFiles()).toEqual(DONE);
  expect(await store.memories.get('acme', memoryOf('acme', 1).id)).toMatchObject({ version: 1 });
});

test('a database in memory is rewritten in place', async () => {
  await using store = await openSqliteStore({ file: IN_MEMORY, ...OPENING });
  await store.memories.add(memoryOf('acme', 1), rulesAt(NOW));
  expect(await store.rewriteFiles()).toEqual(DONE);
  expect(await store.memories.get('acme', memoryOf('acme', 1).id)).not.toBeNull();
});
