/** The metrics port over prom-client: every row of the table of metrics, and nothing else. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { LAYERS } from '#core/layer.ts';
import { METRICS, type MetricName } from '#core/metrics.ts';
import type { Metrics, MetricsPage } from '#core/ports/metrics.ts';
import type { Log } from '#core/ports/platform.ts';
import type { StorageSize } from '#core/ports/store.ts';

/** How old the sizes may be that a scrape shows, in milliseconds. */
const SIZES_AGE_MS_MAX = 15_000;
/** Rows of sizes, seven for a tenant; more tenants than this are left out of the sum. */
const SIZE_ROWS_MAX = 100_000;

export interface PrometheusOptions {
  /** Sums by tenant and layer, as the store keeps them. */
  readonly storageSizes: (limit: number) => Promise<readonly StorageSize[]>;
  /** Milliseconds that never go back. */
  readonly timer: () => number;
  readonly log: Log;
}

export interface PrometheusMetrics {
  readonly metrics: Metrics;
  readonly page: MetricsPage;
}

export function createPrometheusMetrics(options: PrometheusOptions): PrometheusMetrics {
  const registry = new Registry();
  const { counters, histograms, gauges } = instruments(registry);
  const collectSizes = sizesInto(options, (layer, bytes) => {
    gauges.get('memory_storage_size')?.set({ layer }, bytes);
  });
  return {
    metrics: {
      count: (name, labels, by = 1) => counters.get(name)?.inc({ ...labels }, by),
      observe: (name, labels, value) => histograms.get(name)?.observe({ ...labels }, value),
      set: (name, labels, value) => gauges.get(name)?.set({ ...labels }, value),
    },
    page: {
      contentType: registry.contentType,
      async render() {
        await collectSizes();
        return registry.metrics();
      },
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
    if (spec.kind === 'counter') counters.set(name, new Counter(shared));
    else if (spec.kind === 'gauge') gauges.set(name, new Gauge(shared));
    else histograms.set(name, new Histogram({ ...shared, buckets: [...spec.buckets] }));
  }
  return { counters, histograms, gauges };
}

/** Reads the sizes at a scrape; scrapes at the same time share one reading. */
function sizesInto(
  { storageSizes, timer, log }: PrometheusOptions,
  show: (layer: string, bytes: number) => void,
): () => Promise<void> {
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;
  const read = async (): Promise<void> => {
    try {
      const sizes = await storageSizes(SIZE_ROWS_MAX);
      for (const layer of LAYERS) {
        const own = sizes.filter((size) => size.layer === layer);
        show(
          layer,
          own.reduce((sum, { bytes }) => sum + bytes, 0),
        );
      }
      readAt = timer();
    } catch (error) {
      // The other metrics matter most when the store is down; the sizes stay as they were.
      log.warn({ error }, 'storage sizes could not be read for a scrape');
    } finally {
      reading = null;
    }
  };
  return async () => {
    if (timer() - readAt < SIZES_AGE_MS_MAX) return;
    await (reading ??= read());
  };
}
