/** The probes of a worker: does it poll, do the store and Temporal answer. */
import { startProbeServer } from '#api/probes.ts';
import type { Store } from '#core/ports/store.ts';
import type { TemporalClient } from '#providers/temporal/client.ts';
import type { RunningWorker } from '#providers/temporal/worker.ts';
import { startHealthRounds, type Timers } from './health-rounds.ts';
import { storePart } from './store-part.ts';

export interface WorkerProbesOptions {
  readonly host: string;
  /** 0 for a free port. */
  readonly port: number;
  readonly store: Pick<Store, 'policies'>;
  readonly client: Pick<TemporalClient, 'client'>;
  readonly worker: Pick<RunningWorker, 'isPolling'>;
  readonly timers: Timers;
}

/** @throws VarveError INVALID_INPUT where the port is taken */
export async function startWorkerProbes(
  options: WorkerProbesOptions,
): Promise<AsyncDisposable & { readonly url: string }> {
  const { host, port, store, client, worker, timers } = options;
  await using held = new AsyncDisposableStack();
  const { workflowService } = client.client.connection;
  const rounds = held.use(
    await startHealthRounds({
      timers,
      isAlive: () => worker.isPolling(),
      parts: [
        storePart(store),
        { part: 'Temporal', need: 'Always', ask: () => workflowService.getSystemInfo({}) },
      ],
    }),
  );
  const server = held.use(await startProbeServer({ host, port, source: rounds }));
  const running = held.move();
  return { url: server.url, [Symbol.asyncDispose]: () => running.disposeAsync() };
}
