/**
 * Part of the tick: a change of the embedding model whose run was terminated, or whose Temporal
 * database is gone, gets a run again. What is paused waits for a person.
 */
import type { RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import { generationsOf } from '#core/embedding/reembed.ts';
import type { RefreshPorts } from '../refresh-ports.ts';

/** Tenants looked at; their runs find the others. */
const TENANTS_MAX = 50;

export async function continueReembed(
  { store, platform }: Pick<RefreshPorts, 'store' | 'platform'>,
  refreshTrigger: RefreshTrigger,
): Promise<void> {
  if (refreshTrigger.continueReembed === undefined) return;
  const states = await store.embeddings.changing({ after: null, limit: TENANTS_MAX });
  const owed = states.filter(({ phase }) => phase !== 'Paused').map(generationsOf);
  const seen = new Set<string>();
  for (const generations of owed) {
    const key = generations.join('\n');
    if (seen.has(key)) continue;
    seen.add(key);
    try {
      await refreshTrigger.continueReembed(generations);
    } catch (error) {
      platform.log.warn({ generations, error }, 'reembed not started; the next tick retries');
    }
  }
}
