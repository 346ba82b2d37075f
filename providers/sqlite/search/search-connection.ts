/** The connection of a search thread: it only reads, and knows the function of filters. */
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { Connection } from '../connection.ts';
import { stopIfClosing } from './closing-flag.ts';
import { MATCHES, matcher } from './memory-list.ts';
import type { WorkerStart } from './worker-message.ts';

/**
 * Once `closing` is raised, every query fails with CANCELLED before its next row.
 * @throws what SQLite says of a file that can't be opened
 */
export function connectForSearch({
  file,
  busyTimeoutMs,
  closing,
}: Pick<WorkerStart, 'file' | 'busyTimeoutMs' | 'closing'>): Connection {
  const beforeRow = (): void => {
    stopIfClosing(closing);
  };
  const database = new DatabaseSync(file, { readOnly: true });
  // A query that sorts has filtered all of its rows before it hands on the first.
  database.function(MATCHES, { deterministic: true }, matcher(beforeRow));
  return new Connection(database, { fileName: path.basename(file), busyTimeoutMs, beforeRow });
}
