/** How long a download may stand still before it fails. */

export interface Patience {
  readonly signal: AbortSignal;
  /** Restarts the timeout: something arrived. */
  extend(): void;
  end(): void;
}

/** Returns a signal that fires with the caller's, or after too long without progress. */
export function createPatience(
  outer: AbortSignal | undefined,
  { connectMs, stallMs }: { readonly connectMs: number; readonly stallMs: number },
): Patience {
  const controller = new AbortController();
  const arm = (ms: number): NodeJS.Timeout =>
    setTimeout(() => {
      controller.abort(new Error(`no answer within ${String(ms / 1_000)} s`));
    }, ms);
  let timer = arm(connectMs);
  return {
    signal: outer === undefined ? controller.signal : AbortSignal.any([controller.signal, outer]),
    extend() {
      clearTimeout(timer);
      timer = arm(stallMs);
    },
    end() {
      clearTimeout(timer);
    },
  };
}
