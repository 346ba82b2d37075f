/** The metrics port over prom-client. */
import { Registry } from 'prom-client';
import { METRICS } from '#core/metrics/metric-definitions.ts';
import type { Metrics, MetricsPage } from '#core/ports/metrics.ts';
import { instrumentsOf, pageOf } from './metrics-page.ts';
import { LAYERS } from '#core/layer.ts';
import type { Log } from '#core/ports/platform.ts';
import type { StorageSize } from '#core/ports/store.ts';

// Gauges that are read from the store at a scrape, but not at every scrape.

/** Maximum age of the values at a scrape, in milliseconds. */
const AGE_MS_MAX = 15_000;
/** Maximum rows of sizes, seven per tenant; further tenants are not in the sum. */
const SIZE_ROWS_MAX = 100_000;

interface StoreGaugesOptions {
  /** Sums by tenant and layer, as the store keeps them. */
  readonly storageSizes: (limit: number) => Promise<readonly StorageSize[]>;
  /** How long the longest-waiting summary has been stale, in milliseconds. */
  readonly oldestStaleAge: () => Promise<number>;
  /** How long the longest current outage of a model has lasted, in milliseconds. */
  readonly modelOutageAge: () => Promise<number>;
  /** Milliseconds that never go back. */
  readonly timer: () => number;
  readonly log: Log;
}

/** Reads the gauges at a scrape; concurrent scrapes share one read. */
function storeGauges(
  { storageSizes, oldestStaleAge, modelOutageAge, timer, log }: StoreGaugesOptions,
  metrics: Metrics,
): () => Promise<void> {
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;
  const read = async (): Promise<void> => {
    try {
      const sizes = await storageSizes(SIZE_ROWS_MAX);
      for (const layer of LAYERS) {
        const own = sizes.filter((size) => size.layer === layer);
        const sum = own.reduce((all, { bytes }) => all + bytes, 0);
        metrics.set('memory_storage_size', { layer }, sum);
      }
      metrics.set('memory_summary_oldest_stale_age_ms', {}, await oldestStaleAge());
      metrics.set('memory_outage_model_ms', {}, await modelOutageAge());
      readAt = timer();
    } catch (error) {
      // The other metrics matter most when the store is down; these keep their last values.
      log.warn({ error }, 'the store could not be read for a scrape');
    } finally {
      reading = null;
    }
  };
  return async () => {
    if (timer() - readAt < AGE_MS_MAX) return;
    await (reading ??= read());
  };
}

export interface PrometheusMetrics {
  readonly metrics: Metrics;
  readonly page: MetricsPage;
}

export function createPrometheusMetrics(options: StoreGaugesOptions): PrometheusMetrics {
  const registry = new Registry();
  const metrics = instrumentsOf(registry, METRICS);
  return { metrics, page: pageOf(registry, storeGauges(options, metrics)) };
}
