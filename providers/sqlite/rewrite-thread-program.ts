/**
 * A thread in which SQLite rewrites a file, apart from the one that serves callers, since the time
 * grows with the file. If it fails or the process ends, the file stays as it was.
 */
import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import type { RewriteStart } from './rewrite-file.ts';

const { file, busyTimeoutMs } = workerData as RewriteStart;
const database = new DatabaseSync(file, { timeout: busyTimeoutMs });
try {
  database.exec('VACUUM');
} finally {
  database.close();
}
