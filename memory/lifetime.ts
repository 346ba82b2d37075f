/** The life of a provider: calls under way are counted, so that its end can wait for them. */
import { cancelled } from './retry.ts';

export interface Lifetime {
  /** Aborted when the end has waited long enough. */
  readonly signal: AbortSignal;
  /** @throws VarveError CANCELLED once the end has begun */
  track<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Background work, such as a backfill: aborted at the end before anything else. It
   * reports its own failures.
   */
  runBeside(work: (signal: AbortSignal) => Promise<void>): void;
  /** Refuses new calls, waits for those under way, then aborts what is left and waits for it. */
  end(patience: Promise<void>): Promise<void>;
}

export function createLifetime(): Lifetime {
  const whole = new AbortController();
  const beside = new AbortController();
  const calls = new Set<Promise<unknown>>();
  const background = new Set<Promise<unknown>>();
  let isEnding = false;

  return {
    signal: whole.signal,
    async track(work) {
      if (isEnding) throw cancelled();
      return noted(calls, work());
    },
    runBeside(work) {
      if (!isEnding) void noted(background, work(beside.signal));
    },
    async end(patience) {
      isEnding = true;
      beside.abort();
      await Promise.race([Promise.allSettled(calls), patience]);
      whole.abort();
      await Promise.race([Promise.allSettled([...calls, ...background]), patience]);
    },
  };
}

function noted<T>(running: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
  const kept = work.finally(() => running.delete(kept));
  running.add(kept);
  return kept;
}
