/** The metrics port of the operator; its table is core/operator-metrics.ts. */
import type { MetricsOf } from '../metric-spec.ts';
import type { OPERATOR_METRICS } from '../operator-metrics.ts';

export type OperatorMetrics = MetricsOf<typeof OPERATOR_METRICS>;

export const NO_OPERATOR_METRICS: OperatorMetrics = {
  count: () => undefined,
  observe: () => undefined,
  set: () => undefined,
};
