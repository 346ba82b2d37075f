/**
 * A ledger of erasures in a folder: one small file per entry, so that processes of several machines
 * may write to a shared folder. Files never change; old files may be deleted, except the last.
 */
import { open, readdir, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { VarveError } from '#core/errors.ts';
import type { OutsideLedger } from '#core/ports/erasure-records.ts';
import { ErasureEntry } from '#core/records/erasure.ts';
import { makeFolder } from './make-folder.ts';

/** Digits of the zero-padded numbers, so that file names sort by number. */
const DIGITS = 12;
const NAME = /^\d{12}-[\w-]+\.json$/u;
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

export function ledgerInFolder(folder: string): OutsideLedger {
  const names = async (): Promise<readonly string[]> => {
    try {
      return (await readdir(folder)).filter((name) => NAME.test(name)).toSorted();
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw unusable(cause);
    }
  };
  const read = async (name: string): Promise<ErasureEntry> => {
    try {
      return ErasureEntry.parse(JSON.parse(await readFile(path.join(folder, name), 'utf8')));
    } catch (cause) {
      const message = `The ledger of erasures can't be read: ${name} was changed later.`;
      throw new VarveError('CORRUPT', message, { cause });
    }
  };
  return {
    async last() {
      const name = (await names()).at(-1);
      return name === undefined ? null : read(name);
    },
    async *after(number) {
      for (const name of await names()) {
        if (Number(name.slice(0, DIGITS)) > number) yield read(name);
      }
    },
    async write(entry) {
      try {
        await writeWhole(folder, entry);
      } catch (cause) {
        throw unusable(cause);
      }
    },
  };
}

/** Writes a file that is either complete and on disk, or absent, even after a crash. */
async function writeWhole(folder: string, entry: ErasureEntry): Promise<void> {
  makeFolder(folder, FOLDER_MODE);
  const name = `${String(entry.number).padStart(DIGITS, '0')}-${entry.id}.json`;
  const draft = path.join(folder, `${name}.draft`);
  {
    await using file = await open(draft, 'w', FILE_MODE);
    await file.writeFile(`${JSON.stringify(entry)}\n`);
    await file.sync();
  }
  await rename(draft, path.join(folder, name));
  await using parent = await open(folder);
  await parent.sync();
}

function unusable(cause: unknown): VarveError {
  const { code = 'unknown' } = cause as NodeJS.ErrnoException;
  const message =
    `The ledger of erasures can't be used (${code}): ` +
    'VARVE_ERASURE_LEDGER has to name a folder that this user may write to.';
  return new VarveError('PROVIDER_REJECTED', message, { cause });
}
