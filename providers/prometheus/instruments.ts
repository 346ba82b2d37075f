/** A table of metrics over prom-client: every row of it, and nothing else. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { MetricTable, MetricsOf } from '#core/metrics/metric-spec.ts';
import type { MetricsPage } from '#core/ports/metrics.ts';
import { startSeries } from './first-series.ts';
import { pageWith, snapshotOf } from './snapshots.ts';

/** Registers each row of the table, and answers the port that counts in them. */
export function instrumentsOf<Table extends MetricTable>(
  registry: Registry,
  table: Table,
): MetricsOf<Table> {
  const counters = new Map<keyof Table, Counter>();
  const histograms = new Map<keyof Table, Histogram>();
  const gauges = new Map<keyof Table, Gauge>();
  for (const [name, spec] of Object.entries(table)) {
    const shared = { name, help: spec.help, labelNames: [...spec.labels], registers: [registry] };
    if (spec.kind === 'counter') {
      const counter = new Counter(shared);
      startSeries(counter, spec.values ?? {});
      counters.set(name, counter);
    } else if (spec.kind === 'gauge') gauges.set(name, new Gauge(shared));
    else histograms.set(name, new Histogram({ ...shared, buckets: [...(spec.buckets ?? [])] }));
  }
  return {
    count: (name, labels, by = 1) => counters.get(name)?.inc({ ...labels }, by),
    observe: (name, labels, value) => histograms.get(name)?.observe({ ...labels }, value),
    set: (name, labels, value) => gauges.get(name)?.set({ ...labels }, value),
  };
}

/** @param collect called before each page: sets what is only true at the moment */
export function pageOf(registry: Registry, collect: () => Promise<void> | void): MetricsPage {
  return {
    contentType: registry.contentType,
    async render(others = []) {
      await collect();
      return others.length === 0 ? registry.metrics() : pageWith(registry, others);
    },
    snapshot: (process) => snapshotOf(registry, process),
  };
}
