/**
 * The metrics of the worker on the page of the API: the stack asks its child over the channel that
 * it was forked with, so that one address serves both and the child needs no port of its own.
 */
import type { ChildProcess } from 'node:child_process';
import { z } from 'zod';
import type { MetricsPage, MetricsSnapshot } from '#core/ports/metrics.ts';

/** A worker that is busy or gone is left out of a scrape; scrapers wait for ten seconds. */
const ANSWER_TIMEOUT_MS = 2_000;

const Asked = z.object({ kind: z.literal('AskMetrics') });
const Told = z.object({
  kind: z.literal('Metrics'),
  snapshot: z.object({ process: z.string(), metrics: z.array(z.unknown()) }),
});

/** In the child: answers each question with what it counted so far. */
export function tellMetrics(page: MetricsPage): void {
  process.on('message', (message) => {
    if (!Asked.safeParse(message).success) return;
    void page.snapshot('worker').then((snapshot) => {
      // A parent that went away meanwhile needs no answer.
      if (process.connected) process.send?.({ kind: 'Metrics', snapshot });
    });
  });
  // Listening must not keep a worker alive that has ended.
  process.channel?.unref();
}

/** In the parent: empty where the child does not answer in time. */
export async function askMetrics(child: ChildProcess): Promise<readonly MetricsSnapshot[]> {
  if (!child.connected) return [];
  return new Promise((resolve) => {
    const finish = (snapshots: readonly MetricsSnapshot[]): void => {
      child.off('message', listen);
      child.off('disconnect', leave);
      clearTimeout(patience);
      resolve(snapshots);
    };
    const listen = (message: unknown): void => {
      const told = Told.safeParse(message);
      if (told.success) finish([told.data.snapshot]);
    };
    const leave = (): void => {
      finish([]);
    };
    const patience = setTimeout(leave, ANSWER_TIMEOUT_MS);
    child.on('message', listen);
    child.once('disconnect', leave);
    child.send({ kind: 'AskMetrics' }, (error) => {
      if (error !== null) leave();
    });
  });
}
