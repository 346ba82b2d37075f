/** Metrics that can't hold up who counts: a mistake of theirs is logged, and is nobody else's. */
import type { OperatorMetrics } from '#core/ports/operator-metrics.ts';
import type { Log } from '#core/ports/platform.ts';

/** The same metrics, none of which throws. */
export function containedMetrics(metrics: OperatorMetrics, log: Log): OperatorMetrics {
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
