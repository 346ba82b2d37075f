/**
 * A lock between processes that the kernel frees when its holder dies, however it dies.
 *
 * It is an exclusive SQLite transaction on an empty file: SQLite already knows how to lock a file
 * on every platform, and a lock that lives in a process needs no guess about which lock is stale.
 * The file itself is never opened in another way, since on POSIX systems closing any descriptor of
 * a file drops the process's locks on it. A file beside it names the holder.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, VarveError } from '#core/errors.ts';
import { makeFolder } from './make-folder.ts';

/** Pause between tries of a waiting process; a lock is held for seconds to minutes. */
const RETRY_MS = 200;
const SQLITE_BUSY = 5;

export interface LockHolder {
  readonly pid: number;
  /** When the lock was taken, ISO 8601 in UTC. */
  readonly since: string;
}

export interface LockOptions {
  /** How long to wait for another holder; 0 (the default) fails at once. */
  readonly waitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called once, before the first wait; a holder that is just taking the lock has no name yet. */
  readonly onWait?: ((holder: LockHolder | undefined) => void) | undefined;
}

export interface ExclusiveLock extends AsyncDisposable {
  readonly path: string;
}

/**
 * Takes the lock, or waits for it; only one process, and one caller within it, has the lock.
 *
 * Guarantees: freed on dispose, and by the kernel when the process ends, SIGKILL included. Assumes
 * a local disk: locks on network file systems are not reliable.
 * Errors: CONFLICT with `details.holder` when `waitMs` has passed; CANCELLED when the signal fires;
 * CORRUPT if what has that name is no lock file.
 */
export async function acquireExclusiveLock(
  lockPath: string,
  options: LockOptions = {},
): Promise<ExclusiveLock> {
  makeFolder(path.dirname(lockPath));
  const deadline = performance.now() + (options.waitMs ?? 0);
  let database = tryLock(lockPath);
  if (database === undefined) options.onWait?.(await readHolder(lockPath));
  while (database === undefined) {
    if (performance.now() >= deadline) throw lockedBy(await readHolder(lockPath));
    await pause(options.signal);
    database = tryLock(lockPath);
  }
  return heldLock(lockPath, database);
}

/** Returns who holds the lock, if known; undefined if no name was written. */
export async function readHolder(lockPath: string): Promise<LockHolder | undefined> {
  try {
    return parseHolder(JSON.parse(await readFile(holderPath(lockPath), 'utf8')));
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function tryLock(lockPath: string): DatabaseSync | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(lockPath, { timeout: 0 });
    // Nothing is ever written, so a journal on disk would only be an extra file.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.close();
    if (isBusy(error)) return undefined;
    const message =
      `The lock file ${JSON.stringify(lockPath)} cannot be opened and locked. If no varve runs ` +
      'on its folder, remove what has that name, and check who may write there.';
    throw new VarveError('CORRUPT', message, { cause: error });
  }
}

async function heldLock(lockPath: string, database: DatabaseSync): Promise<ExclusiveLock> {
  const holder: LockHolder = { pid: process.pid, since: new Date().toISOString() };
  const temporary = `${holderPath(lockPath)}.${process.pid}`;
  try {
    await writeFile(temporary, JSON.stringify(holder));
    await rename(temporary, holderPath(lockPath));
  } catch (error) {
    database.close();
    throw error;
  }
  let held = true;
  return {
    path: lockPath,
    async [Symbol.asyncDispose]() {
      if (!held) return;
      held = false;
      // The name goes first: once the lock is free, the file may already be the next holder's.
      await rm(holderPath(lockPath), { force: true });
      database.close();
    },
  };
}

async function pause(signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(RETRY_MS, undefined, signal === undefined ? {} : { signal });
  } catch (cause) {
    throw new VarveError('CANCELLED', 'Stopped while waiting for a lock.', { cause });
  }
}

function lockedBy(holder: LockHolder | undefined): VarveError {
  const who = holder === undefined ? 'Another process' : `Process ${holder.pid}`;
  const since = holder === undefined ? '' : ` since ${holder.since}`;
  const details = holder === undefined ? {} : { holder };
  return new VarveError('CONFLICT', `${who} holds the lock${since}.`, { details });
}

function holderPath(lockPath: string): string {
  return `${lockPath}.holder`;
}

function parseHolder(value: unknown): LockHolder | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('pid' in value) || !('since' in value)) return undefined;
  const { pid, since } = value;
  return typeof pid === 'number' && typeof since === 'string' ? { pid, since } : undefined;
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
