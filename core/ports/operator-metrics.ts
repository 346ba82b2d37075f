/** The metrics port of the operator; its table is core/operator-metrics.ts. */
import type {
  OperatorCounter,
  OperatorGauge,
  OperatorHistogram,
  OperatorLabels,
} from '../operator-metrics.ts';

export interface OperatorMetrics {
  count<N extends OperatorCounter>(name: N, labels: OperatorLabels<N>, by?: number): void;
  observe<N extends OperatorHistogram>(name: N, labels: OperatorLabels<N>, value: number): void;
  set<N extends OperatorGauge>(name: N, labels: OperatorLabels<N>, value: number): void;
}

export const NO_OPERATOR_METRICS: OperatorMetrics = {
  count: () => undefined,
  observe: () => undefined,
  set: () => undefined,
};
