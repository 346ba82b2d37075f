/** The folder that holds everything of an installation. */
import { chmod, mkdir, readdir } from 'node:fs/promises';
import { VarveError } from '#core/errors.ts';

/**
 * Makes the folder where it does not exist. Only its owner may look into it: it holds what people
 * said. A folder that holds something keeps its mode, since others may need what is there.
 * @throws VarveError PROVIDER_REJECTED where it cannot be made or is not ours
 */
export async function makeDataFolder(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true });
    if ((await readdir(dataDir)).length === 0) await chmod(dataDir, 0o700);
  } catch (cause) {
    const message = 'The data folder cannot be made or written; choose another with --data-dir.';
    throw new VarveError('PROVIDER_REJECTED', message, { cause });
  }
}
