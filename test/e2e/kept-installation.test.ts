/** The installation that restarts, on which the proofs with kills rely. */
import { expect, test } from 'vitest';
import { keepInstallation } from '../fault-injection/kept-installation.ts';
import { until } from './until.ts';
import { temporaryFolder } from './varve-process.ts';

test('an installation whose worker is killed too often ends and is restarted', async () => {
  await using folder = await temporaryFolder();
  await using installation = await keepInstallation(folder.path, {});
  await until('it gives the worker up', async () => {
    await installation.kill('worker');
    return installation.gaveUp > 0;
  });
  const { client } = await installation.running();
  expect(await client.memory.list({ tenant: 'demo', identifiers: { userId: 'ann' } })).toBeTruthy();
  expect(installation.unasked).toEqual([]);
});
