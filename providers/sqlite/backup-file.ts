/**
 * Copies the database into a backup file while others use it, and puts a backup in its place.
 *
 * Guarantees: a backup is one snapshot, holds everything that was written before it began, and
 * appears under its name only when it is complete and checked; a restore that fails or is killed
 * leaves the database with its old or its new content, never with a mixture.
 */
import { constants } from 'node:fs';
import { chmod, copyFile, link, open, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { VarveError } from '#core/errors.ts';
import { Connection } from './connection.ts';
import { isBusy, storeFailure } from './failure.ts';
import { requireOwnTables } from './migrate.ts';
import { BUSY_TIMEOUT_MS } from './open-connection.ts';

/** Pages of a step: some 4 MB, so that progress shows and the event loop stays free. */
const STEP_PAGES = 1_000;
/** Only the owner may read a copy: it holds what people said. */
const FILE_MODE = 0o600;

interface CopyOptions {
  readonly from: string;
  readonly to: string;
  /** Called with pages, often; checking the copy counts as none. */
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Copies the database `from`, which may be in use, into the new file `to`.
 * @returns the size of the backup in bytes
 * @throws VarveError INVALID_INPUT if `to` exists or can't be made; CORRUPT; PROVIDER_ERROR on a
 * full disk
 */
export async function backUpFile({ from, to, onProgress }: CopyOptions): Promise<number> {
  const target = path.resolve(to);
  await requireFree(target);
  const partial = `${target}.partial`;
  await makeExclusively(partial);
  try {
    await copyPages(from, partial, onProgress);
    checkCopy(partial, path.basename(to));
    await flush(partial);
    const { size } = await stat(partial);
    await giveName(partial, target);
    return size;
  } finally {
    await rm(partial, { force: true });
  }
}

async function requireFree(target: string): Promise<void> {
  if ((await stat(target).catch(() => null)) === null) return;
  throw new VarveError('INVALID_INPUT', `${target} exists. Name a new file for the backup.`);
}

/** Makes the file that the copy grows in, so that two backups never write to one file. */
async function makeExclusively(partial: string): Promise<void> {
  try {
    await (await open(partial, 'wx', FILE_MODE)).close();
  } catch (cause) {
    const isThere = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
    const message = isThere
      ? `${partial} exists: another backup writes it, or one was killed. If none runs, delete it.`
      : `The backup can't be written to ${path.dirname(partial)}. ` +
        'Name a folder that exists and that this user may write to.';
    throw new VarveError('INVALID_INPUT', message, { cause });
  }
}

async function copyPages(
  from: string,
  partial: string,
  onProgress: CopyOptions['onProgress'],
): Promise<void> {
  const source = openReading(from);
  try {
    // One snapshot from here on: writers go on, and none of their commits restarts the copy.
    source.exec('BEGIN');
    source.prepare('SELECT count(*) FROM sqlite_schema').get();
    await backup(source, partial, {
      rate: STEP_PAGES,
      progress: ({ totalPages, remainingPages }) => {
        onProgress?.(totalPages - remainingPages, totalPages);
      },
    });
  } catch (error) {
    throw copyFailure(storeFailure(error, path.basename(from)), path.dirname(partial));
  } finally {
    source.close();
  }
}

/** A disk that fails or is full is most likely the one of the copy. */
function copyFailure(failure: unknown, folder: string): unknown {
  if (!(failure instanceof VarveError) || failure.code !== 'PROVIDER_ERROR') return failure;
  const message =
    `No backup was made: the disk of ${folder} is full, or it fails. ` +
    'The store is as it was. Free some space, or name a file on another disk.';
  return new VarveError('PROVIDER_ERROR', message, { details: failure.details, cause: failure });
}

function openReading(file: string): DatabaseSync {
  try {
    return new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  } catch (error) {
    throw storeFailure(error, path.basename(file));
  }
}

/**
 * Checks a copy, and makes it one file: with a write-ahead log, a reader would make two more.
 * @throws VarveError CORRUPT, PROVIDER_REJECTED for another program's or a newer file
 */
function checkCopy(file: string, name: string): void {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(file);
    database.exec('PRAGMA journal_mode = DELETE');
    const connection = new Connection(database, { fileName: name, busyTimeoutMs: 0 });
    requireOwnTables(connection);
    const first = connection.first('PRAGMA quick_check(1)')?.['quick_check'];
    if (first !== 'ok') throw damaged(name);
  } catch (error) {
    throw storeFailure(error, name);
  } finally {
    database?.close();
  }
}

function damaged(name: string): VarveError {
  const message = `The database ${name} is damaged. Use another backup.`;
  return new VarveError('CORRUPT', message);
}

async function flush(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Gives the copy its name, if no other file has got it meanwhile. */
async function giveName(partial: string, target: string): Promise<void> {
  try {
    await link(partial, target);
  } catch {
    // Some file systems have no hard links.
    await requireFree(target);
    await rename(partial, target);
  }
  await flush(path.dirname(target));
}

/**
 * Puts the backup `from` in the place of the database `to`, which is given up. `from` stays.
 * @throws VarveError CORRUPT or PROVIDER_REJECTED if `from` is no sound backup; TIMEOUT if another
 * process uses `to`; PROVIDER_ERROR on a full disk
 */
export async function restoreFile({ from, to }: Omit<CopyOptions, 'onProgress'>): Promise<void> {
  const fresh = `${to}.restoring`;
  try {
    await requireWhole(from, to);
    await copyFile(from, fresh, constants.COPYFILE_FICLONE);
    await chmod(fresh, FILE_MODE);
    checkCopy(fresh, path.basename(from));
    await flush(fresh);
    requireUnused(to);
    for (const suffix of ['-wal', '-shm']) await rm(`${to}${suffix}`, { force: true });
    await rename(fresh, to);
    await flush(path.dirname(path.resolve(to)));
  } catch (cause) {
    throw fileFailure(cause, from);
  } finally {
    for (const suffix of ['', '-journal']) await rm(`${fresh}${suffix}`, { force: true });
  }
}

/** A store that was copied while it was open has writes in its log, which a copy would lose. */
async function requireWhole(from: string, to: string): Promise<void> {
  if ((await realpath(from)) === (await realpath(to).catch(() => null))) {
    throw new VarveError('INVALID_INPUT', `${from} is the store itself. Name a backup.`);
  }
  const log = await stat(`${from}-wal`).catch(() => null);
  if (log === null || log.size === 0) return;
  const message =
    `${from} has a log beside it (${path.basename(from)}-wal) with writes that it lacks. ` +
    'Put both into a folder as varve.db and varve.db-wal, and back that up with --data-dir.';
  throw new VarveError('INVALID_INPUT', message);
}

/**
 * Ends the write-ahead log, which SQLite does only for the last user of a file. A damaged database
 * can't be asked, and is replaced as it is.
 */
function requireUnused(file: string): void {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS / 10 });
    database.exec('PRAGMA journal_mode = DELETE');
  } catch (error) {
    if (!isBusy(error)) return;
    const message =
      `Another process uses the database ${path.basename(file)}. ` +
      'Stop Varve and every program that opened its folder, then restore.';
    throw new VarveError('TIMEOUT', message, { cause: error });
  } finally {
    database?.close();
  }
}

function fileFailure(error: unknown, from: string): unknown {
  const isSystem = error instanceof Error && 'syscall' in error && 'code' in error;
  if (!isSystem) return error;
  const isFull = error.code === 'ENOSPC' || error.code === 'EDQUOT';
  const message = isFull
    ? 'The disk is full. The store is as it was; free some space.'
    : `The backup ${from} could not be copied (${String(error.code)}). The store is as it was.`;
  return new VarveError(isFull ? 'PROVIDER_ERROR' : 'INVALID_INPUT', message, { cause: error });
}
