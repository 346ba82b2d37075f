/** What dreams need of the world beside what refreshing does. */
import type { RefreshPorts } from '../refresh-ports.ts';

/** Within an activity, `models` are those of its tenant. */
export type DreamPorts = Pick<
  RefreshPorts,
  'store' | 'platform' | 'models' | 'tokens' | 'metrics' | 'calendar'
>;
