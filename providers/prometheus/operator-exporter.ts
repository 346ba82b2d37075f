/** The operator's metrics port over prom-client. */
import { Registry } from 'prom-client';
import { OPERATOR_METRICS } from '#core/metrics/operator-metric-definitions.ts';
import type { MetricsPage, OperatorMetrics } from '#core/ports/metrics.ts';
import { instrumentsOf, pageOf } from './metrics-page.ts';

/**
 * Creates the metrics.
 * @param collect called before each page, to set values that are only true at the moment
 */
export function createPrometheusOperatorMetrics(collect: (metrics: OperatorMetrics) => void): {
  metrics: OperatorMetrics;
  page: MetricsPage;
} {
  const registry = new Registry();
  const metrics = instrumentsOf(registry, OPERATOR_METRICS);
  return { metrics, page: pageOf(registry, () => collect(metrics)) };
}
