/**
 * The end of a thread: it receives the order to end, gives up its work, closes what it holds and
 * ends by itself.
 *
 * `terminate` stops a thread between any two instructions. Native code of Node is not prepared for
 * that everywhere and then takes the whole process along (issues 56312 and 38418 of nodejs/node),
 * so that it is the last resort.
 */
import type { Worker } from 'node:worker_threads';

import { raiseClosing, type ClosingFlag } from './closing-flag.ts';
import { CLOSE } from './worker-message.ts';

/**
 * What a thread can't give up is loading its program and one statement of SQLite: some tenths of a
 * second, and about four seconds where many threads start on busy cores. A worker that ends has
 * seven seconds for all that it closes (cli/stack/worker-grace.ts).
 */
export const END_PATIENCE_MS = 5_000;

const NOTHING_HANDED_OVER: readonly never[] = [];

export interface EndingThread {
  readonly worker: Worker;
  /** The one that the thread looks at. */
  readonly closing: ClosingFlag;
}

/** Resolves when the thread is gone; a thread that does not end in time is terminated. */
export async function endThread(
  { worker, closing }: EndingThread,
  patienceMs: number,
): Promise<'ByItself' | 'Terminated'> {
  let how: 'ByItself' | 'Terminated' = 'ByItself';
  const gone = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      resolve();
    });
  });
  // While it runs, the process does not end either.
  const patience = setTimeout(() => {
    how = 'Terminated';
    void worker.terminate();
  }, patienceMs);
  raiseClosing(closing);
  worker.postMessage(CLOSE, NOTHING_HANDED_OVER);
  await gone;
  clearTimeout(patience);
  return how;
}
