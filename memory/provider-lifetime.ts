/** The life cycle of a provider: counts calls in progress so that shutdown can wait for them. */
import { cancelled } from './store-and-embedder-retries.ts';

export interface Lifetime {
  /** Aborted when shutdown has waited long enough. */
  readonly signal: AbortSignal;
  /** Counts a call. @throws VarveError CANCELLED once shutdown has begun */
  track<T>(work: () => Promise<T>): Promise<T>;
  /** Runs background work, which shutdown aborts first. It reports its own failures. */
  runBeside(work: (signal: AbortSignal) => Promise<void>): void;
  /** Counts work that a call began, and that may last longer than the call. */
  hold(work: Promise<unknown>): void;
  /** Refuses new calls, waits for those in progress, then aborts the rest and waits for them. */
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
      if (!isEnding) noted(background, work(beside.signal)).catch(() => undefined);
    },
    hold(work) {
      noted(calls, work).catch(() => undefined);
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
