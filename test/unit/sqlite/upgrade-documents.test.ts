import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';

import { MIGRATIONS, SCHEMA_VERSION } from '#providers/sqlite/schema.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';
import { changeDocuments, documentsOf, fillDocuments } from '#test/conformance/document-world.ts';
import { memoryOf, NOW, rulesAt } from '#test/conformance/samples.ts';
import { OPENING, temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

/** "VARV" */
const APPLICATION_ID = 0x56_41_52_56;
const TENANT = 'acme';
/** The schema before documents were kept, and the first of all. */
const OLDER = [5, 1];

/** What is read of a Markdown memory in a new file, filled and then changed. */
async function expected(): Promise<readonly unknown[]> {
  await using temporary = await temporaryFolder();
  const file = path.join(temporary.folder, 'new.db');
  return filledAndChanged(file);
}

async function filledAndChanged(file: string): Promise<readonly unknown[]> {
  await using store = await openSqliteStore({ file, ...OPENING });
  expect(await store.health()).toMatchObject({ ok: true, schemaVersion: SCHEMA_VERSION });
  await fillDocuments(store, TENANT);
  const filled = await documentsOf(store, TENANT);
  await changeDocuments(store, TENANT);
  return [filled, await documentsOf(store, TENANT)];
}

function makeOlder(file: string, version: number): void {
  using database = new DatabaseSync(file);
  const steps = MIGRATIONS.slice(0, version).join('\n');
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}; BEGIN; ${steps}`);
  for (let step = 1; step <= version; step += 1) {
    database.prepare('INSERT INTO schema_version VALUES (?, 0)').run(step);
  }
  database.exec('COMMIT');
}

describe('a file of an earlier schema', () => {
  it.each(OLDER)('SCHEMA-7: of schema %i keeps a Markdown memory like a new one', async (older) => {
    await using temporary = await temporaryFolder();
    const file = path.join(temporary.folder, 'older.db');
    makeOlder(file, older);
    expect(await filledAndChanged(file)).toEqual(await expected());
  });

  it('SCHEMA-7: a subject that has memories already has no Markdown memory yet', async () => {
    await using temporary = await temporaryFolder();
    const file = path.join(temporary.folder, 'older.db');
    makeOlder(file, SCHEMA_VERSION - 1);
    await using store = await openSqliteStore({ file, ...OPENING });
    await store.memories.add(memoryOf(TENANT, 1), rulesAt(NOW));
    expect(await store.subjects.list(TENANT, { after: '', limit: 9 })).toEqual([]);
    expect(await store.dreamSchedules.due({ now: NOW, limit: 9 })).toEqual([]);
  });
});
