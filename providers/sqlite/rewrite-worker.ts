/**
 * A thread that has SQLite rewrite a file, beside the one that serves callers, since the time grows
 * with the file. Nothing is written if it fails or the process ends.
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
