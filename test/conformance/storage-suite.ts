/** The suite of what a store reports about itself: abilities, and sizes, which are counted once. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { LAYERS } from '#core/layer.ts';
import type { StorageSize, Store } from '#core/ports/store.ts';
import type { Scope } from '#core/scope.ts';
import { utf8Bytes } from '#core/storable-text.ts';

import { newTenant, sharedStore, type Open } from './adapter.ts';
import { allSources } from './refresh.ts';
import { idOf, memoryOf, newContent, NOW, rulesAt, turnOf } from './samples.ts';
import { embedded } from './search-samples.ts';

const RUNS = 25;
const STEPS_MAX = 20;
const MEMORIES = 6;
const ROWS_MAX = 10_000;
const TEST_MS_MAX = 180_000;
const TEXTS = ['', 'tea', 'Grün', '日本語', '🌱🌱', 'e\u0301', 'a\r\nb'] as const;
const LAYERS_WRITTEN = ['user', 'team', 'session'] as const;

interface Step {
  readonly kind: 'add' | 'update' | 'delete' | 'addMany' | 'deleteMany' | 'append';
  readonly n: number;
  readonly text: string;
  readonly layer: (typeof LAYERS_WRITTEN)[number];
  readonly state: 'active' | 'superseded';
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('add', 'update', 'delete', 'addMany', 'deleteMany', 'append'),
  n: fc.integer({ min: 1, max: MEMORIES }),
  text: fc.constantFrom(...TEXTS),
  layer: fc.constantFrom(...LAYERS_WRITTEN),
  state: fc.constantFrom('active', 'active', 'superseded'),
});

/** A refusal leaves the sizes as they were. */
async function take(store: Store, tenant: string, { kind, n, text, layer, state }: Step) {
  const rules = rulesAt(NOW);
  const key = { tenant, id: idOf(n) };
  const memory = (at: number) => memoryOf(tenant, at, { content: text, layer, state });
  const numbers = [n, n + MEMORIES, n + 2 * MEMORIES];
  const writes: Readonly<Record<Step['kind'], () => Promise<unknown>>> = {
    add: () => store.memories.add(memory(n), rules),
    addMany: () => store.memories.addMany(numbers.map(memory), rules),
    update: () => store.memories.update(key, { content: newContent(text) }, rules),
    delete: () => store.memories.delete(key, rules),
    deleteMany: () => store.memories.deleteMany([key, { tenant, id: idOf(404) }], rules),
    append: () => store.turns.append([turnOf(tenant, n, { content: text })], rules),
  };
  await writes[kind]().catch((error: unknown) => {
    expect(error).toMatchObject({ code: expect.stringMatching(/^(CONFLICT|MEMORY_NOT_FOUND)$/) });
  });
}

async function sizesOf(store: Store, tenant: string): Promise<readonly StorageSize[]> {
  const rows = await store.storageSizes(ROWS_MAX);
  return rows
    .filter((row) => row.tenant === tenant && row.sources > 0)
    .toSorted((a, b) => LAYERS.indexOf(a.layer) - LAYERS.indexOf(b.layer));
}

/** What is live, counted memory by memory and turn by turn. */
async function countedOf(store: Store, tenant: string): Promise<readonly StorageSize[]> {
  const sums = new Map<Scope['layer'], { bytes: number; sources: number }>();
  for (const { layer, scopeId } of await store.scopes.list(tenant, 100)) {
    const sources = await allSources(store, { tenant, layer, scopeId }, NOW);
    const sum = sums.get(layer) ?? { bytes: 0, sources: 0 };
    const bytes = sources.reduce((all, { text }) => all + utf8Bytes(text), sum.bytes);
    sums.set(layer, { bytes, sources: sum.sources + sources.length });
  }
  return LAYERS.flatMap((layer) => {
    const sum = sums.get(layer);
    return sum === undefined || sum.sources === 0 ? [] : [{ tenant, layer, ...sum }];
  });
}

export function storageSuite(open: Open): void {
  describe('storage sizes', () => {
    sizeSuite(open);
  });
  describe('capabilities', () => {
    capabilitySuite(open);
  });
}

function sizeSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('MEM-29: sizes count the bytes of live sources', { timeout: TEST_MS_MAX }, async () => {
    const { store } = fixture();
    const property = fc.asyncProperty(fc.array(step, { maxLength: STEPS_MAX }), async (steps) => {
      const tenant = newTenant();
      for (const one of steps) await take(store, tenant, one);
      expect(await sizesOf(store, tenant)).toEqual(await countedOf(store, tenant));
    });
    await fc.assert(property, { numRuns: RUNS });
  });

  it('scopes of one layer form one row, and the limit bounds the number of rows', async () => {
    const { store, tenant } = fixture();
    const scopeIds = ['ann', 'bob'];
    for (const [at, scopeId] of scopeIds.entries()) {
      const memory = memoryOf(tenant, at, { scopeId, content: 'Grün' });
      await store.memories.add(memory, rulesAt(NOW));
    }
    await store.memories.add(memoryOf(tenant, 9, { layer: 'team', content: 'tea' }), rulesAt(NOW));
    expect(await sizesOf(store, tenant)).toEqual([
      { tenant, layer: 'user', bytes: 10, sources: 2 },
      { tenant, layer: 'team', bytes: 3, sources: 1 },
    ]);
    expect(await store.storageSizes(1)).toHaveLength(1);
  });
}

function capabilitySuite(open: Open): void {
  const fixture = sharedStore(open);

  it('MEM-17: a store reports its capabilities, and can add memories in bulk', async () => {
    const { store, tenant } = fixture();
    const { capabilities } = store;
    expect(['sqlite', 'mongodb']).toContain(capabilities.engine);
    expect(['Exact', 'Index']).toContain(capabilities.vectorSearch);
    expect(capabilities.distanceMetrics).toEqual(['cosine']);
    expect(capabilities.bulkOperations).toBe(true);
    const [outcome] = await store.memories.addMany([embedded(tenant, 1, [1, 0])], rulesAt(NOW));
    expect(outcome).toMatchObject({ ok: true });
  });
}
