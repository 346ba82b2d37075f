/**
 * How the provider merges what the layers found into one answer: scores, order, duplicates, limit.
 */
import { describe, expect, it } from 'vitest';

import { LAYERS } from '#core/layer.ts';
import { THRESHOLD_DEFAULT } from '#core/search/search-defaults.ts';

import { sharedStore, type Open } from './adapter.ts';
import { asking, CALL, contentsFound } from './provider-harness.ts';
import { placed, scoreAt, harnessAt } from './memories-at-angles.ts';

export function providerMergeSuite(open: Open): void {
  describe('search: scores and merging', () => {
    mergeSuite(open);
  });
}

function mergeSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('MEM-14: the more specific layer comes first, then the higher score', async () => {
    const { store, tenant } = fixture();
    const harness = await harnessAt(store);
    const texts = [
      { content: 'general best', layer: 'company', degrees: 0 },
      { content: 'specific worse', layer: 'project', degrees: 60 },
      { content: 'specific better', layer: 'project', degrees: -35 },
      { content: 'general worse', layer: 'company', degrees: -65 },
    ] as const;
    for (const text of texts) await placed(harness, tenant, text);
    expect(await contentsFound(harness, tenant, asking('query'))).toEqual([
      'specific better',
      'specific worse',
      'general best',
      'general worse',
    ]);
    const byScore = asking('query', { order: 'relevance' });
    expect(await contentsFound(harness, tenant, byScore)).toEqual([
      'general best',
      'specific better',
      'specific worse',
      'general worse',
    ]);
  });

  it('all seven layers are returned in the order of their precedence', async () => {
    const { store, tenant } = fixture();
    const harness = await harnessAt(store);
    for (const [at, layer] of LAYERS.toReversed().entries()) {
      await placed(harness, tenant, { content: `of the ${layer}`, layer, degrees: at * 40 });
    }
    const identifiers = {
      agentId: 'helper',
      userId: 'ann',
      sessionId: 'call',
      projectId: 'checkout',
    };
    const request = asking('query', { identifiers, threshold: 0 });
    const { hits, skippedLayers } = await harness.provider.search(tenant, request, CALL);
    expect(hits.map(({ memory }) => memory.layer)).toEqual(LAYERS);
    expect(skippedLayers).toEqual([]);
  });

  it('MEM-04: the query is embedded once for all layers, and as a query', async () => {
    const { store, tenant } = fixture();
    const harness = await harnessAt(store);
    await harness.provider.search(tenant, asking('query'), CALL);
    expect(harness.embedder.calls).toEqual([{ purpose: 'query', texts: ['query'] }]);
  });

  it('MEM-06: a search finds only memories that score at or above the threshold', async () => {
    const { store, tenant } = fixture();
    const harness = await harnessAt(store);
    const angles = { near: 10, middle: 45, far: -62, beyond: 90 };
    for (const [content, degrees] of Object.entries(angles)) {
      await placed(harness, tenant, { content, degrees });
    }
    expect(THRESHOLD_DEFAULT).toBe(0.7);
    const at = (threshold: number) =>
      contentsFound(harness, tenant, asking('query', { threshold }));
    expect(await at(THRESHOLD_DEFAULT)).toEqual(['near', 'middle', 'far']);
    expect(await at(scoreAt(45) - 0.01)).toEqual(['near', 'middle']);
    expect(await at(scoreAt(45) + 0.01)).toEqual(['near']);
    expect(await at(0)).toEqual(['near', 'middle', 'far', 'beyond']);
    expect(await at(1)).toEqual([]);
  });

  it('an empty answer includes the nearest misses and their scores', async () => {
    const { store, tenant } = fixture();
    const harness = await harnessAt(store);
    const id = await placed(harness, tenant, { content: 'beyond', degrees: 80 });
    const answer = await harness.provider.search(tenant, asking('query'), CALL);
    expect(answer).toMatchObject({ hits: [], misses: [{ memory: { id } }] });
    expect(answer.misses[0]?.score).toBeCloseTo(scoreAt(80), 4);
  });

  it('MEM-15: only the more specific of two nearly equal hits stays', async () => {
    const { store, tenant } = fixture();
    const harness = await harnessAt(store);
    const general = { content: 'tea in the afternoon', layer: 'company', degrees: 1 } as const;
    const specific = { content: 'tea, afternoons', layer: 'project', degrees: 9 } as const;
    const duplicate = await placed(harness, tenant, general);
    const kept = await placed(harness, tenant, specific);
    await placed(harness, tenant, { content: 'coffee', layer: 'company', degrees: 50 });
    const answer = await harness.provider.search(tenant, asking('query'), CALL);
    expect(answer.hits.map(({ memory }) => memory.content)).toEqual([specific.content, 'coffee']);
    const [dropped] = answer.duplicates;
    expect(dropped).toMatchObject({ id: duplicate, layer: 'company', of: kept });
    expect(dropped?.similarity).toBeGreaterThanOrEqual(0.95);
  });

  it('MEM-15: less similar hits of two layers both stay', async () => {
    const { store, tenant } = fixture();
    const harness = await harnessAt(store);
    await placed(harness, tenant, { content: 'coffee', layer: 'company', degrees: -15 });
    await placed(harness, tenant, { content: 'tea', layer: 'project', degrees: 15 });
    expect(await contentsFound(harness, tenant, asking('query'))).toEqual(['tea', 'coffee']);
  });

  it('nearly equal texts that contradict each other both stay and are marked', async () => {
    const { store, tenant } = fixture();
    const harness = await harnessAt(store);
    const monday = await placed(harness, tenant, { content: 'Releases are on Monday', degrees: 1 });
    const friday = await placed(harness, tenant, { content: 'Releases are on Friday', degrees: 2 });
    const { hits } = await harness.provider.search(tenant, asking('query'), CALL);
    const conflicts = Object.fromEntries(hits.map((hit) => [hit.memory.id, hit.conflictsWith]));
    expect(conflicts).toEqual({ [monday]: [friday], [friday]: [monday] });
  });

  it('MEM-04: the limit applies after merging and keeps a place for each layer with a hit', async () => {
    const { store, tenant } = fixture();
    const harness = await harnessAt(store);
    for (const degrees of [0, 30, -30, 55]) {
      await placed(harness, tenant, { content: `near at ${degrees}`, degrees });
    }
    await placed(harness, tenant, { content: 'general', layer: 'company', degrees: -62 });
    const found = await contentsFound(harness, tenant, asking('query', { limit: 2 }));
    expect(found).toEqual(['near at 0', 'general']);
  });

  it('an explanation shows the scores of both legs and the path of each search', async () => {
    const { store, tenant } = fixture();
    const harness = await harnessAt(store);
    await placed(harness, tenant, { content: 'query about tea', degrees: 30 });
    const request = asking('query', { mode: 'hybrid', explain: true });
    const { hits, paths } = await harness.provider.search(tenant, request, CALL);
    const explanation = hits[0]?.explanation;
    expect(explanation?.cosine).toBeCloseTo(Math.cos(Math.PI / 6), 5);
    expect(explanation?.similarity).toBeCloseTo((1 + Math.cos(Math.PI / 6)) / 2, 5);
    expect(explanation?.semanticScore).toBeCloseTo(scoreAt(30), 5);
    expect(explanation?.keywordScore).toBeGreaterThan(0);
    const legs = [explanation?.semanticScore ?? 0, explanation?.keywordScore ?? 0];
    expect(hits[0]?.score).toBeCloseTo(Math.max(...legs), 5);
    expect(paths.map(({ layer }) => layer)).toContain('user');
  });
}
