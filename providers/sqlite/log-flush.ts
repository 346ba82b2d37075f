/**
 * Flushes of the write-ahead log, in a thread of the system and not in the one that serves callers.
 *
 * With `synchronous = NORMAL` SQLite writes a commit to the log and leaves the flush to us; the log
 * is a row of checksummed frames, so what a power failure tears off is always a tail of it, and a
 * flush makes every commit before it durable (sqlite.org/wal.html, "Performance Considerations").
 * SQLite's own locks lie on other files, so that closing this one drops none of them.
 */
import { close, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';

const flushData = promisify(fdatasync);

export interface LogFlush {
  /** Resolves when everything that was committed before the call is on disk. */
  flush(): Promise<void>;
  /** Closes the file, once no flush is under way. */
  close(): void;
}

/** The log of a database file; opened with the first flush, when SQLite has made it. */
export function openLogFlush(databaseFile: string): LogFlush {
  let handle: number | null = null;
  let underWay = 0;
  let isClosed = false;
  const release = (): void => {
    if (!isClosed || underWay > 0 || handle === null) return;
    close(handle, () => undefined);
    handle = null;
  };
  return {
    async flush() {
      handle ??= openSync(`${databaseFile}-wal`, 'r+');
      underWay += 1;
      try {
        await flushData(handle);
      } finally {
        underWay -= 1;
        release();
      }
    },
    close() {
      isClosed = true;
      release();
    },
  };
}
