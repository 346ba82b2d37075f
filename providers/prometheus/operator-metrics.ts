/** The operator's metrics port over prom-client: every row of its table, and nothing else. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { OPERATOR_METRICS, type OperatorMetricName } from '#core/operator-metrics.ts';
import type { MetricsPage } from '#core/ports/metrics.ts';
import type { OperatorMetrics } from '#core/ports/operator-metrics.ts';
import { startSeries } from './first-series.ts';
import { pageWith, snapshotOf } from './snapshots.ts';

export interface PrometheusOperatorMetrics {
  readonly metrics: OperatorMetrics;
  readonly page: MetricsPage;
}

/** @param collect called before each page: sets what is only true at the moment */
export function createPrometheusOperatorMetrics(
  collect: (metrics: OperatorMetrics) => void,
): PrometheusOperatorMetrics {
  const registry = new Registry();
  const { counters, histograms, gauges } = instruments(registry);
  const metrics: OperatorMetrics = {
    count: (name, labels, by = 1) => counters.get(name)?.inc({ ...labels }, by),
    observe: (name, labels, value) => histograms.get(name)?.observe({ ...labels }, value),
    set: (name, labels, value) => gauges.get(name)?.set({ ...labels }, value),
  };
  return {
    metrics,
    page: {
      contentType: registry.contentType,
      render(others = []) {
        collect(metrics);
        return others.length === 0 ? registry.metrics() : pageWith(registry, others);
      },
      snapshot: (process) => snapshotOf(registry, process),
    },
  };
}

interface Instruments {
  readonly counters: ReadonlyMap<OperatorMetricName, Counter>;
  readonly histograms: ReadonlyMap<OperatorMetricName, Histogram>;
  readonly gauges: ReadonlyMap<OperatorMetricName, Gauge>;
}

function instruments(registry: Registry): Instruments {
  const counters = new Map<OperatorMetricName, Counter>();
  const histograms = new Map<OperatorMetricName, Histogram>();
  const gauges = new Map<OperatorMetricName, Gauge>();
  for (const name of Object.keys(OPERATOR_METRICS) as OperatorMetricName[]) {
    const spec = OPERATOR_METRICS[name];
    const shared = { name, help: spec.help, labelNames: [...spec.labels], registers: [registry] };
    if (spec.kind === 'counter') {
      const counter = new Counter(shared);
      startSeries(counter, 'values' in spec ? spec.values : {});
      counters.set(name, counter);
    } else if (spec.kind === 'gauge') gauges.set(name, new Gauge(shared));
    else histograms.set(name, new Histogram({ ...shared, buckets: [...spec.buckets] }));
  }
  return { counters, histograms, gauges };
}
