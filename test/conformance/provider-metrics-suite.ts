/** What the provider measures, by the names and labels of core/metrics/metric-definitions.ts. */
import { describe, expect, it } from 'vitest';

import { LAYERS } from '#core/layer.ts';
import { METRICS } from '#core/metrics/metric-definitions.ts';

import { sharedStore, type Open } from './adapter.ts';
import {
  asking,
  CALL,
  toAdd,
  unreachable,
  harnessOver,
  WRITE,
  type Harness,
} from './provider-harness.ts';
import { userScope } from './samples.ts';

/** Measures of one name, by the value of a label. */
function measured({ recorded }: Harness, name: string, label: string): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const each of recorded.filter((measure) => measure.name === name)) {
    const of = each.labels[label] ?? '';
    sums[of] = (sums[of] ?? 0) + each.value;
  }
  return sums;
}

export function providerMetricsSuite(open: Open): void {
  describe('metrics', () => {
    const fixture = sharedStore(open);

    it('MEM-28: every call is counted and timed by operation', async () => {
      const { store, tenant } = fixture();
      const harness = await harnessOver(store);
      const { provider } = harness;
      const { memory } = await provider.add(tenant, toAdd('Tea.'), WRITE);
      const key = { tenant, id: memory.id };
      await provider.bulkAdd(tenant, [toAdd('Milk.')], WRITE);
      await provider.get(tenant, memory.id);
      await provider.update(key, { tags: ['new'] }, WRITE);
      await provider.search(tenant, asking('tea'), CALL);
      await provider.list(tenant, {
        scopes: [userScope(tenant)],
        conditions: { latestOnly: true, tags: [], filter: null, kind: null },
        order: 'newest',
        cursor: null,
        limit: 5,
      });
      await provider.history(key, { beforeVersion: null, limit: 5 });
      await provider.generateEmbedding(tenant, 'Tea.', CALL);
      await provider.delete(key, WRITE);
      await provider.bulkDelete(tenant, [memory.id], WRITE);
      const once = Object.fromEntries(
        [
          'add',
          'bulkAdd',
          'get',
          'update',
          'search',
          'list',
          'history',
          'generateEmbedding',
          'delete',
          'bulkDelete',
        ].map((operation) => [operation, 1]),
      );
      expect(measured(harness, 'memory_operations_total', 'operation')).toEqual(once);
      const timed = measured(harness, 'memory_operations_latency', 'operation');
      expect(Object.keys(timed).toSorted()).toEqual(Object.keys(once).toSorted());
      expect(measured(harness, 'memory_operations_errors_total', 'code')).toEqual({});
    });

    it('the latency of a call is measured in milliseconds by the given clock', async () => {
      const { store, tenant } = fixture();
      const harness = await harnessOver(store);
      harness.embedder.failWith(unreachable());
      await harness.provider.generateEmbedding(tenant, 'Tea.', CALL);
      const [pause = 0] = harness.pauses;
      const timed = measured(harness, 'memory_operations_latency', 'operation');
      expect(timed).toEqual({ generateEmbedding: pause });
      const retries = measured(harness, 'memory_operations_retries_total', 'code');
      expect(retries).toEqual({ PROVIDER_ERROR: 1 });
    });

    it('MEM-29: hits are measured by layer, including layers without hits', async () => {
      const { store, tenant } = fixture();
      const harness = await harnessOver(store);
      harness.embedder.place('query', 0);
      for (const [content, degrees] of Object.entries({ near: 0, far: 50, beyond: 180 })) {
        harness.embedder.place(content, degrees);
        await harness.provider.add(tenant, toAdd(content), WRITE);
      }
      await harness.provider.search(tenant, asking('query'), CALL);
      const results = measured(harness, 'memory_search_results', 'layer');
      expect(results).toEqual({ user: 2, project: 0, team: 0, org: 0, company: 0 });
    });

    it('the stored bytes are counted by layer', async () => {
      const { store, tenant } = fixture();
      const { provider } = await harnessOver(store);
      await provider.add(tenant, toAdd('Grün'), WRITE);
      await provider.add(tenant, toAdd('tea', { layer: 'team', scopeId: 'default' }), WRITE);
      const sizes = await store.storageSizes(10_000);
      const mine = sizes.filter((size) => size.tenant === tenant);
      expect(Object.fromEntries(mine.map(({ layer, bytes }) => [layer, bytes]))).toEqual({
        user: 5,
        team: 3,
      });
    });

    it('MEM-30: failed calls and failed items are counted by error code', async () => {
      const { store, tenant } = fixture();
      const harness = await harnessOver(store);
      const { provider } = harness;
      const failing = [
        provider.update({ tenant, id: 'unknown' }, { tags: [] }, WRITE),
        provider.search(tenant, asking('tea', { layers: ['galaxy'] }), CALL),
        provider.search(tenant, asking('tea', { layers: ['session'] }), CALL),
      ];
      for (const { status } of await Promise.allSettled(failing)) expect(status).toBe('rejected');
      await provider.bulkAdd(tenant, [toAdd('x'.repeat(300_000)), toAdd('fine')], WRITE);
      expect(measured(harness, 'memory_operations_errors_total', 'code')).toEqual({
        MEMORY_NOT_FOUND: 1,
        INVALID_LAYER: 1,
        MISSING_IDENTIFIER: 1,
        CONTENT_TOO_LONG: 1,
      });
    });

    it('metrics have only the declared labels, and no label contains an id or text', async () => {
      const { store, tenant } = fixture();
      const harness = await harnessOver(store);
      const content = 'A secret of Ann.';
      const { memory } = await harness.provider.add(tenant, toAdd(content), WRITE);
      await harness.provider.search(tenant, asking(content), CALL);
      await harness.provider.get(tenant, memory.id);
      const tables: Readonly<Record<string, { readonly labels: readonly string[] }>> = METRICS;
      for (const { name, labels } of harness.recorded) {
        expect(Object.keys(labels).toSorted()).toEqual(tables[name]?.labels.toSorted());
        for (const value of Object.values(labels)) {
          expect([tenant, memory.id, content, 'ann']).not.toContain(value);
        }
        if (labels['layer'] !== undefined) expect(LAYERS).toContain(labels['layer']);
      }
    });
  });
}
