/** How long a call may go on: until its caller or the client gives up, or its time is over. */
import { cancelledError, timeLimitError } from './failure.ts';

export interface CallSpan extends Disposable {
  /** Aborted when the span is over, for whatever reason, and when it is disposed of. */
  readonly signal: AbortSignal;
  /** Whether somebody gave the call up, and not the time limit. */
  isCancelled(): boolean;
  /**
   * Waits for what has to be done within so many milliseconds. What does not listen to the signal,
   * such as a plugin for credentials that hangs, is waited for no longer all the same.
   * @throws VarveError CANCELLED; PROVIDER_ERROR with the reason `Timeout`
   */
  within<T>(limitMs: number, work: Promise<T>): Promise<T>;
}

/**
 * Not `AbortSignal.any`: what listens to such a signal is kept for as long as the signals it is
 * made of, and those of a client live as long as the process.
 */
export function openCallSpan(outer: readonly AbortSignal[]): CallSpan {
  const own = new AbortController();
  const cancel = () => own.abort();
  for (const signal of outer) signal.addEventListener('abort', cancel, { once: true });
  const isCancelled = () => outer.some(({ aborted }) => aborted);
  if (isCancelled()) own.abort();
  return {
    signal: own.signal,
    isCancelled,
    async within(limitMs, work) {
      const timer = setTimeout(() => own.abort(), limitMs);
      try {
        return await Promise.race([work, abortOf(own.signal)]);
      } catch (error) {
        if (isCancelled()) throw cancelledError();
        throw own.signal.aborted ? timeLimitError(limitMs) : error;
      } finally {
        clearTimeout(timer);
      }
    },
    [Symbol.dispose]() {
      for (const signal of outer) signal.removeEventListener('abort', cancel);
      own.abort();
    },
  };
}

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(cancelledError());
    else signal.addEventListener('abort', () => reject(cancelledError()), { once: true });
  });
}
