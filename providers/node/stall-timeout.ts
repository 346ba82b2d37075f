/** A timeout that starts again with every byte: it ends a download that stalls, not a slow one. */

export interface StallTimeout {
  readonly signal: AbortSignal;
  /** Starts the timeout again, because something arrived. */
  restart(): void;
  end(): void;
}

/** Returns a signal that aborts with the caller's, or after too long without progress. */
export function createStallTimeout(
  outer: AbortSignal | undefined,
  { connectMs, stallMs }: { readonly connectMs: number; readonly stallMs: number },
): StallTimeout {
  const controller = new AbortController();
  const arm = (ms: number): NodeJS.Timeout =>
    setTimeout(() => {
      controller.abort(new Error(`no answer within ${String(ms / 1_000)} s`));
    }, ms);
  let timer = arm(connectMs);
  return {
    signal: outer === undefined ? controller.signal : AbortSignal.any([controller.signal, outer]),
    restart() {
      clearTimeout(timer);
      timer = arm(stallMs);
    },
    end() {
      clearTimeout(timer);
    },
  };
}
