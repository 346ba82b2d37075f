/** What `varve search` prints is what `varve why` and `varve erase` take. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
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
