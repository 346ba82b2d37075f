/** The metrics port; names, kinds and labels stand in core/metrics/metric-definitions.ts. */
import type { MetricsOf } from '../metrics/metric-types.ts';
import type { METRICS } from '../metrics/metric-definitions.ts';

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
