/**
 * Hints that a folder changed. Hints may be lost, doubled or late: whoever waits looks at the
 * folder anyway when the wait is over, so nothing depends on them but speed.
 */
import { watch, type FSWatcher } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** One save of an editor is several events; they are one change. */
const DEBOUNCE_MS = 200;
/** A folder that is not there can't be watched, so it is looked for. */
const ABSENT_POLL_MS = 2_000;

export interface FolderEvents extends Disposable {
  /** Begins to watch, or watches the folder that now has the name. Call before reading it. */
  open(): Promise<void>;
  /** Resolves a moment after the next change, after `timeoutMs`, or when `signal` fires. */
  next(timeoutMs: number, signal: AbortSignal): Promise<void>;
}

export function folderEvents(dir: string): FolderEvents {
  let watcher: FSWatcher | null = null;
  let inode: bigint | null = null;
  let isChanged = false;
  let wake: () => void = () => undefined;

  const close = (): void => {
    watcher?.close();
    watcher = null;
    inode = null;
  };
  const change = (): void => {
    isChanged = true;
    wake();
  };
  return {
    async open() {
      const current = await inodeOf(dir);
      if (watcher !== null && inode === current) return;
      close();
      if (current === null) return;
      watcher = watchOrPoll(dir, change);
      // A watcher that failed is opened again by the next round.
      watcher?.on('error', close);
      inode = current;
    },
    async next(timeoutMs, signal) {
      const limitMs = watcher === null ? Math.min(timeoutMs, ABSENT_POLL_MS) : timeoutMs;
      const timers = new AbortController();
      wake = () => timers.abort();
      signal.addEventListener('abort', wake, { once: true });
      if (!isChanged && !signal.aborted) await pause(limitMs, timers.signal);
      signal.removeEventListener('abort', wake);
      wake = () => undefined;
      if (isChanged) await pause(DEBOUNCE_MS, signal);
      // Forgotten before the folder is read, so that a change during the reading is seen after it.
      isChanged = false;
    },
    [Symbol.dispose]: close,
  };
}

/** Null where the system has no watches left; the folder is then looked at from time to time. */
function watchOrPoll(dir: string, change: () => void): FSWatcher | null {
  try {
    return watch(dir, { persistent: false }, change);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

/** A folder that was removed and made again is another one, whatever its name. */
async function inodeOf(dir: string): Promise<bigint | null> {
  try {
    return (await stat(dir, { bigint: true })).ino;
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

/** Sleeps; being woken is not a failure. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
