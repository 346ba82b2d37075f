/**
 * A search worker: one thread with its own connection, which only reads, and its own indexes.
 *
 * The file is opened at the first call, and again at the next one where that failed, so that a
 * failure is an answer and never the end of the thread.
 */
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

import { Connection } from '../connection.ts';
import { storeFailure } from '../failure.ts';
import { migrate } from '../schema.ts';
import { requireSafeSqlite } from '../sqlite-version.ts';
import { IndexCache } from './index-cache.ts';
import { listedIds, MATCHES, matcher } from './memory-list.ts';
import { scanScope } from './scope-scan.ts';
import {
  failureOf,
  type AnswerMessage,
  type CallMessage,
  type CallOf,
  type FoundIds,
  type WorkerAnswers,
  type WorkerCall,
  type WorkerStart,
} from './worker-message.ts';

interface Opened {
  readonly connection: Connection;
  readonly cache: IndexCache;
}

const start = workerData as WorkerStart;
const port = parentPort;
let opened: Promise<Opened> | null = null;

port?.on('message', (message: CallMessage) => {
  void answered(message).then((answer) => port.postMessage(answer));
});

async function answered({ number, call }: CallMessage): Promise<AnswerMessage> {
  try {
    opened ??= open(start);
    const { connection, cache } = await opened;
    return { number, answer: await connection.read(() => answerOf(connection, cache, call)) };
  } catch (error) {
    return { number, failure: failureOf(error) };
  }
}

function answerOf(
  connection: Connection,
  cache: IndexCache,
  call: WorkerCall,
): WorkerAnswers[WorkerCall['kind']] {
  if (call.kind === 'List') return listedIds(connection, call.tenant, call.query);
  return search(connection, cache, call);
}

function search(connection: Connection, cache: IndexCache, call: CallOf<'Search'>): FoundIds {
  const index = cache.indexOf(call.scope);
  return index === null
    ? { ...scanScope(connection, call), path: 'ExactScan' }
    : { ...index.search(call.query), path: 'Memory' };
}

async function open({ file, indexBytesMax, busyTimeoutMs }: WorkerStart): Promise<Opened> {
  const fileName = path.basename(file);
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    const connection = new Connection(database, { fileName, busyTimeoutMs });
    try {
      requireSafeSqlite(String(connection.first('SELECT sqlite_version() AS v')?.['v']));
      connection.script('PRAGMA trusted_schema = OFF');
      // The tables are those of this version, or it refuses them as the main thread does.
      await migrate(connection, () => 0);
      database.function(MATCHES, { deterministic: true }, matcher());
      return { connection, cache: new IndexCache(connection, indexBytesMax) };
    } catch (error) {
      connection.close();
      throw error;
    }
  } catch (error) {
    opened = null;
    throw storeFailure(error, fileName);
  }
}
