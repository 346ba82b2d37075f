/**
 * A search worker: one thread with its own connection, which only reads, and its own indexes.
 *
 * The file is opened at the first call, and again at the next one where that failed, so that a
 * failure is an answer and never the end of the thread. A thread that is to end skips the waiting
 * calls, cancels the current one before its next row, and ends.
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

/** The parent hears of it, and starts another thread. */
function endThread(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

/** Where the thread is to end, nothing waits for an answer any more. */
async function answer(message: CallMessage): Promise<void> {
  if (isClosing(start.closing)) return;
  const answered = await answerTo(message);
  if (isClosing(start.closing)) return;
  port?.postMessage(answered);
  keepLater();
}

/** Nothing keeps a thread that has no port; an opening under way finds its connection closed. */
async function end(): Promise<void> {
  clearTimeout(keeping ?? undefined);
  connected?.close();
  await keep();
  port?.close();
}

/** Written once for many following searches: writing takes a tenth of the time of building. */
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
    // The tables are those of this version, or it refuses them as the main thread does.
    await migrate(connected, () => 0);
    cache = new IndexCache(connected, start.indexBytesMax, start.keptEntriesMin);
    return { connection: connected, cache };
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

// What of the indexes is kept in the file, between searches.

/** How long others may write before it is left for another time: a thread that ends has 5 s. */
const KEEP_PATIENCE_MS = 1_000;

/**
 * Keeps what of a cache is worth it, through a connection of its own that ends with it: the threads
 * of searches only read. What fails is built again by the next process, and tried again after as
 * many changes: the file may be full, or others write all the time.
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

/** The file that indexes are kept in. */
type KeptIn = Pick<WorkerStart, 'file' | 'busyTimeoutMs' | 'fileBytesMax'>;

function connectToKeep({ file, busyTimeoutMs, fileBytesMax }: KeptIn): Connection {
  const fileName = path.basename(file);
  const database = new DatabaseSync(file);
  const patienceMs = Math.min(busyTimeoutMs, KEEP_PATIENCE_MS);
  const connection = new Connection(database, { fileName, busyTimeoutMs: patienceMs });
  // What a power failure loses is built again; writers of memories compact the log.
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
