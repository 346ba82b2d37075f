/**
 * A search worker: one thread with its own connection, which only reads, and its own indexes.
 *
 * The file is opened at the first call, and again at the next one where that failed, so that a
 * failure is an answer and never the end of the thread. A thread that is to end skips the calls
 * that wait, gives up the one it is at before its next row, and ends by itself.
 */
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { Connection } from '../connection.ts';
import { storeFailure } from '../failure.ts';
import { migrate } from '../schema.ts';
import { requireSafeSqlite } from '../sqlite-version.ts';
import { answerCall } from './answer-call.ts';
import { isClosing, stopIfClosing } from './closing-flag.ts';
import { IndexCache } from './index-cache.ts';
import {
  failureOf,
  type AnswerMessage,
  type CallMessage,
  type ThreadMessage,
  type WorkerStart,
} from './worker-message.ts';
import { DatabaseSync } from 'node:sqlite';
import { MATCHES, matcher } from './memory-list.ts';

interface Opened {
  readonly connection: Connection;
  readonly cache: IndexCache;
}

const start = workerData as WorkerStart;
const port = parentPort;
let connected: Connection | null = null;
let opened: Promise<Opened> | null = null;

port?.on('message', (message: ThreadMessage) => {
  if (message.kind === 'Close') end();
  else void answer(message);
});

/** Where the thread is to end, nothing waits for an answer any more. */
async function answer(message: CallMessage): Promise<void> {
  if (isClosing(start.closing)) return;
  const answered = await answerTo(message);
  if (!isClosing(start.closing)) port?.postMessage(answered);
}

/** Nothing keeps a thread that has no port; an opening under way finds its connection closed. */
function end(): void {
  connected?.close();
  port?.close();
}

async function answerTo({ number, call }: CallMessage): Promise<AnswerMessage> {
  try {
    opened ??= open();
    const { connection, cache } = await opened;
    return { number, answer: await connection.read(() => answerCall(connection, cache, call)) };
  } catch (error) {
    return { number, failure: failureOf(error) };
  }
}

async function open(): Promise<Opened> {
  const fileName = path.basename(start.file);
  try {
    connected = connectForSearch(start);
    requireSafeSqlite(String(connected.first('SELECT sqlite_version() AS v')?.['v']));
    connected.script('PRAGMA trusted_schema = OFF');
    // The tables are those of this version, or it refuses them as the main thread does.
    await migrate(connected, () => 0);
    return { connection: connected, cache: new IndexCache(connected, start.indexBytesMax) };
  } catch (error) {
    connected?.close();
    opened = null;
    throw storeFailure(error, fileName);
  }
}

// The connection of a search thread: it only reads, and knows the function of filters.

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
