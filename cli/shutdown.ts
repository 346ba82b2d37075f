/** When a running command should end: Ctrl-C, SIGTERM, a closed terminal, a gone parent. */

import { isStartedByPackageManager } from './config.ts';

const EXIT_INTERRUPTED = 130;

/** Interval between looks whether npm still runs. */
const PARENT_LOOK_MS = 1_000;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Error codes of an output without a reader; the second comes from a socket with unread data. */
export const HUNG_UP: ReadonlySet<unknown> = new Set(['EPIPE', 'ECONNRESET']);

/**
 * Aborts once, with the reason; a second Ctrl-C ends the process at once. Signals that are not
 * `heeded` are ignored: a child gets them too, but its parent will end it in order.
 */
export function shutdownSignal(heeded: readonly (typeof SIGNALS)[number][] = SIGNALS): AbortSignal {
  const controller = new AbortController();
  const ask = (reason: string): void => {
    if (controller.signal.aborted && reason === 'SIGINT') process.exit(EXIT_INTERRUPTED);
    controller.abort(reason);
  };
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (heeded.includes(signal)) ask(signal);
    });
  }
  onParentGone(() => {
    ask('parent gone');
  });
  return controller.signal;
}

/**
 * Ends the process this long after the signal, in order or not: a connection to a server that is
 * gone may never close, and everything pending is in the store.
 */
export function endWithin(signal: AbortSignal, milliseconds: number): void {
  signal.addEventListener(
    'abort',
    () => {
      setTimeout(() => process.exit(EXIT_INTERRUPTED), milliseconds).unref();
    },
    { once: true },
  );
}

/**
 * The channel closes when the parent ends, even if it was killed without a message. npm has no
 * channel and does not pass on every signal: `npx varve start & kill $!` ends npm alone.
 */
function onParentGone(run: () => void): void {
  process.on('disconnect', run);
  process.channel?.unref();
  if (!isStartedByPackageManager()) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    run();
  }, PARENT_LOOK_MS);
  timer.unref();
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const options = { once: true };
    signal.addEventListener(
      'abort',
      () => {
        resolve();
      },
      options,
    );
  });
}
