/** Memories around a query: a provider with the "query" at 0 degrees, and texts at angles to it. */
import type { Layer } from '#core/layer.ts';
import type { Store } from '#core/ports/store.ts';
import { calibrate } from '#core/search/calibration.ts';

import { toAdd, UNRELATED_COSINE, harnessOver, WRITE, type Harness } from './provider-harness.ts';

const SCOPE_IDS: Readonly<Record<Layer, string>> = {
  agent: 'helper',
  user: 'ann',
  session: 'call',
  project: 'checkout',
  team: 'default',
  org: 'default',
  company: 'default',
};

/** A memory of a layer at an angle to the query, which is at 0. */
export async function placed(
  { provider, embedder }: Harness,
  tenant: string,
  { content, layer = 'user', degrees }: { content: string; layer?: Layer; degrees: number },
): Promise<string> {
  embedder.place(content, degrees);
  const scopeId = SCOPE_IDS[layer];
  const { memory } = await provider.add(tenant, toAdd(content, { layer, scopeId }), WRITE);
  return memory.id;
}

/** The score of a text at an angle to the query. */
export function scoreAt(degrees: number): number {
  const calibration = { generation: '', unrelatedCosine: UNRELATED_COSINE, sentences: '' };
  return calibrate(Math.cos((degrees * Math.PI) / 180), calibration);
}

/** A provider that knows where the query is. */
export async function harnessAt(store: Store): Promise<Harness> {
  const harness = await harnessOver(store);
  harness.embedder.place('query', 0);
  return harness;
}
