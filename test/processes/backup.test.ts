/** `varve backup` and `varve restore` as a person uses them, and killed in between. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openVarve } from '#cli/open-varve.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { LAUNCHER, runVarve } from '#test/e2e/varve-process.ts';

const ANN = { tenant: 'default', identifiers: { userId: 'ann' } };

async function tell(dataDir: string, content: string): Promise<void> {
  await using varve = await openVarve({ dataDir });
  await varve.memory.add({ ...ANN, layer: 'user', content });
}

async function heldIn(dataDir: string): Promise<readonly string[]> {
  await using varve = await openVarve({ dataDir });
  return (await varve.memory.list(ANN)).memories.map(({ content }) => content).toSorted();
}

test('a restored backup has what was deleted since, and not what was erased since', async () => {
  await using held = await temporaryFolder();
  const cwd = held.folder;
  const dataDir = path.join(cwd, '.varve');
  await tell(dataDir, 'Ann likes tea.');
  await tell(dataDir, 'The safe combination is 48213.');
  expect(await runVarve(['backup', 'monday.db'], { cwd })).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Backed up .* MB to .*monday\.db, and checked the copy\.$/mu),
  });
  {
    await using varve = await openVarve({ dataDir });
    const { memories } = await varve.memory.list(ANN);
    for (const { id, content } of memories) {
      if (content.includes('tea')) await varve.memory.delete({ tenant: 'default', id });
      else await varve.memory.erase({ tenant: 'default', target: { kind: 'Memory', id } });
    }
  }
  expect(await runVarve(['restore', 'monday.db'], { cwd })).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('add --replace to overwrite this one') as string,
  });
  expect(await heldIn(dataDir)).toEqual([]);
  expect(await runVarve(['restore', 'monday.db', '--replace'], { cwd })).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/Restored .* is erased again/u) as string,
  });
  expect(await heldIn(dataDir)).toEqual(['Ann likes tea.']);
  const other = ['--data-dir', 'other'];
  expect(await runVarve(['restore', 'monday.db', ...other], { cwd })).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/No ledger of erasures is there.* copy erasures\//u) as string,
  });
  expect(await heldIn(path.join(cwd, 'other'))).toHaveLength(2);
}, 120_000);

test('a restore that is killed leaves the old or the new store', async () => {
  await using held = await temporaryFolder();
  const { folder: cwd } = held;
  const dataDir = path.join(cwd, '.varve');
  await tell(dataDir, 'Ann likes tea.');
  await runVarve(['backup', 'old.db'], { cwd });
  await tell(dataDir, 'Ann likes coffee.');
  await runVarve(['backup', 'new.db'], { cwd });
  const [old, both] = [['Ann likes tea.'], ['Ann likes coffee.', 'Ann likes tea.']];
  for (const [at, name] of ['old.db', 'new.db', 'old.db', 'new.db'].entries()) {
    const child = spawn(process.execPath, [LAUNCHER, 'restore', name, '--replace'], { cwd });
    const ended = once(child, 'close');
    await sleep(200 + 150 * at);
    child.kill('SIGKILL');
    await ended;
    expect([old, both]).toContainEqual(await heldIn(dataDir));
  }
  const whole = await runVarve(['restore', 'old.db', '--replace'], { cwd });
  expect(whole).toMatchObject({ status: 0 });
  expect(await heldIn(dataDir)).toEqual(old);
}, 120_000);

test('a backup that fills the disk leaves no file, and the store as it was', async () => {
  await using held = await temporaryFolder();
  const { folder: cwd } = held;
  const dataDir = path.join(cwd, '.varve');
  await tell(dataDir, 'Ann likes tea.');
  const before = await readdir(cwd);
  expect(await runVarve(['backup', 'b.db'], { cwd, fileKibibytesMax: 100 })).toMatchObject({
    stdout: '',
    stderr: expect.stringMatching(
      /PROVIDER_ERROR: No backup was made: the disk of .* is full/u,
    ) as string,
  });
  expect(await readdir(cwd)).toEqual(before);
  expect(await heldIn(dataDir)).toEqual(['Ann likes tea.']);
});

test.each([
  [['backup', 'b.db'], {}, 4, 'Nothing is stored'],
  [['restore', 'none.db'], {}, 2, 'There is no file none.db'],
  [['backup', 'b.db'], { MONGODB_URI: 'mongodb://localhost:1' }, 2, 'use mongodump'],
  [['restore', 'b.db'], { MONGODB_URI: 'mongodb://localhost:1' }, 2, 'use mongorestore'],
])('varve %j with %j exits with %i and says why', async (args, env, status, why) => {
  await using held = await temporaryFolder();
  const ended = await runVarve(args, { cwd: held.folder, env });
  expect(ended).toMatchObject({ status, stdout: '' });
  expect(ended.stderr).toContain(why);
});
