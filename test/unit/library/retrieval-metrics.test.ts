import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import type { Depth } from '#core/records/summary.ts';
import { seriesOf } from '#test/unit/activities/metrics-page.ts';
import { openFixture, type Fixture } from '#test/unit/activities/refresh-fixture.ts';

const TENANT = 'acme';
const TEXT = 'Ann lives in Oslo with two cats.';
const identifiers = { userId: 'ann' };

const get = ({ ports }: Fixture, depth: Depth = 'paragraph') =>
  OPERATIONS.summary.get.call(ports, LOCAL_OPERATOR, {
    tenant: TENANT,
    layer: 'user',
    identifiers,
    depth,
  });

const retrievals = async ({ ports }: Fixture) => {
  const series = await seriesOf(ports.metricsPage, 'memory_summary_retrievals');
  return Object.fromEntries(
    Object.entries(series).map(([name, value]) => {
      const labels = /layer="(?<layer>\w+)",depth="(?<depth>\w+)",cache_hit="(?<hit>\w+)"/u;
      const { layer = '', depth = '', hit = '' } = labels.exec(name)?.groups ?? {};
      return [`${layer} ${depth} ${hit === 'true' ? 'hit' : 'miss'}`, value];
    }),
  );
};

describe('retrievals', () => {
  test('SUM-14: are counted by layer, depth and cache hit', async () => {
    await using fixture = await openFixture();
    await fixture.add(TENANT, TEXT);
    await get(fixture);
    await fixture.round(TENANT);
    await get(fixture);
    await get(fixture, 'sentence');
    await get(fixture, 'sentence');
    expect(await retrievals(fixture)).toEqual({
      'user none miss': 1,
      'user paragraph miss': 1,
      'user sentence hit': 2,
    });
    const timed = await seriesOf(fixture.ports.metricsPage, 'memory_summary_retrieval_latency_ms');
    expect(timed['memory_summary_retrieval_latency_ms_count']).toBe(4);
    expect(timed['memory_summary_retrieval_latency_ms_sum']).toBeGreaterThan(0);
  });

  test('SUM-14: a context counts the depth it shows, and a list counts every depth', async () => {
    await using fixture = await openFixture();
    await fixture.add(TENANT, TEXT);
    await fixture.round(TENANT);
    const asked = { tenant: TENANT, identifiers, query: 'cats' };
    await OPERATIONS.context.assemble.call(fixture.ports, LOCAL_OPERATOR, {
      ...asked,
      layerSummaries: true,
      // Otherwise the memory, which says the same, replaces the summary.
      layout: 'cacheStable',
    });
    await OPERATIONS.context.assemble.call(fixture.ports, LOCAL_OPERATOR, {
      ...asked,
      maxTokens: 60,
    });
    await OPERATIONS.summary.list.call(fixture.ports, LOCAL_OPERATOR, {
      tenant: TENANT,
      identifiers,
    });
    expect(await retrievals(fixture)).toMatchObject({
      'user detailed miss': 1,
      'user sentence hit': 1,
      'user paragraph hit': 1,
      'user detailed hit': 1,
    });
  });

  test('read the store again after a write and after a refresh', async () => {
    await using fixture = await openFixture();
    await fixture.add(TENANT, TEXT);
    await fixture.round(TENANT);
    await get(fixture);
    await fixture.add(TENANT, 'Ann gardens.');
    expect((await get(fixture))?.freshness.stale).toBe(true);
    await fixture.round(TENANT);
    expect((await get(fixture))?.text).toContain('gardens');
    expect((await get(fixture))?.text).toContain('gardens');
    expect(await retrievals(fixture)).toEqual({
      'user paragraph miss': 3,
      'user paragraph hit': 1,
    });
  });

  test('SUM-21: of stale summaries are counted by layer and reason', async () => {
    await using fixture = await openFixture();
    const id = await fixture.add(TENANT, TEXT);
    await fixture.round(TENANT);
    await get(fixture);
    await fixture.add(TENANT, 'Ann gardens.');
    await get(fixture);
    await get(fixture);
    await fixture.remove(TENANT, id);
    await get(fixture);
    expect(await seriesOf(fixture.ports.metricsPage, 'memory_summary_stale_reads')).toEqual({
      'memory_summary_stale_reads_total{layer="user",reason="SourceChanged"}': 2,
      'memory_summary_stale_reads_total{layer="user",reason="SourceDeleted"}': 1,
    });
  });
});
