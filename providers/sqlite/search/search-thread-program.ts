/**
 * A search worker: one thread with its own read-only connection and its own indexes.
 *
 * The file is opened at the first call, and after a failure again at the next call, so a failure is
 * an answer and never ends the thread. A thread that must end skips waiting calls, cancels the
 * current one before its next row, and ends.
 */
import path from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { Connection, requireSafeSqlite } from '../connection.ts';
import { VarveError } from '#core/errors.ts';
import { storeFailure } from '../failure.ts';
import { migrate } from '../migrate.ts';
import { answerCall } from './answer-call.ts';
import {
  isClosing,
  stopIfClosing,
  failureOf,
  type AnswerMessage,
  type CallMessage,
  type ThreadMessage,
  type WorkerStart,
} from './thread-messages.ts';
import { IndexCache } from './index-cache.ts';
import { writeKept } from './kept-index.ts';
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
let cache: IndexCache | null = null;
let keeping: NodeJS.Timeout | null = null;

port?.on('message', (message: ThreadMessage) => {
  const done = message.kind === 'Close' ? end() : answer(message);
  done.catch(endThread);
});

/** Ends the thread with an uncaught error, so that the parent starts another one. */
function endThread(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

/** Answers a call. If the thread must end, nobody waits for an answer anymore. */
async function answer(message: CallMessage): Promise<void> {
  if (isClosing(start.closing)) return;
  const answered = await answerTo(message);
  if (isClosing(start.closing)) return;
  port?.postMessage(answered);
  keepLater();
}

/** A thread without a port is not kept alive; an open in progress finds its connection closed. */
async function end(): Promise<void> {
  clearTimeout(keeping ?? undefined);
  connected?.close();
  await keep();
  port?.close();
}

/** Schedules a save of indexes for later searches; saving takes a tenth of the time of building. */
function keepLater(): void {
  if (keeping !== null || cache === null || cache.unkept().next().done === true) return;
  keeping = setTimeout(() => {
    keep().catch(endThread);
  }, start.keepAfterMs).unref();
}

async function keep(): Promise<void> {
  keeping = null;
  if (cache !== null) await keepIndexes(cache, start);
}

async function answerTo({ number, call }: CallMessage): Promise<AnswerMessage> {
  const begun = performance.now();
  const ms = () => performance.now() - begun;
  try {
    opened ??= open();
    const { connection, cache: indexes } = await opened;
    const answer = await connection.read(() => answerCall(connection, indexes, call));
    return { number, answer, ms: ms() };
  } catch (error) {
    return { number, failure: failureOf(error), ms: ms() };
  }
}

async function open(): Promise<Opened> {
  const fileName = path.basename(start.file);
  try {
    connected = connectForSearch(start);
    requireSafeSqlite(String(connected.first('SELECT sqlite_version() AS v')?.['v']));
    connected.script('PRAGMA trusted_schema = OFF');
    // Refuses tables of another version, like the main thread.
    await migrate(connected, () => 0);
    cache = new IndexCache(connected, start.indexBytesMax, start.keptEntriesMin);
    return { connection: connected, cache };
  } catch (error) {
    connected?.close();
    opened = null;
    throw storeFailure(error, fileName);
  }
}

// The connection of a search thread: read-only, with the function for filters.

/**
 * Opens the connection. Once `closing` is raised, every query fails with CANCELLED before its next
 * row.
 * @throws SQLite's error for a file that cannot be opened
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
  // A query that sorts filters all rows before it yields the first.
  database.function(MATCHES, { deterministic: true }, matcher(beforeRow));
  return new Connection(database, { fileName: path.basename(file), busyTimeoutMs, beforeRow });
}

// Saves indexes in the file, between searches.

/** How long a save waits for other writers before it is skipped: an ending thread has 5 s. */
const SAVE_MS_MAX = 1_000;

/**
 * Saves the indexes of a cache that are worth it, through its own short-lived connection, since
 * search threads only read. If a save fails, because the file is full or others keep writing, the
 * next process builds the index again, and the save is retried after as many changes.
 */
export async function keepIndexes(cache: IndexCache, to: KeptIn): Promise<void> {
  const unkept = [...cache.unkept()];
  if (unkept.length === 0) return;
  let connection: Connection | null = null;
  try {
    connection = connectToKeep(to);
    for (const each of unkept) {
      await writeKept(connection, each.scope, { ...each, packed: each.index.pack() });
    }
  } catch (error) {
    if (!(storeFailure(error, '') instanceof VarveError)) throw error;
  } finally {
    connection?.close();
    for (const each of unkept) cache.noteKept(each);
  }
}

/** The file that indexes are saved in. */
type KeptIn = Pick<WorkerStart, 'file' | 'busyTimeoutMs' | 'fileBytesMax'>;

function connectToKeep({ file, busyTimeoutMs, fileBytesMax }: KeptIn): Connection {
  const fileName = path.basename(file);
  const database = new DatabaseSync(file);
  const saveMsMax = Math.min(busyTimeoutMs, SAVE_MS_MAX);
  const connection = new Connection(database, { fileName, busyTimeoutMs: saveMsMax });
  // An index lost in a power failure is built again; writers of memories checkpoint the log.
  connection.script(`
    PRAGMA synchronous = NORMAL;
    PRAGMA wal_autocheckpoint = 0;
    PRAGMA trusted_schema = OFF;
    PRAGMA secure_delete = ON;
  `);
  if (fileBytesMax === undefined) return connection;
  const pageBytes = Number(connection.first('PRAGMA page_size')?.['page_size']);
  connection.script(`PRAGMA max_page_count = ${String(Math.floor(fileBytesMax / pageBytes))}`);
  return connection;
}
