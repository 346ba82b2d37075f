/** The metrics port over prom-client. */
import { Registry } from 'prom-client';
import { METRICS } from '#core/metrics/metrics.ts';
import type { Metrics, MetricsPage } from '#core/ports/metrics.ts';
import { instrumentsOf, pageOf } from './instruments.ts';
import { storeGauges, type StoreGaugesOptions } from './store-gauges.ts';

export interface PrometheusMetrics {
  readonly metrics: Metrics;
  readonly page: MetricsPage;
}

export function createPrometheusMetrics(options: StoreGaugesOptions): PrometheusMetrics {
  const registry = new Registry();
  const metrics = instrumentsOf(registry, METRICS);
  return { metrics, page: pageOf(registry, storeGauges(options, metrics)) };
}
