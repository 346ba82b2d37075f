/** A database file that is deleted or replaced while a store has it open. */
import { copyFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { STORE_FILE } from '#cli/choose-store.ts';
import { openVarve } from '#cli/open-varve.ts';
import { FILE_CHECK_MS } from '#providers/sqlite/connection.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { failureOf } from '#test/unit/library/open-library.ts';

const ANN = { tenant: 'acme', layer: 'user', identifiers: { userId: 'ann' } } as const;

const WAYS: readonly (readonly [string, (file: string) => Promise<void>])[] = [
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
];

test.each(WAYS)('%s: each further write fails and says what to do', async (_what, change) => {
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
        /varve\.db was deleted or replaced.*what was written since is lost/u,
      ) as string,
    });
  }
});

// Together, since each waits for a second.
test.concurrent.each(WAYS)(
  '%s: within a second, each read fails and says so',
  async (_what, change) => {
    await using temporary = await temporaryFolder();
    const dataDir = path.join(temporary.folder, 'data');
    await using varve = await openVarve({ dataDir });
    const { memory } = await varve.memory.add({ ...ANN, content: 'Ann likes tea.' });
    await change(path.join(dataDir, STORE_FILE));
    await sleep(FILE_CHECK_MS);
    const { tenant, identifiers } = ANN;
    const query = 'What does Ann like?';
    for (const read of [
      () => varve.memory.get({ tenant, id: memory.id }),
      () => varve.memory.list({ tenant, identifiers }),
      () => varve.memory.search({ tenant, identifiers, query }),
      () => varve.context.assemble({ tenant, identifiers, query }),
      () => varve.memory.get({ tenant, id: memory.id }),
    ]) {
      expect(await failureOf(read())).toMatchObject({
        code: 'PROVIDER_REJECTED',
        message: expect.stringMatching(/varve\.db was deleted or replaced/u) as string,
      });
    }
  },
);

test('the folder is gone before the first write: that write fails', async () => {
  await using temporary = await temporaryFolder();
  const dataDir = path.join(temporary.folder, 'data');
  await using varve = await openVarve({ dataDir });
  await rm(dataDir, { recursive: true });
  const write = varve.memory.add({ ...ANN, content: 'Ann likes tea.' });
  expect(await failureOf(write)).toMatchObject({ code: 'PROVIDER_REJECTED' });
});
