/** A database file of zero bytes: a new store, or a store that lost its data. */
import { cp, mkdir, readdir, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { STORE_FILE } from '#cli/choose-store.ts';
import { openVarve } from '#cli/open-varve.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

const LOG = `${STORE_FILE}-wal`;
const DANA = { tenant: 'acme', identifiers: { userId: 'dana' } };
const TEA = { ...DANA, layer: 'user', content: 'Dana likes tea.' } as const;

/** Makes a store, and a copy of its files as they were while it was open. */
async function usedStore(folder: string): Promise<string> {
  const [used, copy] = ['used', 'copy'].map((name) => path.join(folder, name)) as [string, string];
  await using varve = await openVarve({ dataDir: used });
  await varve.memory.add(TEA);
  await cp(used, copy, { recursive: true });
  return copy;
}

test('an empty file in a folder without traces of data is a new store', async () => {
  await using temporary = await temporaryFolder();
  const { folder: dataDir } = temporary;
  await writeFile(path.join(dataDir, STORE_FILE), '');
  await writeFile(path.join(dataDir, LOG), '');
  await mkdir(path.join(dataDir, 'erasures'));
  await using varve = await openVarve({ dataDir });
  expect(await varve.memory.list(DANA)).toMatchObject({ totalCount: 0 });
  await varve.memory.add(TEA);
  expect(await varve.memory.list(DANA)).toMatchObject({ totalCount: 1 });
});

test('an emptied file whose log has writes is refused, and the log keeps them', async () => {
  await using temporary = await temporaryFolder();
  const dataDir = await usedStore(temporary.folder);
  const { size } = await stat(path.join(dataDir, LOG));
  await truncate(path.join(dataDir, STORE_FILE));
  await expect(openVarve({ dataDir })).rejects.toMatchObject({
    code: 'CORRUPT',
    message: expect.stringMatching(
      /varve\.db is empty.*it has varve\.db-wal\. Restore a backup.*or delete/u,
    ) as string,
    details: { traces: [LOG] },
  });
  expect((await stat(path.join(dataDir, LOG))).size).toBe(size);
});

test.each([
  ['the token of the installation', 'api-token'],
  ['an erasure in the ledger', path.join('erasures', '000000000001-a.json')],
])('an empty file beside %s is refused and stays empty', async (_, trace) => {
  await using temporary = await temporaryFolder();
  const { folder: dataDir } = temporary;
  await writeFile(path.join(dataDir, STORE_FILE), '');
  await mkdir(path.dirname(path.join(dataDir, trace)), { recursive: true });
  await writeFile(path.join(dataDir, trace), 'x');
  const before = await readdir(dataDir, { recursive: true });
  await expect(openVarve({ dataDir })).rejects.toMatchObject({ code: 'CORRUPT' });
  expect(await readdir(dataDir, { recursive: true })).toEqual(before);
  expect((await stat(path.join(dataDir, STORE_FILE))).size).toBe(0);
});
