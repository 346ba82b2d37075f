/**
 * Limits how long a question waits for its vector: a slow endpoint must not delay a search that
 * words can answer. The request to it continues, and serves the same question when it is asked
 * again. Owner: one provider.
 */
import { VarveError } from '#core/errors.ts';
import type { Embedder } from '#core/ports/embedder.ts';
import type { Lifetime } from './provider-lifetime.ts';
import type { ProviderPorts } from './provider-ports.ts';

/** Maximum running requests to one embedder that nobody waits for; above it, no more are sent. */
const ABANDONED_MAX = 32;

export interface QueryWaits {
  /**
   * Settles as the work does, but within the time that searches wait for the embedder.
   * @param work asks the embedder that it is given
   * @throws VarveError TIMEOUT after that time, or at once if too many abandoned requests are
   * running; RATE_LIMITED instead while the embedder refuses calls
   */
  within<T>(embedder: Embedder, work: (asked: Embedder) => Promise<T>): Promise<T>;
}

export function createQueryWaits(
  { timers, platform }: Pick<ProviderPorts, 'timers' | 'platform'>,
  lifetime: Pick<Lifetime, 'runBeside'>,
): QueryWaits {
  /** By generation; there are as many as configured embedders. */
  const abandoned = new Map<string, number>();
  const add = (generation: string, by: number): void => {
    abandoned.set(generation, (abandoned.get(generation) ?? 0) + by);
  };
  const limits = createRateLimits(platform.clock);
  return {
    async within(embedder, work) {
      const { generation, searchWaitMs } = embedder;
      if (searchWaitMs === undefined) return work(embedder);
      const late = tooSlow(searchWaitMs);
      const refusedOrLate = (): VarveError => limits.refusal(generation) ?? late;
      if ((abandoned.get(generation) ?? 0) >= ABANDONED_MAX) throw refusedOrLate();
      const waiting = new AbortController();
      const asked = work(limits.watched(embedder));
      const patience = timers.wait(searchWaitMs, waiting.signal).then(() => Promise.reject(late));
      // If the work ends first, the abort below rejects this promise, which nobody awaits then.
      patience.catch(() => undefined);
      try {
        return await Promise.race([asked, patience]);
      } catch (error) {
        if (error !== late) throw error;
        add(generation, 1);
        const ended = asked.then(
          () => undefined,
          () => undefined,
        );
        lifetime.runBeside(() => ended.finally(() => add(generation, -1)));
        throw refusedOrLate();
      } finally {
        waiting.abort();
      }
    },
  };
}

function tooSlow(searchWaitMs: number): VarveError {
  return new VarveError('TIMEOUT', 'The embedder did not answer in the time of a search.', {
    details: { searchWaitMs },
  });
}

interface RateLimits {
  /** Returns the same embedder, but remembers its rate-limit refusals. */
  watched(embedder: Embedder): Embedder;
  /** Null if the last call was not refused, or if the pause is over. */
  refusal(generation: string): VarveError | null;
}

/** Remembers the latest refusals: an embedder that asks for a pause is not called slow. */
function createRateLimits(clock: () => number): RateLimits {
  /** By generation: when the pause ends; null if the embedder did not say. */
  const limited = new Map<string, number | null>();
  return {
    watched: (embedder) => ({
      ...embedder,
      async embed(texts, call) {
        try {
          const vectors = await embedder.embed(texts, call);
          limited.delete(embedder.generation);
          return vectors;
        } catch (error) {
          if (error instanceof VarveError && error.code === 'RATE_LIMITED') {
            const { retryAfterMs } = error.details;
            const until = typeof retryAfterMs === 'number' ? clock() + retryAfterMs : null;
            limited.set(embedder.generation, until);
          }
          throw error;
        }
      },
    }),
    refusal(generation) {
      const until = limited.get(generation);
      if (until === undefined) return null;
      const retryAfterMs = until === null ? null : until - clock();
      if (retryAfterMs !== null && retryAfterMs <= 0) return null;
      const details = retryAfterMs === null ? {} : { retryAfterMs };
      const message = 'The embedder is rate limited. Try again later.';
      return new VarveError('RATE_LIMITED', message, { details });
    },
  };
}
