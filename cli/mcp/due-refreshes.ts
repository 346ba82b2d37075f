/** Refreshes what is due while `varve mcp` runs by itself: nobody else would. */
import type { Varve } from '../open-varve.ts';
import type { Log } from '#core/ports/platform.ts';

/** How often it is looked whether a summary is due. */
const LOOK_MS = 15_000;

/**
 * One refresh at a time, of what the policy calls due; a failure is logged and tried again at the
 * next look. Ending waits for the refresh that is under way.
 */
export function keepRefreshing(
  { refresh }: Pick<Varve, 'refresh'>,
  { tenant, log }: { readonly tenant: string; readonly log: Log },
): AsyncDisposable {
  let underWay: Promise<void> | null = null;
  const look = async (): Promise<void> => {
    try {
      const { generated, failures } = await refresh({ tenant, kind: 'Due' });
      for (const { code, batches } of failures) log.warn({ code, batches }, 'refresh failed');
      if (generated > 0) log.info({ generated }, 'summaries made');
    } catch (error) {
      log.warn({ error }, 'refresh failed');
    }
  };
  const start = (): void => {
    underWay ??= look().finally(() => {
      underWay = null;
    });
  };
  start();
  const timer = setInterval(start, LOOK_MS);
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await underWay;
    },
  };
}
