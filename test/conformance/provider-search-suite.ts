/** The provider's searches: layers, threshold, merging, filters, and what a caller may not see. */
import { describe, expect, it } from 'vitest';

import { LAYERS } from '#core/layer.ts';
import type { Store } from '#core/ports/store.ts';

import { sharedStore, type Open } from './adapter.ts';
import { asking, CALL, contentsFound, toAdd, WRITE, type Harness } from './provider-harness.ts';
import { placed, harnessAt } from './memories-at-angles.ts';

export function providerSearchSuite(open: Open): void {
  describe('search: layers', () => {
    layerSuite(open);
  });
  describe('search: filters', () => {
    filterSuite(open);
  });
}

function layerSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('MEM-23: userId and projectId select five layers, and agent and session are skipped', async () => {
    const { store, tenant } = fixture();
    const harness = await harnessAt(store);
    for (const [at, layer] of LAYERS.entries()) {
      await placed(harness, tenant, { content: `of the ${layer}`, layer, degrees: at * 50 });
    }
    const request = asking('query', { threshold: 0 });
    const answer = await harness.provider.search(tenant, request, CALL);
    expect(answer.searchedLayers).toEqual(['user', 'project', 'team', 'org', 'company']);
    expect(answer.skippedLayers).toEqual(['agent', 'session']);
    const found = answer.hits.map(({ memory }) => memory.layer);
    expect(found).toEqual(['user', 'project', 'team', 'org', 'company']);
  });

  it('MEM-05: only the named layers are searched', async () => {
    const { store, tenant } = fixture();
    const harness = await harnessAt(store);
    for (const layer of ['user', 'project', 'company'] as const) {
      const degrees = LAYERS.indexOf(layer) * 30 - 60;
      await placed(harness, tenant, { content: `of the ${layer}`, layer, degrees });
    }
    const request = asking('query', { layers: ['company', 'user'], threshold: 0 });
    const answer = await harness.provider.search(tenant, request, CALL);
    expect(answer.hits.map(({ memory }) => memory.layer)).toEqual(['user', 'company']);
    expect(answer.searchedLayers.toSorted()).toEqual(['company', 'user']);
  });

  it.each([
    ['session', 'sessionId'],
    ['agent', 'agentId'],
  ] as const)(
    'MEM-22: a search of the %s layer without %s is refused, and the error names it',
    async (layer, identifier) => {
      const { store, tenant } = fixture();
      const { provider } = await harnessAt(store);
      const search = provider.search(tenant, asking('query', { layers: ['user', layer] }), CALL);
      const details = { identifier, layer };
      await expect(search).rejects.toMatchObject({ code: 'MISSING_IDENTIFIER', details });
    },
  );

  it('MEM-24: an unknown layer fails with INVALID_LAYER, which is not retried', async () => {
    const { store, tenant } = fixture();
    const { provider, pauses } = await harnessAt(store);
    for (const layer of ['galaxy', '', '__proto__']) {
      const search = provider.search(tenant, asking('query', { layers: [layer] }), CALL);
      await expect(search).rejects.toMatchObject({ code: 'INVALID_LAYER', retryable: false });
    }
    expect(pauses).toEqual([]);
  });

  it('MEM-16: all layers are searched concurrently, and merged once all have answered', async () => {
    const { store, tenant } = fixture();
    const layers = ['user', 'project', 'team', 'org', 'company'] as const;
    const started: string[] = [];
    const { promise: allStarted, resolve } = Promise.withResolvers<void>();
    // No search ends before the last has begun: one after another, they would never end.
    const gated: Store = {
      ...store,
      memories: {
        ...store.memories,
        search: async (scope, query) => {
          started.push(scope.layer);
          if (started.length === layers.length) resolve();
          await allStarted;
          return store.memories.search(scope, query);
        },
      },
    };
    const harness = await harnessAt(gated);
    for (const [at, layer] of layers.entries()) {
      await placed(harness, tenant, { content: `of the ${layer}`, layer, degrees: at * 50 - 100 });
    }
    const request = asking('query', { threshold: 0 });
    const { hits } = await harness.provider.search(tenant, request, CALL);
    // What replaces a hit is looked for after that.
    expect(started.slice(0, layers.length).toSorted()).toEqual([...layers].toSorted());
    expect(hits.map(({ memory }) => memory.layer)).toEqual(layers);
  });
}

function filterSuite(open: Open): void {
  const fixture = sharedStore(open);

  async function filled(store: Store, tenant: string): Promise<Harness> {
    const harness = await harnessAt(store);
    const rows = [
      { content: 'one', tags: ['a'], metadata: { n: 1, s: 'red apple' } },
      { content: 'two', tags: ['b'], metadata: { n: 2, s: 'green apple' } },
      { content: 'three', tags: ['a', 'c'], metadata: { n: 3, s: 'red pear' } },
    ];
    for (const [at, { content, ...differing }] of rows.entries()) {
      harness.embedder.place(content, at * 35);
      await harness.provider.add(tenant, toAdd(content, differing), WRITE);
    }
    return harness;
  }

  it.each([
    ['one of the tags', { tags: ['b', 'c'] }, ['two', 'three']],
    ['a tag that no memory has', { tags: ['d'] }, []],
    ['equality', { filter: { field: 'n', eq: 2 } }, ['two']],
    ['part of a text', { filter: { field: 's', contains: 'red' } }, ['one', 'three']],
    ['a range', { filter: { field: 'n', gte: 2 } }, ['two', 'three']],
    ['a tag and a filter', { tags: ['a'], filter: { not: { field: 'n', lt: 2 } } }, ['three']],
  ])('a search can be narrowed by %s', async (_, differing, expected) => {
    const { store, tenant } = fixture();
    const harness = await filled(store, tenant);
    const base = { latestOnly: true, tags: [], filter: null, kind: null };
    const request = asking('query', { threshold: 0, conditions: { ...base, ...differing } });
    expect(await contentsFound(harness, tenant, request)).toEqual(expected);
  });

  it('a search finds no memories of another tenant', async () => {
    const { store, tenant } = fixture();
    const harness = await filled(store, tenant);
    const other = `${tenant}-other`;
    const request = asking('query', { threshold: 0 });
    expect(await contentsFound(harness, other, request)).toEqual([]);
    expect(await contentsFound(harness, tenant, request)).toHaveLength(3);
  });
}
