/**
 * Removes deleted data from a file: freed pages keep copies of their content until they are reused,
 * so only a rewritten file has none.
 */
import { once } from 'node:events';
import type { FileTraces } from '#core/records/erasure.ts';
import { startThread } from '#providers/node/start-thread.ts';
import type { Connection } from './connection.ts';
import { storeFailure } from './failure.ts';

const PROGRAM = new URL('./rewrite-thread-program.ts', import.meta.url);

/** Start options of the thread. */
export interface RewriteStart {
  readonly file: string;
  readonly busyTimeoutMs: number;
}

/**
 * Rewrites the file. Others can read meanwhile; their writes wait until it is done.
 * @throws VarveError TIMEOUT if others keep reading or writing, PROVIDER_ERROR on a full disk
 */
export async function rewriteFile(
  connection: Connection,
  start: RewriteStart,
): Promise<FileTraces> {
  await connection.idle();
  if (connection.isInMemory) {
    connection.script('VACUUM');
  } else {
    await inThread(connection, start);
    await connection.patiently(() => {
      connection.checkpoint('TRUNCATE');
    });
  }
  return { engine: 'sqlite', rewritten: true, remains: [] };
}

async function inThread({ fileName }: Connection, start: RewriteStart): Promise<void> {
  try {
    // An error of the thread is thrown here.
    await once(startThread(PROGRAM, { workerData: start }), 'exit');
  } catch (error) {
    throw storeFailure(error, fileName);
  }
}
