/** What a workqueue reports of itself: metrics by the known names, and lines in the log. */
import type { VarveError } from '#core/errors.ts';
import type { OperatorMetrics } from '#core/ports/operator-metrics.ts';
import type { Log } from '#core/ports/platform.ts';
import type { ReconcileResult } from './reconcile-result.ts';
import { resourceFields } from './resource-fields.ts';

export interface WorkqueueMetrics {
  added(outcome: 'Added' | 'Known' | 'Full'): void;
  depth(keys: number): void;
  workers(active: number): void;
  taken(waitedMs: number, active: number): void;
  worked(forMs: number): void;
  appliedPolicies(key: string, result: ReconcileResult): void;
  timedOut(key: string): void;
  panicked(key: string, error: VarveError): void;
}

interface MetricsOptions {
  readonly name: string;
  readonly workers: number;
  readonly log: Log;
  readonly metrics: OperatorMetrics;
}

/** The last word of the known metric's label. */
const RESULTS = {
  Done: 'success',
  RequeueAfter: 'requeue_after',
  Retry: 'error',
} as const satisfies Readonly<Record<ReconcileResult['kind'], string>>;

/** Whatever is wrong with the metrics, nothing of it is thrown. */
export function createWorkqueueMetrics(given: MetricsOptions): WorkqueueMetrics {
  const options = { ...given, metrics: containedMetrics(given.metrics, given.log) };
  const { name, metrics } = options;
  const [queue, controller] = [{ name }, { controller: name }];
  return {
    added(outcome) {
      if (outcome === 'Added') metrics.count('workqueue_adds_total', queue);
      if (outcome === 'Full') metrics.count('workqueue_refusals_total', queue);
    },
    depth: (keys) => metrics.set('workqueue_depth', queue, keys),
    workers(active) {
      metrics.set('controller_runtime_max_concurrent_reconciles', controller, options.workers);
      metrics.set('controller_runtime_active_workers', controller, active);
    },
    taken(waitedMs, active) {
      metrics.observe('workqueue_queue_duration_seconds', queue, Math.max(0, waitedMs) / 1_000);
      metrics.set('controller_runtime_active_workers', controller, active);
    },
    worked(forMs) {
      metrics.observe('workqueue_work_duration_seconds', queue, forMs / 1_000);
      metrics.observe('controller_runtime_reconcile_time_seconds', controller, forMs / 1_000);
    },
    appliedPolicies: (key, result) => tellResult(key, result, options),
    timedOut(key) {
      metrics.count('controller_runtime_reconcile_timeouts_total', controller);
      options.log.warn({ controller: name, ...resourceFields(key) }, 'reconcile timed out');
    },
    panicked(key, error) {
      metrics.count('controller_runtime_reconcile_panics_total', controller);
      options.log.error(
        { controller: name, ...resourceFields(key), error },
        'reconcile failed; will retry',
      );
    },
  };
}

function tellResult(key: string, result: ReconcileResult, options: MetricsOptions): void {
  const { name, log, metrics } = options;
  const controller = { controller: name };
  metrics.count('controller_runtime_reconcile_total', {
    ...controller,
    result: RESULTS[result.kind],
  });
  if (result.kind !== 'Retry') return;
  const { code, message } = result.error;
  metrics.count('controller_runtime_reconcile_errors_total', controller);
  metrics.count('workqueue_retries_total', { name });
  // Somebody else wrote first: what every writer meets now and then.
  const level = code === 'CONFLICT' ? 'debug' : 'warn';
  log[level]({ controller: name, ...resourceFields(key), code }, `tried again. ${message}`);
}

// Metrics that cannot hold up the queue: their failure is logged and goes no further.

/** The same metrics, none of which throws. */
function containedMetrics(metrics: OperatorMetrics, log: Log): OperatorMetrics {
  const contained = (metric: string, tell: () => void): void => {
    try {
      tell();
    } catch (error) {
      log.error({ metric, error }, 'failed to record metric');
    }
  };
  return {
    count: (name, labels, by) => contained(name, () => metrics.count(name, labels, by)),
    observe: (name, labels, value) => contained(name, () => metrics.observe(name, labels, value)),
    set: (name, labels, value) => contained(name, () => metrics.set(name, labels, value)),
  };
}
