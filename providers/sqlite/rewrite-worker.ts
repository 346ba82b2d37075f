/**
 * A thread that has SQLite write a file anew, beside the one that serves callers: that takes as
 * long as the file is large. Nothing is written where it fails or the process ends.
 */
import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';

import type { RewriteStart } from './rewrite.ts';

const { file, busyTimeoutMs } = workerData as RewriteStart;
const database = new DatabaseSync(file, { timeout: busyTimeoutMs });
try {
  database.exec('VACUUM');
} finally {
  database.close();
}
