import { open as openFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';

import { VarveError } from '#core/errors.ts';
import { sourceHashOf } from '#core/hash.ts';
import { storeFailure } from '#providers/sqlite/failure.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';
import { allSources } from '#test/conformance/refresh.ts';
import { digest, memoryOf, NOW, rulesAt, userScope } from '#test/conformance/samples.ts';
import { dumpOf, OPENING, temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { failureOf } from '#test/unit/failures.ts';

const PAGE_BYTES = 4_096;
const SCOPE = userScope('acme');

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  await using temporary = await temporaryFolder();
  await use(temporary.folder);
}

/** A failure names the file so that a person knows it, and gives no path away. */
function expectClear(error: VarveError, folder: string): void {
  expect(error.message).toContain('varve.db');
  expect(error.message + JSON.stringify(error.details)).not.toContain(folder);
  expect(error.cause).toBeInstanceOf(Error);
}

/** A closed store with some memories in it. */
async function filled(file: string): Promise<void> {
  await using store = await openSqliteStore({ file, ...OPENING });
  for (let n = 0; n < 20; n += 1) {
    const content = `${n} ${'words '.repeat(500)}`;
    await store.memories.add(memoryOf('acme', n, { content }), rulesAt(NOW));
  }
}

async function overwrite(file: string, at: number, bytes: number): Promise<void> {
  await using handle = await openFile(file, 'r+');
  await handle.write(new Uint8Array(bytes).fill(0x5a), 0, bytes, at);
}

describe('files that cannot be used', () => {
  it('SQLITE-1: a file that is not a database is CORRUPT and stays unchanged', () =>
    withFolder(async (folder) => {
      const file = path.join(folder, 'varve.db');
      await writeFile(file, 'Dear diary, '.repeat(5_000));
      const error = await failureOf(openSqliteStore({ file, ...OPENING }));
      expect(error).toMatchObject({ code: 'CORRUPT', details: { sqlite: 'SQLITE_NOTADB' } });
      expectClear(error, folder);
    }));

  it('SQLITE-2: a damaged file is CORRUPT on reading, and health reports it', () =>
    withFolder(async (folder) => {
      const file = path.join(folder, 'varve.db');
      await filled(file);
      using database = new DatabaseSync(file, { readOnly: true });
      const sql = `SELECT rootpage AS n FROM sqlite_schema WHERE name = 'memories'`;
      const root = Number(database.prepare(sql).get()?.['n']);
      database.close();
      await overwrite(file, (root - 1) * PAGE_BYTES, PAGE_BYTES);
      await using store = await openSqliteStore({ file, ...OPENING });
      const page = { after: null, limit: 100, now: NOW };
      const error = await failureOf(store.scopes.sources(SCOPE, page));
      expect(error.code).toBe('CORRUPT');
      expectClear(error, folder);
      const health = await store.health();
      expect(health.ok).toBe(false);
      expect(health.findings[0]).toContain('restore a backup');
    }));

  it('SQLITE-3: a record that is not JSON is CORRUPT, and the error names its table', () =>
    withFolder(async (folder) => {
      const file = path.join(folder, 'varve.db');
      await filled(file);
      using database = new DatabaseSync(file);
      database.exec(`UPDATE memories SET record = substr(record, 1, 20)`);
      await using store = await openSqliteStore({ file, ...OPENING });
      const { id } = memoryOf('acme', 1);
      const error = await failureOf(store.memories.get('acme', id));
      expect(error).toMatchObject({ code: 'CORRUPT', details: { table: 'memories' } });
    }));

  it('SQLITE-4: a folder that cannot be created or written is PROVIDER_REJECTED', () =>
    withFolder(async (folder) => {
      await writeFile(path.join(folder, 'file'), '');
      // A path through a file: permissions would not stop the super-user that tests may run as.
      const through = path.join(folder, 'file', 'deeper', 'varve.db');
      const error = await failureOf(openSqliteStore({ file: through, ...OPENING }));
      expect(error.code).toBe('PROVIDER_REJECTED');
      expectClear(error, folder);
      const taken = path.join(folder, 'varve.db', 'varve.db');
      await filled(taken);
      const isFolder = await failureOf(openSqliteStore({ file: path.dirname(taken), ...OPENING }));
      expect(isFolder).toMatchObject({ code: 'PROVIDER_REJECTED' });
      expectClear(isFolder, folder);
    }));

  it('SQLITE-5: a file locked beyond the time limit is TIMEOUT, and works once it is free', () =>
    withFolder(async (folder) => {
      const file = path.join(folder, 'varve.db');
      await filled(file);
      await using store = await openSqliteStore({ file, ...OPENING, busyTimeoutMs: 60 });
      using other = new DatabaseSync(file);
      other.exec('BEGIN IMMEDIATE');
      const error = await failureOf(store.refreshRequests.want('acme'));
      expect(error).toMatchObject({ code: 'TIMEOUT', retryable: true });
      expectClear(error, folder);
      // Readers see the earlier state and do not wait.
      expect(await store.scopes.get(SCOPE)).toMatchObject({ sourceCount: 20 });
      other.exec('ROLLBACK');
      expect(await store.refreshRequests.want('acme')).toMatchObject({ wanted: 1 });
    }));
});

describe('a full disk', () => {
  it('SQLITE-6: is PROVIDER_ERROR, loses nothing, and writes work again when there is room', () =>
    withFolder(async (folder) => {
      const file = path.join(folder, 'varve.db');
      const fileBytesMax = 480 * PAGE_BYTES;
      let added = 0;
      {
        await using store = await openSqliteStore({ file, ...OPENING, fileBytesMax });
        const fill = async () => {
          for (; added < 1_000; added += 1) {
            const content = `${added} ${'words '.repeat(2_000)}`;
            await store.memories.add(memoryOf('acme', added, { content }), rulesAt(NOW));
          }
        };
        const error = await failureOf(fill());
        expect(error).toMatchObject({
          code: 'PROVIDER_ERROR',
          retryable: true,
          details: { sqlite: 'SQLITE_FULL' },
          message: expect.stringContaining('free some space'),
        });
        expectClear(error, folder);
        expect(await store.scopes.get(SCOPE)).toMatchObject({ sourceCount: added, changes: added });
      }
      expect(dumpOf(file)['memories']).toHaveLength(added);
      await using store = await openSqliteStore({ file, ...OPENING });
      await store.memories.add(memoryOf('acme', 5_000), rulesAt(NOW));
      const record = await store.scopes.get(SCOPE);
      const sources = await allSources(store, SCOPE, NOW);
      expect(record).toMatchObject({ sourceCount: added + 1 });
      expect(record.sourceHash).toBe(sourceHashOf(digest, sources));
    }));
});

describe('the error mapping', () => {
  it('SQLITE-7: every code becomes a VarveError, even one that is not in the table', () => {
    for (const errcode of [1, 3, 5, 6, 7, 8, 10, 11, 13, 14, 15, 17, 18, 19, 23, 26, 99, 2_067]) {
      const failure = storeFailure(Object.assign(new Error('raw'), { errcode }), 'varve.db');
      expect(failure).toBeInstanceOf(VarveError);
      expect(failure).toMatchObject({ message: expect.not.stringContaining('raw') });
    }
  });

  it('SQLITE-8: leaves a VarveError and a programming mistake unchanged', () => {
    const ours = new VarveError('CONFLICT', 'Taken.');
    expect(storeFailure(ours, 'varve.db')).toBe(ours);
    const mistake = new TypeError('x is not a function');
    expect(storeFailure(mistake, 'varve.db')).toBe(mistake);
  });
});
