/** The metrics ports; names, kinds and labels stand in core/metrics. */
import type { MetricsOf } from '../metrics/metric-types.ts';
import type { METRICS } from '../metrics/metric-definitions.ts';
import type { OPERATOR_METRICS } from '../metrics/operator-metric-definitions.ts';

export type Metrics = MetricsOf<typeof METRICS>;

export const NO_METRICS: Metrics = {
  count: () => undefined,
  observe: () => undefined,
  set: () => undefined,
};

/** What one process counted, in the adapter's own form, as it travels to another. */
export interface MetricsSnapshot {
  /** Which process it was; the value of the label `process` on all that it counted. */
  readonly process: string;
  readonly metrics: readonly unknown[];
}

/** All metrics as a scraper reads them. */
export interface MetricsPage {
  readonly contentType: string;
  /** With what other processes of the installation counted, as series of their own. */
  render(others?: readonly MetricsSnapshot[]): Promise<string>;
  /**
   * Counters and histograms of this process. Gauges describe the store: one process reports them.
   */
  snapshot(process: string): Promise<MetricsSnapshot>;
}

export type OperatorMetrics = MetricsOf<typeof OPERATOR_METRICS>;

export const NO_OPERATOR_METRICS: OperatorMetrics = {
  count: () => undefined,
  observe: () => undefined,
  set: () => undefined,
};
