/** Gauges of the operator that are only true at the moment when somebody reads them. */
import type { OperatorMetrics } from '#core/ports/operator-metrics.ts';
import type { UnsyncedAge } from './pending-changes.ts';
import type { WatchHealth } from './health.ts';
import type { RunningKey } from '../queue/workqueue.ts';

export interface GaugeSources {
  readonly queues: readonly { readonly name: string; running(): readonly RunningKey[] }[];
  readonly watches: () => readonly WatchHealth[];
  readonly unsynced: () => readonly UnsyncedAge[];
}

/** To be called before each page of metrics. */
export function setOperatorGauges(
  metrics: OperatorMetrics,
  { queues, watches, unsynced }: GaugeSources,
): void {
  for (const queue of queues) {
    const { name } = queue;
    const running = queue.running().map(({ forMs }) => forMs / 1_000);
    const sum = running.reduce((total, seconds) => total + seconds, 0);
    metrics.set('workqueue_unfinished_work_seconds', { name }, sum);
    metrics.set('workqueue_longest_running_processor_seconds', { name }, Math.max(0, ...running));
  }
  // With chosen namespaces a kind has several watches; the worst of them stands for the kind.
  for (const [kind, all] of Map.groupBy(watches(), (watch) => watch.kind)) {
    metrics.set('cache_synced', { kind }, all.every(({ hasSynced }) => hasSynced) ? 1 : 0);
    const silent = all.flatMap(({ silentForMs }) => silentForMs ?? []);
    if (silent.length === 0) continue;
    metrics.set('watch_last_event_age_seconds', { kind }, Math.max(...silent) / 1_000);
  }
  for (const { kind, forMs } of unsynced()) {
    metrics.set('oldest_unsynced_generation_seconds', { kind }, forMs / 1_000);
  }
}
