/** The metrics port of the operator; its table is core/metrics/operator-metrics.ts. */
import type { MetricsOf } from '../metrics/metric-spec.ts';
import type { OPERATOR_METRICS } from '../metrics/operator-metrics.ts';

export type OperatorMetrics = MetricsOf<typeof OPERATOR_METRICS>;

export const NO_OPERATOR_METRICS: OperatorMetrics = {
  count: () => undefined,
  observe: () => undefined,
  set: () => undefined,
};
