/** Everything that `npm run prove -- refresh` proves, besides the kills of `prove -- kill`. */
import { BATCHING } from './batching.ts';
import { ISOLATION } from './isolation.ts';
import { LARGE_SCOPES } from './large-scope.ts';
import { MONEY } from './money.ts';
import type { Scenario } from './scenario.ts';
import { REEMBED_RUNS } from './reembed-run.ts';
import { RUNS } from './runs.ts';

export const REFRESH_SCENARIOS: readonly Scenario[] = [
  ...BATCHING,
  ...LARGE_SCOPES,
  ...ISOLATION,
  ...MONEY,
  ...RUNS,
  ...REEMBED_RUNS,
];
