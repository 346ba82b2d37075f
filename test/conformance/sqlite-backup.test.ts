/** Backups of the store's file, and their restore. */
import {
  chmod,
  copyFile,
  open,
  readdir,
  readFile,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { STORE_FILE } from '#cli/choose-store.ts';
import { openVarve, type Varve } from '#cli/open-varve.ts';
import { backUpFile, restoreFile } from '#providers/sqlite/backup-file.ts';
import { SCHEMA_VERSION } from '#providers/sqlite/migrate.ts';
import { temporaryFolder } from './sqlite-adapter.ts';

const ANN = { tenant: 'acme', identifiers: { userId: 'ann' } };
const OTHERS = 0o077;

function add(varve: Varve, content: string) {
  return varve.memory.add({ ...ANN, layer: 'user', content });
}

/** Returns what the store of a folder holds, sorted. */
async function heldIn(dataDir: string): Promise<readonly string[]> {
  await using varve = await openVarve({ dataDir });
  const { memories } = await varve.memory.list({ ...ANN, limit: 100 });
  return memories.map(({ content }) => content).toSorted();
}

/** A folder with a store that says `tea`, and a backup of it. */
async function backedUp() {
  const temporary = await temporaryFolder();
  const dataDir = path.join(temporary.folder, 'data');
  const store = path.join(dataDir, STORE_FILE);
  const backup = path.join(temporary.folder, 'backup.db');
  {
    await using varve = await openVarve({ dataDir });
    await add(varve, 'Ann likes tea.');
  }
  await backUpFile({ from: store, to: backup });
  return { ...temporary, dataDir, store, backup };
}

test('a backup has all that was acknowledged before it began, though writers go on', async () => {
  await using temporary = await temporaryFolder();
  const from = path.join(temporary.folder, STORE_FILE);
  const to = path.join(temporary.folder, 'backup.db');
  const restored = path.join(temporary.folder, 'restored');
  const before = Array.from({ length: 20 }, (_, at) => `Ann met person ${String(at)}.`);
  await using varve = await openVarve({ dataDir: temporary.folder });
  for (const content of before) await add(varve, content);
  const copied = new AbortController();
  const writing = (async () => {
    for (let at = 0; !copied.signal.aborted; at += 1) {
      await add(varve, `Later, she met person ${String(at)}.`);
    }
  })();
  const seen: number[] = [];
  const bytes = await backUpFile({ from, to, onProgress: (done) => seen.push(done) });
  copied.abort();
  await writing;
  expect(bytes).toBe((await stat(to)).size);
  expect((await stat(to)).mode & OTHERS).toBe(0);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect((await readdir(temporary.folder)).filter((name) => name.startsWith('backup'))).toEqual([
    'backup.db',
  ]);
  await using other = await openVarve({ dataDir: restored });
  await other[Symbol.asyncDispose]();
  await restoreFile({ from: to, to: path.join(restored, STORE_FILE) });
  expect(await heldIn(restored)).toEqual(expect.arrayContaining(before));
});

test.each([
  ['a file of that name', 'backup.db', /backup\.db exists\. Name a new file/u],
  ['a backup that was killed', 'backup.db.partial', /another backup writes it, or one was killed/u],
])('a backup beside %s is refused, and the file stays as it is', async (_, name, message) => {
  await using temporary = await temporaryFolder();
  const { folder } = temporary;
  await (await openVarve({ dataDir: folder }))[Symbol.asyncDispose]();
  await writeFile(path.join(folder, name), 'mine');
  const before = await readdir(folder);
  const asked = { from: path.join(folder, STORE_FILE), to: path.join(folder, 'backup.db') };
  await expect(backUpFile(asked)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringMatching(message) as string,
  });
  expect(await readFile(path.join(folder, name), 'utf8')).toBe('mine');
  expect(await readdir(folder)).toEqual(before);
});

test('a backup into a missing folder is refused', async () => {
  await using held = await backedUp();
  const to = path.join(held.folder, 'none', 'backup.db');
  await expect(backUpFile({ from: held.store, to })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining('Name a folder that exists') as string,
  });
});

const PAGE_BYTES = 4_096;

/** Overwrites some pages in the middle of a file. */
async function damage(file: string): Promise<void> {
  const { size } = await stat(file);
  await using handle = await open(file, 'r+');
  const at = Math.floor(size / PAGE_BYTES / 2) * PAGE_BYTES;
  await handle.write(Buffer.alloc(8 * PAGE_BYTES, 0x5a), 0, 8 * PAGE_BYTES, at);
}

function run(file: string, sql: string): void {
  using database = new DatabaseSync(file);
  database.exec(sql);
}

const UNSOUND: readonly (readonly [string, string, (file: string) => unknown])[] = [
  ['text', 'CORRUPT', (file) => writeFile(file, 'no database')],
  ['a backup with damaged pages', 'CORRUPT', damage],
  ['the beginning of a backup', 'CORRUPT', (file) => truncate(file, 40 * PAGE_BYTES)],
  ['an empty file', 'PROVIDER_REJECTED', (file) => truncate(file)],
  [
    'a database of another program',
    'PROVIDER_REJECTED',
    (file) => {
      run(file, 'PRAGMA application_id = 7');
    },
  ],
  [
    'a backup of a newer version',
    'PROVIDER_REJECTED',
    (file) => {
      run(file, `INSERT INTO schema_version VALUES (${String(SCHEMA_VERSION + 1)}, 0)`);
    },
  ],
];

test.each(UNSOUND)('a restore of %s is refused, and the store stays', async (_, code, spoil) => {
  await using held = await backedUp();
  const { dataDir, store, backup } = held;
  await spoil(backup);
  await expect(restoreFile({ from: backup, to: store })).rejects.toMatchObject({ code });
  expect(await heldIn(dataDir)).toEqual(['Ann likes tea.']);
  expect((await readdir(dataDir)).filter((name) => name.includes('restoring'))).toEqual([]);
});

test('a restore of a missing file is refused, and the store stays', async () => {
  await using held = await backedUp();
  const from = path.join(held.folder, 'none.db');
  await expect(restoreFile({ from, to: held.store })).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining('The store is as it was') as string,
  });
  expect(await heldIn(held.dataDir)).toEqual(['Ann likes tea.']);
});

test('a restore of the store itself, or of a copy beside its log, is refused', async () => {
  await using held = await backedUp();
  const { dataDir, store, backup } = held;
  const refused = { code: 'INVALID_INPUT' };
  await expect(restoreFile({ from: store, to: store })).rejects.toMatchObject(refused);
  await writeFile(`${backup}-wal`, 'writes that the copy lacks');
  await expect(restoreFile({ from: backup, to: store })).rejects.toMatchObject(refused);
  expect(await heldIn(dataDir)).toEqual(['Ann likes tea.']);
});

test('a restored store can be written, whatever the mode of the backup', async () => {
  await using held = await backedUp();
  const { store, backup } = held;
  await chmod(backup, 0o444);
  await restoreFile({ from: backup, to: store });
  expect((await stat(store)).mode & 0o777).toBe(0o600);
});

test('a restore is refused while the store is open, and works once it is closed', async () => {
  await using held = await backedUp();
  const { dataDir, store, backup } = held;
  const restored = () => restoreFile({ from: backup, to: store });
  {
    await using varve = await openVarve({ dataDir });
    await add(varve, 'Ann likes coffee.');
    await expect(restored()).rejects.toMatchObject({
      code: 'TIMEOUT',
      message: expect.stringContaining('Stop Varve') as string,
    });
    await add(varve, 'Ann likes cocoa.');
  }
  expect(await heldIn(dataDir)).toHaveLength(3);
  await restored();
  expect(await heldIn(dataDir)).toEqual(['Ann likes tea.']);
});

test('a restore replaces a damaged store, and drops its log', async () => {
  await using held = await backedUp();
  const { dataDir, store, backup } = held;
  await damage(store);
  await truncate(store, 40 * PAGE_BYTES);
  await writeFile(`${store}-wal`, 'left by a killed process');
  // As a restore that was killed leaves it.
  await copyFile(backup, `${store}.restoring`);
  await restoreFile({ from: backup, to: store });
  expect(await heldIn(dataDir)).toEqual(['Ann likes tea.']);
});
