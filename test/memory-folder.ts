/** Where tests keep temporary folders: in memory, so that commits wait for no disk. */
import { existsSync, statfsSync } from 'node:fs';

/** Linux has it. */
const MEMORY_FOLDER = '/dev/shm';
/** Containers often have 64 MB of it, which is too little. */
const MEMORY_BYTES_MIN = 2 ** 30;

/** For the environment of tests; empty without such a folder, or where `TMPDIR` is set. */
export function temporaryFoldersInMemory(): Readonly<Record<string, string>> {
  if (process.env['TMPDIR'] !== undefined || !existsSync(MEMORY_FOLDER)) return {};
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
  return bavail * bsize < MEMORY_BYTES_MIN ? {} : { TMPDIR: MEMORY_FOLDER };
}
