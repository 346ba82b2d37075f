/** The folder of a demo: emptied at each run, and never one that holds something else. */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { VarveError } from '#core/errors.ts';

const MARK = '.varve-demo';
const LOCK_FOLDER = 'lock';

/** @throws VarveError INVALID_INPUT for a folder that no demo made */
export async function freshFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  // The lock stays: emptying the folder under a running demo is what it prevents.
  const entries = (await readdir(folder)).filter((entry) => entry !== LOCK_FOLDER);
  if (entries.length > 0 && !entries.includes(MARK)) {
    throw new VarveError(
      'INVALID_INPUT',
      'The demo empties its data folder, and this one holds something else. ' +
        'Choose an empty one with --data-dir.',
    );
  }
  const removable = entries.filter((entry) => entry !== MARK);
  await Promise.all(
    removable.map((entry) => rm(path.join(folder, entry), { recursive: true, force: true })),
  );
  await writeFile(path.join(folder, MARK), '');
}
