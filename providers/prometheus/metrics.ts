/** The metrics port over prom-client: every row of the table of metrics, and nothing else. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { METRICS, type MetricName } from '#core/metrics.ts';
import type { Metrics, MetricsPage } from '#core/ports/metrics.ts';
import { startSeries } from './first-series.ts';
import { storeGauges, type StoreGaugesOptions } from './store-gauges.ts';
import { pageWith, snapshotOf } from './snapshots.ts';

export interface PrometheusMetrics {
  readonly metrics: Metrics;
  readonly page: MetricsPage;
}

export function createPrometheusMetrics(options: StoreGaugesOptions): PrometheusMetrics {
  const registry = new Registry();
  const { counters, histograms, gauges } = instruments(registry);
  const metrics: Metrics = {
    count: (name, labels, by = 1) => counters.get(name)?.inc({ ...labels }, by),
    observe: (name, labels, value) => histograms.get(name)?.observe({ ...labels }, value),
    set: (name, labels, value) => gauges.get(name)?.set({ ...labels }, value),
  };
  const collect = storeGauges(options, metrics);
  return {
    metrics,
    page: {
      contentType: registry.contentType,
      async render(others = []) {
        await collect();
        return others.length === 0 ? registry.metrics() : pageWith(registry, others);
      },
      snapshot: (process) => snapshotOf(registry, process),
    },
  };
}

interface Instruments {
  readonly counters: ReadonlyMap<MetricName, Counter>;
  readonly histograms: ReadonlyMap<MetricName, Histogram>;
  readonly gauges: ReadonlyMap<MetricName, Gauge>;
}

function instruments(registry: Registry): Instruments {
  const counters = new Map<MetricName, Counter>();
  const histograms = new Map<MetricName, Histogram>();
  const gauges = new Map<MetricName, Gauge>();
  for (const name of Object.keys(METRICS) as MetricName[]) {
    const spec = METRICS[name];
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
