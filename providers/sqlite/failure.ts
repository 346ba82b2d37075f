/** The only mapping of errors of SQLite to Varve's errors. */
import { codeOf, VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';

/** Extended result codes keep the primary code in their lowest byte (sqlite.org/rescode.html). */
const PRIMARY_CODE_MASK = 0xff;
export const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_FULL = 13;

/** The message follows the name of the file, and says what to do. */
type Row = readonly [name: string, code: ErrorCode, message: string];

const CORRUPT_MESSAGE =
  'is damaged. Stop all processes that use it, keep a copy, and restore a backup; ' +
  '`sqlite3 <file> .recover` saves what can still be read.';
const LOCKED_MESSAGE =
  'stayed locked by another process beyond the time limit. End that process or try again.';
const UNWRITABLE_MESSAGE =
  "can't be opened for writing. Check that its folder exists, that this user may write to it, " +
  'and that the disk is not mounted read-only.';

const ROWS: Readonly<Record<number, Row>> = {
  1: ['SQLITE_ERROR', 'CORRUPT', 'has not the tables that this version of Varve expects.'],
  3: ['SQLITE_PERM', 'PROVIDER_REJECTED', UNWRITABLE_MESSAGE],
  [SQLITE_BUSY]: ['SQLITE_BUSY', 'TIMEOUT', LOCKED_MESSAGE],
  [SQLITE_LOCKED]: ['SQLITE_LOCKED', 'TIMEOUT', LOCKED_MESSAGE],
  7: ['SQLITE_NOMEM', 'PROVIDER_ERROR', 'needs more memory than the system gives.'],
  8: ['SQLITE_READONLY', 'PROVIDER_REJECTED', UNWRITABLE_MESSAGE],
  10: ['SQLITE_IOERR', 'PROVIDER_ERROR', 'could not be read or written: check the disk.'],
  11: ['SQLITE_CORRUPT', 'CORRUPT', CORRUPT_MESSAGE],
  [SQLITE_FULL]: [
    'SQLITE_FULL',
    'PROVIDER_ERROR',
    'could not grow: the disk or its size limit is full. Nothing was lost; free some space.',
  ],
  14: ['SQLITE_CANTOPEN', 'PROVIDER_REJECTED', UNWRITABLE_MESSAGE],
  15: ['SQLITE_PROTOCOL', 'TIMEOUT', LOCKED_MESSAGE],
  17: ['SQLITE_SCHEMA', 'PROVIDER_ERROR', 'was changed by another version. Try again.'],
  18: ['SQLITE_TOOBIG', 'PROVIDER_REJECTED', 'refused a record that is too large.'],
  19: ['SQLITE_CONSTRAINT', 'CONFLICT', 'has a record with the same key already.'],
  23: ['SQLITE_AUTH', 'PROVIDER_REJECTED', UNWRITABLE_MESSAGE],
  26: [
    'SQLITE_NOTADB',
    'CORRUPT',
    'is not a SQLite database, or its first page is damaged. ' +
      'Name another file or restore a backup.',
  ],
};

/**
 * Returns the failure as callers see it: a VarveError unchanged, an error of SQLite by the table
 * above, anything else (a bug) unchanged.
 */
export function storeFailure(error: unknown, fileName: string): unknown {
  if (error instanceof VarveError) return error;
  if (isClosed(error)) {
    return new VarveError('CANCELLED', 'The store was closed while it was in use.', {
      cause: error,
    });
  }
  const primary = primaryCode(error);
  if (primary === null) return error;
  const other: Row = [`SQLITE_${primary}`, 'PROVIDER_ERROR', 'could not be used.'];
  const [name, code, message] = ROWS[primary] ?? other;
  return new VarveError(code, `The database ${fileName} ${message}`, {
    details: { sqlite: name },
    cause: error,
  });
}

/** Whether a failure of the store means that the disk or the file's size limit is full. */
export function isFull(failure: unknown): boolean {
  return failure instanceof VarveError && failure.details['sqlite'] === ROWS[SQLITE_FULL]?.[0];
}

/**
 * Returns the error for a failed flush: what was written can be read, but would be lost if the
 * machine failed now. Callers repeat the write; the store copies the log into the file before it.
 */
export function flushFailure(cause: unknown, fileName: string): VarveError {
  if (cause instanceof VarveError) return cause;
  const system = String(codeOf(cause) ?? 'unknown');
  const message =
    `The database ${fileName} could not be flushed to disk, so the write may not last. ` +
    'Check the disk, then send it again.';
  return new VarveError('PROVIDER_ERROR', message, { details: { system }, cause });
}

/** Returns the error for a call to a file that no path leads to any more. */
export function goneFailure(fileName: string): VarveError {
  const message =
    `The database ${fileName} was deleted or replaced while Varve had it open; what was written ` +
    'since is lost. Stop Varve, put the file back or restore a backup, and start Varve again.';
  return new VarveError('PROVIDER_REJECTED', message, { details: { file: fileName } });
}

/** Whether another process holds a lock, so that the same call may succeed in a moment. */
export function isBusy(error: unknown): error is Error {
  const primary = primaryCode(error);
  return primary === SQLITE_BUSY || primary === SQLITE_LOCKED;
}

function primaryCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error)) return null;
  return typeof error.errcode === 'number' ? error.errcode & PRIMARY_CODE_MASK : null;
}

/** Whether Node reports a closed database, or a statement of one. */
function isClosed(error: unknown): boolean {
  return codeOf(error) === 'ERR_INVALID_STATE';
}
