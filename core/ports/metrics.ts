/** The metrics port. Names, kinds and labels stand in one table (core/metrics.ts). */
import type { CounterName, GaugeName, HistogramName, LabelsOf } from '../metrics.ts';

export interface Metrics {
  count<N extends CounterName>(name: N, labels: LabelsOf<N>, by?: number): void;
  observe<N extends HistogramName>(name: N, labels: LabelsOf<N>, value: number): void;
  set<N extends GaugeName>(name: N, labels: LabelsOf<N>, value: number): void;
}

export const NO_METRICS: Metrics = {
  count: () => undefined,
  observe: () => undefined,
  set: () => undefined,
};

/** All metrics as a scraper reads them. */
export interface MetricsPage {
  readonly contentType: string;
  render(): Promise<string>;
}
