/** The ids that other commands and calls show are what `varve erase` takes. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openVarve } from '#cli/open-varve.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { runVarve } from '#test/e2e/varve-process.ts';

const ID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/u;

test('a memory is found, explained, and erased by its id, and a partial id erases nothing', async () => {
  await using held = await temporaryFolder();
  const cwd = held.folder;
  await writeFile(path.join(cwd, 'launch.md'), '# Launch\n\nThe checkout launches on May 1.\n');
  expect(await runVarve(['import', 'launch.md'], { cwd })).toMatchObject({ status: 0 });
  const { stdout } = await runVarve(['search', 'When does the checkout launch?'], { cwd });
  const [id = ''] = ID.exec(stdout) ?? [];
  const why = await runVarve(['why', id], { cwd });
  expect(why).toMatchObject({ status: 0, stdout: expect.stringContaining(id) as string });

  const erase = (name: string) => runVarve(['erase', '--memory', name, '--yes'], { cwd });
  const part = id.slice(-8);
  expect(await erase(part)).toMatchObject({
    status: 4,
    stdout: '',
    stderr: expect.stringMatching(`NOT_FOUND: .* no memory ${part}; .* misspelled`) as string,
  });
  const erased = await erase(id);
  expect(erased).toMatchObject({ status: 0, stdout: expect.stringContaining('Receipt') as string });
  expect(await erase(id)).toMatchObject({ status: 4 });
}, 60_000);

test('a turn is erased by its id and that of its session, which stays', async () => {
  await using held = await temporaryFolder();
  const cwd = held.folder;
  const session = { tenant: 'acme', sessionId: 'call-7' };
  const turns = ['The safe combination is 48213.', 'The safe stands in the hall.'];
  {
    await using varve = await openVarve({ dataDir: path.join(cwd, '.varve') });
    await varve.conversation.append({
      ...{ ...session, identifiers: { userId: 'ann' } },
      turns: turns.map((content, at) => ({ id: `m${String(at + 1)}`, role: 'user', content })),
    });
  }
  const erase = (...rest: string[]) => runVarve(['erase', '--tenant', 'acme', ...rest], { cwd });
  const name = ['--session', 'call-7', '--turn', 'm1'];
  expect(await erase('--turn', 'm1', '--yes')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--turn takes --session too') as string,
  });
  expect(await erase(...name, '--dry-run')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/1 +turns\b[^]*nothing was written/u) as string,
  });
  expect(await erase(...name, '--yes')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Receipt') as string,
  });
  const nothing = { status: 4, stdout: '' };
  expect(await erase(...name, '--yes')).toMatchObject({
    ...nothing,
    stderr: expect.stringContaining('NOT_FOUND: The tenant acme has no turn m1 in session call-7;'),
  });
  expect(await erase('--session', 'none', '--turn', 'm1', '--yes')).toMatchObject(nothing);
  await using varve = await openVarve({ dataDir: path.join(cwd, '.varve') });
  const { messages } = await varve.conversation.messages(session);
  expect(messages).toMatchObject([{ id: 'm2', content: turns[1] }]);
}, 120_000);
