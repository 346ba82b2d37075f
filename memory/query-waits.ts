/**
 * How long a question waits for its vector. An endpoint that is slow must not hold up a search that
 * words can answer; what it was asked goes on, and serves the same question when it comes again.
 * Owner: one provider.
 */
import { VarveError } from '#core/errors.ts';
import type { Embedder } from '#core/ports/embedder.ts';
import type { Lifetime } from './lifetime.ts';
import type { EnginePorts } from './ports.ts';

/** Questions at one embedder that nobody waits for; beyond them it is not asked at all. */
const ABANDONED_MAX = 32;

export interface QueryWaits {
  /**
   * Settles as the work does, within the time that searches wait for the embedder.
   * @throws VarveError TIMEOUT after that time, or at once where too many wait for it already
   */
  within<T>(embedder: Embedder, work: () => Promise<T>): Promise<T>;
}

export function createQueryWaits(
  { timers }: Pick<EnginePorts, 'timers'>,
  lifetime: Pick<Lifetime, 'runBeside'>,
): QueryWaits {
  /** By generation; there are as many as embedders are configured. */
  const abandoned = new Map<string, number>();
  const add = (generation: string, by: number): void => {
    abandoned.set(generation, (abandoned.get(generation) ?? 0) + by);
  };
  return {
    async within({ generation, searchWaitMs }, work) {
      if (searchWaitMs === undefined) return work();
      const late = tooSlow(searchWaitMs);
      if ((abandoned.get(generation) ?? 0) >= ABANDONED_MAX) throw late;
      const waiting = new AbortController();
      const asked = work();
      const patience = timers.wait(searchWaitMs, waiting.signal).then(() => Promise.reject(late));
      // It ends by the signal once the work has ended first.
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
        throw error;
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
