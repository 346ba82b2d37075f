/** Files that tests leave behind are found, wherever they are. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { changesOf, readWorkTree } from '#test/work-tree.ts';

test('each file that a run leaves, removes or writes is reported', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'varve-tree-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const folder of ['core', 'node_modules', '.git']) await mkdir(path.join(root, folder));
  for (const name of ['kept.ts', 'gone.ts', 'written.ts']) {
    await writeFile(path.join(root, 'core', name), name);
  }
  const before = await readWorkTree(root);
  expect(changesOf(before, await readWorkTree(root))).toEqual([]);

  await writeFile(path.join(root, 'node_modules', 'made.js'), '');
  await writeFile(path.join(root, '.git', 'index'), '');
  await rm(path.join(root, 'core', 'gone.ts'));
  await writeFile(path.join(root, 'core', 'written.ts'), 'other words');
  await mkdir(path.join(root, '.varve'));
  await writeFile(path.join(root, '.varve', 'varve.db'), '');
  expect(changesOf(before, await readWorkTree(root)).toSorted()).toEqual(
    [
      '.varve was left there',
      `${path.join('.varve', 'varve.db')} was left there`,
      `${path.join('core', 'gone.ts')} is gone`,
      `${path.join('core', 'written.ts')} was written`,
    ].toSorted(),
  );
});
