/** Instruments of prom-client for a table of metrics: all of its rows, and nothing else. */
import { isRecord } from '#core/is-record.ts';
import { Counter, Gauge, Histogram, type Registry, AggregatorRegistry } from 'prom-client';
import type { MetricTable, MetricsOf } from '#core/metrics/metric-types.ts';
import type { MetricsPage, MetricsSnapshot } from '#core/ports/metrics.ts';

/** Registers each row of the table, and returns the port that records them. */
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

/**
 * Returns the page of a registry.
 * @param collect called before each page, to set values that are only true at the moment
 */
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

// Creates the series of a counter before anything is counted.

/**
 * Adds 0 to every combination of the values of the labels.
 * @param values by label; empty where the row of the counter lists none
 */
function startSeries(counter: Counter, values: Readonly<Record<string, readonly string[]>>): void {
  if (Object.keys(values).length === 0) return;
  for (const labels of combinations(Object.entries(values))) counter.inc(labels, 0);
}

function combinations(
  labels: readonly (readonly [string, readonly string[]])[],
): readonly Record<string, string>[] {
  const [first, ...rest] = labels;
  if (first === undefined) return [{}];
  const [name, values] = first;
  const others = combinations(rest);
  return values.flatMap((value) => others.map((other) => ({ [name]: value, ...other })));
}

// Shows the counters of other processes on the page of this one. Each process has its own series,
// with a label `process`: a sum over processes would fall when one restarts, and a scraper would
// take that for a counter reset.

/** A metric as prom-client reports it; other fields of it and its values are kept. */
interface Metric {
  readonly name: string;
  readonly values: readonly { readonly labels: object }[];
}

async function snapshotOf(registry: Registry, process: string): Promise<MetricsSnapshot> {
  const metrics = await registry.getMetricsAsJSON();
  return { process, metrics: metrics.filter(({ type }) => String(type) !== 'gauge') };
}

/** Renders the page. An unreadable metric of another process is left out. */
async function pageWith(registry: Registry, others: readonly MetricsSnapshot[]): Promise<string> {
  const own: object[] = await registry.getMetricsAsJSON();
  const theirs = others.map(({ process, metrics }) =>
    metrics.flatMap((metric) => {
      if (!isMetric(metric)) return [];
      const values = metric.values.map((value) => ({
        ...value,
        labels: { ...value.labels, process },
      }));
      return [{ ...metric, values }];
    }),
  );
  return AggregatorRegistry.aggregate([own, ...theirs]).metrics();
}

function isMetric(metric: unknown): metric is Metric {
  return (
    isRecord(metric) &&
    typeof metric['name'] === 'string' &&
    metric['aggregator'] === 'sum' &&
    Array.isArray(metric['values']) &&
    metric['values'].every((value) => isRecord(value) && isRecord(value['labels']))
  );
}
