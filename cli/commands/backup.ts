/** `varve backup` and `varve restore`: the store of a data folder as one file. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { VarveError } from '#core/errors.ts';
import { makeFolder } from '#providers/node/make-folder.ts';
import { backUpFile, restoreFile } from '#providers/sqlite/backup-file.ts';
import { ledgerFolderOf, STORE_FILE } from '../choose-store.ts';
import type { Config } from '../config.ts';
import { openLibraryForCommand, requireStore } from '../open-library-for-command.ts';
import { createProgress } from '../progress-bar.ts';

const FOLDER_MODE = 0o700;
const MEGABYTE = 1_000_000;

export interface BackupOptions {
  readonly json?: boolean;
}

export interface RestoreOptions extends BackupOptions {
  readonly replace?: boolean;
}

/**
 * Writes a backup, which holds everything that was acknowledged before it began.
 * @throws VarveError INVALID_INPUT with MongoDB, or if the file exists; NOT_FOUND without a store
 */
export async function backupCommand(
  config: Config,
  file: string,
  { json = false }: BackupOptions,
): Promise<void> {
  requireFileStore(config, 'mongodump');
  await requireStore(config);
  const report = createProgress({ stream: process.stderr, quiet: json });
  const bytes = await backUpFile({
    from: path.join(config.dataDir, STORE_FILE),
    to: file,
    onProgress: (done, total) => {
      report.step({ label: 'copying', done, total, unit: 'pages' });
    },
  });
  report.finish();
  const answer = { file: path.resolve(file), bytes };
  const text = `Backed up ${sizeOf(bytes)} to ${answer.file}, and checked the copy.`;
  process.stdout.write(`${json ? JSON.stringify(answer, null, 2) : text}\n`);
}

/**
 * Restores a backup, brings it to the schema of this version, and repeats the erasures that the
 * ledger names, so that nothing erased is served again.
 * @throws VarveError INVALID_INPUT with MongoDB, or if there is a store and `replace` is not set;
 * TIMEOUT if a process uses the store; CORRUPT or PROVIDER_REJECTED for an unsound backup
 */
export async function restoreCommand(
  config: Config,
  file: string,
  { replace = false, json = false }: RestoreOptions,
): Promise<void> {
  requireFileStore(config, 'mongorestore');
  const { size } = await backupAt(file);
  const store = path.join(config.dataDir, STORE_FILE);
  const known = await stat(store).catch(() => null);
  if (known !== null && known.size > 0 && !replace) {
    const message =
      `${config.dataDir} holds a store. Restore into another folder with --data-dir, ` +
      'or add --replace to overwrite this one; varve backup FILE saves it first.';
    throw new VarveError('INVALID_INPUT', message);
  }
  makeFolder(path.resolve(config.dataDir), FOLDER_MODE);
  await restoreFile({ from: file, to: store });
  const ledger = await isLedgerIn(ledgerFolderOf(config));
  // Opening it repeats the erasures.
  await (await openLibraryForCommand(config))[Symbol.asyncDispose]();
  const answer = { dataDir: path.resolve(config.dataDir), bytes: size, ledger };
  const erased = ledger
    ? 'What was erased since the backup is erased again; what was only deleted is back.'
    : 'No ledger of erasures is there. If anything was erased since the backup, it is back: ' +
      'copy erasures/ from the folder where it was erased into this one, and restore again.';
  const text = `Restored ${sizeOf(size)} into ${answer.dataDir}. ${erased}`;
  process.stdout.write(`${json ? JSON.stringify(answer, null, 2) : text}\n`);
}

async function isLedgerIn(folder: string | undefined): Promise<boolean> {
  const entries = folder === undefined ? [] : await readdir(folder).catch(() => []);
  return entries.length > 0;
}

function requireFileStore({ settings }: Config, tool: string): void {
  if (settings.mongodb === undefined) return;
  const message = `The store is MongoDB (MONGODB_URI): use ${tool}; see docs/operating/backup.md.`;
  throw new VarveError('INVALID_INPUT', message);
}

async function backupAt(file: string): Promise<{ readonly size: number }> {
  const found = await stat(file).catch(() => null);
  if (found?.isFile() === true) return found;
  throw new VarveError(
    'INVALID_INPUT',
    `There is no file ${file}. Name one that varve backup wrote.`,
  );
}

function sizeOf(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} MB`;
}
