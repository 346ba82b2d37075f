/** A command calls an operation of the library, which is open for this call alone. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { OPERATIONS } from '#api/operations/table.ts';
import { readConfig } from '#cli/config.ts';
import { answerTo, inputFromOptions } from '#cli/operation-input.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

test('CLI-3: a command gets the answer of its operation, also if it is the first one', async () => {
  await using held = await temporaryFolder();
  const config = readConfig({}, { dataDir: path.join(held.folder, 'data') });
  const { add, list } = OPERATIONS.memory;
  const options = { tenant: 'acme', user: 'ann', layer: 'user', dataDir: config.dataDir };
  const asked = inputFromOptions(add, options, { content: 'Ann likes tea.' });
  await expect(answerTo(config, add, asked)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const { memory } = await answerTo(config, add, asked, { begins: true });
  const { memories } = await answerTo(config, list, inputFromOptions(list, options));
  expect(memories.map(({ id, content }) => ({ id, content }))).toEqual([
    { id: memory.id, content: 'Ann likes tea.' },
  ]);
});
