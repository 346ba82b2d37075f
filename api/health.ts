/** Procedure: whether every part works, part by part, so that a live server cannot look healthy while dead. */
import type { StoreHealth } from '#core/ports/store.ts';
import type { ApiPorts } from './ports.ts';

export interface HealthAnswer {
  readonly ok: boolean;
  readonly store: StoreHealth;
  readonly retrieval: { readonly quality: 'keyword' | 'semantic'; readonly generation: string };
  readonly tokens: string;
  readonly refresh: 'inline' | 'temporal';
}

export async function health(ports: ApiPorts): Promise<HealthAnswer> {
  const store = await ports.store.health();
  return {
    ok: store.ok,
    store,
    retrieval: { quality: ports.embedder.quality, generation: ports.embedder.generation },
    tokens: ports.tokens.name,
    refresh: ports.temporalAddress === null ? 'inline' : 'temporal',
  };
}
