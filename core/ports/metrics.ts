/** The metrics ports. core/metrics has names, kinds and labels. */
import type { MetricsOf } from '../metrics/metric-types.ts';
import type { METRICS } from '../metrics/metric-definitions.ts';
import type { OPERATOR_METRICS } from '../metrics/operator-metric-definitions.ts';

export type Metrics = MetricsOf<typeof METRICS>;

export const NO_METRICS: Metrics = {
  count: () => undefined,
  observe: () => undefined,
  set: () => undefined,
};

/** What one process counted, in the adapter's own form, to send to another process. */
export interface MetricsSnapshot {
  /** The process; the value of the label `process` on all that it counted. */
  readonly process: string;
  readonly metrics: readonly unknown[];
}

/** All metrics as a scraper reads them. */
export interface MetricsPage {
  readonly contentType: string;
  /** Includes what other processes of the installation counted, as separate series. */
  render(others?: readonly MetricsSnapshot[]): Promise<string>;
  /**
   * Returns counters and histograms of this process. Gauges describe the store, so one process
   * reports them.
   */
  snapshot(process: string): Promise<MetricsSnapshot>;
}

export type OperatorMetrics = MetricsOf<typeof OPERATOR_METRICS>;

export const NO_OPERATOR_METRICS: OperatorMetrics = {
  count: () => undefined,
  observe: () => undefined,
  set: () => undefined,
};
