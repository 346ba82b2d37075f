/** What flushes need of the world. */
import type { MemoryProvider } from '#core/ports/memory-provider.ts';
import type { RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import type { RefreshPorts } from '../refresh-ports.ts';

export interface FlushPorts extends Pick<
  RefreshPorts,
  'store' | 'platform' | 'models' | 'tokens' | 'calendar' | 'metrics'
> {
  readonly provider: MemoryProvider;
  readonly refreshTrigger: Pick<RefreshTrigger, 'wake'>;
}
