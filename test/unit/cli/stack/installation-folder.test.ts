/** Who may look into a data folder. */
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeDataFolder } from '#cli/stack/paths.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-folder-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const modeOf = async (folder: string) => (await stat(folder)).mode & 0o7777;

test('a new or empty data folder is for its owner only', async () => {
  const empty = await newFolder();
  await chmod(empty, 0o755);
  for (const folder of [empty, path.join(await newFolder(), 'new', 'one')]) {
    await makeDataFolder(folder);
    expect(await modeOf(folder)).toBe(0o700);
  }
});

test('a folder that others share keeps its mode', async () => {
  const shared = await newFolder();
  await writeFile(path.join(shared, 'of-somebody'), '');
  await chmod(shared, 0o1777);
  await makeDataFolder(shared);
  expect(await modeOf(shared)).toBe(0o1777);
});
