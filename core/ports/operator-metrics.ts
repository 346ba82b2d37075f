/** The metrics port of the operator; its table is core/metrics/operator-metric-definitions.ts. */
import type { MetricsOf } from '../metrics/metric-types.ts';
import type { OPERATOR_METRICS } from '../metrics/operator-metric-definitions.ts';

export type OperatorMetrics = MetricsOf<typeof OPERATOR_METRICS>;

export const NO_OPERATOR_METRICS: OperatorMetrics = {
  count: () => undefined,
  observe: () => undefined,
  set: () => undefined,
};
