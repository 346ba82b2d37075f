/** Procedure: whether every part works, so that a server cannot look healthy while dead. */
import type { RefreshHealth } from '#core/ports/refresh-trigger.ts';
import type { ApiPorts } from './api-ports.ts';
import type { HealthAnswer } from './schemas/installation.ts';

const INLINE: RefreshHealth = { ok: true, findings: [] };

export async function health(ports: ApiPorts): Promise<HealthAnswer> {
  const { refreshHealth } = ports;
  const [store, refresh] = await Promise.all([
    ports.store.health(),
    refreshHealth === null ? INLINE : refreshHealth(),
  ]);
  return {
    ok: store.ok && refresh.ok,
    store,
    retrieval: { quality: ports.embedder.quality, generation: ports.embedder.generation },
    tokens: ports.tokens.name,
    refresh: { ...refresh, by: refreshHealth === null ? 'inline' : 'temporal' },
  };
}
