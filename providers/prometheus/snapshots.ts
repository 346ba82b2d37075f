/**
 * What another process counted, on the page of this one. Each process keeps series of its own,
 * told apart by the label `process`: a sum over processes would fall when one of them is started
 * again, and a scraper would take that for a reset of all.
 */
import { AggregatorRegistry, type Registry } from 'prom-client';
import type { MetricsSnapshot } from '#core/ports/metrics.ts';

/** A metric as prom-client tells it; it and its values have more fields, which travel along. */
interface Metric {
  readonly name: string;
  readonly values: readonly { readonly labels: object }[];
}

export async function snapshotOf(registry: Registry, process: string): Promise<MetricsSnapshot> {
  const metrics = await registry.getMetricsAsJSON();
  return { process, metrics: metrics.filter(({ type }) => String(type) !== 'gauge') };
}

/** A metric of another process that can't be read is left out. */
export async function pageWith(
  registry: Registry,
  others: readonly MetricsSnapshot[],
): Promise<string> {
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

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
