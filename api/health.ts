/** Procedure: whether every part works, so that a server cannot look healthy while dead. */
import type { StoreHealth } from '#core/ports/store.ts';
import type { RefreshHealth } from '#core/ports/waker.ts';
import type { ApiPorts } from './ports.ts';

export interface HealthAnswer {
  readonly ok: boolean;
  readonly store: StoreHealth;
  readonly retrieval: { readonly quality: 'keyword' | 'semantic'; readonly generation: string };
  readonly tokens: string;
  readonly refresh: RefreshHealth & { readonly by: 'inline' | 'temporal' };
}

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
