/** What a test run changed in its working folder, which should be nothing. */
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';

/** Made by tools, and theirs to change. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  '.git',
  '.tsc',
  '__pycache__',
  'dist',
  'node_modules',
]);

/** Every file by its path, with what tells whether it was written; what Git ignores as well. */
export type WorkTree = ReadonlyMap<string, string>;

export async function readWorkTree(root: string): Promise<WorkTree> {
  const files = new Map<string, string>();
  const read = async (folder: string): Promise<void> => {
    for (const entry of await readdir(path.join(root, folder), { withFileTypes: true })) {
      if (LEFT_OUT.has(entry.name)) continue;
      const name = path.join(folder, entry.name);
      if (entry.isDirectory()) await read(name);
      const { size, mtimeMs } = await lstat(path.join(root, name));
      // A folder is written with every file that comes or goes, if only for a while.
      files.set(name, entry.isDirectory() ? 'a folder' : `${String(size)} ${String(mtimeMs)}`);
    }
  };
  await read('');
  return files;
}

/** One line for each file that came, went or was written. */
export function changesOf(before: WorkTree, after: WorkTree): readonly string[] {
  const came = [...after.keys()].filter((name) => !before.has(name));
  const gone = [...before.keys()].filter((name) => !after.has(name));
  const written = [...after].filter(
    ([name, stamp]) => before.has(name) && before.get(name) !== stamp,
  );
  return [
    ...came.map((name) => `${name} was left there`),
    ...gone.map((name) => `${name} is gone`),
    ...written.map(([name]) => `${name} was written`),
  ];
}
