/** A database file that is deleted or replaced while a store has it open. */
import { copyFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { STORE_FILE } from '#cli/choose-store.ts';
import { openVarve } from '#cli/open-varve.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { failureOf } from '#test/unit/library/open-library.ts';

const ANN = { tenant: 'acme', layer: 'user', identifiers: { userId: 'ann' } } as const;

test.each<[string, (file: string) => Promise<void>]>([
  ['the file is deleted', (file) => rm(file)],
  ['the folder is deleted', (file) => rm(path.dirname(file), { recursive: true })],
  ['the folder is moved', (file) => rename(path.dirname(file), `${path.dirname(file)}-moved`)],
  [
    'a copy takes its place',
    async (file) => {
      await copyFile(file, `${file}.copy`);
      await rename(`${file}.copy`, file);
    },
  ],
])('%s: each further write fails and says what to do', async (_what, change) => {
  await using temporary = await temporaryFolder();
  const dataDir = path.join(temporary.folder, 'data');
  await using varve = await openVarve({ dataDir });
  await varve.memory.add({ ...ANN, content: 'Ann likes tea.' });
  await change(path.join(dataDir, STORE_FILE));
  for (const content of ['Ann likes figs.', 'Ann likes dates.']) {
    expect(await failureOf(varve.memory.add({ ...ANN, content }))).toMatchObject({
      code: 'PROVIDER_REJECTED',
      retryable: false,
      message: expect.stringMatching(
        /varve\.db was deleted or replaced.*this write is lost/u,
      ) as string,
    });
  }
});

test('the folder is gone before the first write: that write fails', async () => {
  await using temporary = await temporaryFolder();
  const dataDir = path.join(temporary.folder, 'data');
  await using varve = await openVarve({ dataDir });
  await rm(dataDir, { recursive: true });
  const write = varve.memory.add({ ...ANN, content: 'Ann likes tea.' });
  expect(await failureOf(write)).toMatchObject({ code: 'PROVIDER_REJECTED' });
});
