import { describe, expect, test } from 'vitest';
import {
  countBudgetRefusal,
  countCall,
  countDeadLetter,
  countFacts,
  countGeneration,
} from '#activities/refresh-metrics.ts';
import { composeDepths } from '#core/refresh/compose-depths.ts';
import { BATCH_LEASE_MS } from '#core/refresh/batch-lease.ts';
import type { Metrics } from '#core/ports/metrics.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import type { TokenCounter } from '#core/ports/token-counter.ts';
import { DEPTHS } from '#core/records/summary.ts';
import { ATTEMPTS_MAX } from '#core/refresh/retries-and-dead-letters.ts';
import { createPrometheusMetrics } from '#providers/prometheus/metrics-exporter.ts';
import { MINUTE_MS, NOW, summaryOf, userScope } from '#test/conformance/samples.ts';
import { settledScope } from '#test/unit/core/scope-records.ts';
import { seriesOf } from './metrics-page.ts';
import { openFixture, PRICE } from './refresh-fixture.ts';

const TENANT = 'acme';
const TEXT = 'Ann lives in Oslo with two cats.';

async function counted(count: (metrics: Metrics) => void, ...names: readonly string[]) {
  const { metrics, page } = createPrometheusMetrics({
    storageSizes: () => Promise.resolve([]),
    oldestStaleAge: () => Promise.resolve(0),
    modelOutageAge: () => Promise.resolve(0),
    timer: () => 0,
    log: SILENT_LOG,
  });
  count(metrics);
  return seriesOf(page, ...names);
}

const words: TokenCounter = { name: 'words', count: (text) => text.split(/\s+/).length };
const { facts, ...made } = summaryOf(userScope(TENANT), ['m-1']);
const depths = composeDepths(facts, DEPTHS, words);
const SUMMARY = { ...made, facts, depths, generatedAt: NOW };
const LEASE = {
  ...{ claimId: 'claim', batchId: 'batch', sourceHash: '', changes: 1, trigger: 'Urgent' as const },
  ...{ recipeHash: '', model: 'mini', until: NOW - 250 + BATCH_LEASE_MS },
};

describe('refresh metrics', () => {
  test('SUM-13: count a generation by layer, depth and trigger, and its time since the claim', async () => {
    const urgent = { ...SUMMARY, trigger: 'Urgent' as const };
    const series = await counted(
      (metrics) => countGeneration(metrics, urgent, LEASE),
      'memory_summary_generation',
    );
    expect(series).toEqual(
      Object.fromEntries(
        DEPTHS.flatMap((depth) => {
          const labels = `layer="user",depth="${depth}"`;
          return [
            [`memory_summary_generation_duration_ms_sum{${labels}}`, 250],
            [`memory_summary_generation_duration_ms_count{${labels}}`, 1],
            [`memory_summary_generations_total{${labels},trigger="Urgent"}`, 1],
          ];
        }),
      ),
    );
  });

  test('SUM-13: do not count a depth that was not made', async () => {
    const short = { ...SUMMARY, depths: composeDepths(facts, ['sentence'], words) };
    const series = await counted(
      (metrics) => countGeneration(metrics, short, LEASE),
      'memory_summary_generations',
    );
    expect(Object.values(series)).toEqual([1]);
  });

  test('SUM-17: show how full a call was, the calls it saved, its tokens and its price', async () => {
    const model = { name: 'mini', price: PRICE, inputTokensMax: 1_000 };
    const usage = { inputTokens: 250, outputTokens: 40 };
    const count = (metrics: Metrics) => countCall(metrics, model, { items: 5, usage });
    expect(await counted(count, 'memory_batch', 'memory_model')).toEqual({
      'memory_batch_items_sum{model="mini"}': 5,
      'memory_batch_items_count{model="mini"}': 1,
      'memory_batch_input_share_sum{model="mini"}': 0.25,
      'memory_batch_input_share_count{model="mini"}': 1,
      'memory_batch_calls_saved_total{model="mini"}': 4,
      'memory_model_tokens_total{model="mini",direction="input"}': 250,
      'memory_model_tokens_total{model="mini",direction="output"}': 40,
      'memory_model_micro_dollars_total{model="mini"}': 250,
    });
  });

  test('count no call for a batch without items', async () => {
    const usage = { inputTokens: 0, outputTokens: 0 };
    const model = { name: 'mini', price: PRICE, inputTokensMax: 1_000 };
    const count = (metrics: Metrics) => countCall(metrics, model, { items: 0, usage });
    expect(await counted(count, 'memory_batch', 'memory_model')).toEqual({});
  });

  test('count kept facts, and dropped facts by reason', async () => {
    const dropped = ['NumberNotInSource', 'NoSource', 'NoSource'].map((reason) => ({ reason }));
    const count = (metrics: Metrics) => countFacts(metrics, { kept: 2, dropped });
    expect(await counted(count, 'memory_summary_facts')).toEqual({
      'memory_summary_facts_total{outcome="kept",reason="Grounded"}': 2,
      'memory_summary_facts_total{outcome="dropped",reason="NumberNotInSource"}': 1,
      'memory_summary_facts_total{outcome="dropped",reason="NoSource"}': 2,
    });
  });

  test('count a dead-lettered scope by code, but none that will be retried', async () => {
    const deadLetter = { code: 'TIMEOUT', reason: 'TIMEOUT', at: NOW };
    const count = (metrics: Metrics) => {
      countDeadLetter(metrics, settledScope({ deadLetter }));
      countDeadLetter(metrics, settledScope({ attempts: ATTEMPTS_MAX - 1 }));
    };
    expect(await counted(count, 'memory_summary_dead')).toEqual({
      'memory_summary_dead_letters_total{layer="user",code="TIMEOUT"}': 1,
    });
  });

  test('count a call that the budget refused, by purpose', async () => {
    const count = (metrics: Metrics) => countBudgetRefusal(metrics, 'summary');
    expect(await counted(count, 'memory_budget')).toEqual({
      'memory_budget_refusals_total{purpose="summary"}': 1,
    });
  });
});

describe('a round', () => {
  test('counts each depth it made, with its trigger and duration', async () => {
    const passes: (() => void)[] = [];
    await using fixture = await openFixture({
      beforeEmbedding: () => Promise.resolve(passes.pop()?.()),
    });
    await fixture.add(TENANT, TEXT);
    passes.push(() => fixture.advance(MINUTE_MS));
    await fixture.round(TENANT);
    const page = fixture.ports.metricsPage;
    const series = await seriesOf(page, 'memory_summary_generation');
    for (const depth of ['sentence', 'paragraph', 'detailed']) {
      const labels = `layer="user",depth="${depth}"`;
      expect(series).toMatchObject({
        [`memory_summary_generations_total{${labels},trigger="Interval"}`]: 1,
        [`memory_summary_generation_duration_ms_sum{${labels}}`]: MINUTE_MS,
      });
    }
    const facts = await seriesOf(page, 'memory_summary_facts');
    expect(facts).toEqual({ 'memory_summary_facts_total{outcome="kept",reason="Grounded"}': 1 });
    expect(await page?.render()).not.toMatch(/acme|ann|Oslo/u);
  });

  test('counts the items of a call, the calls it saved and its cost', async () => {
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await fixture.add(TENANT, TEXT);
    await fixture.add(TENANT, 'The shop opens in June.', {
      layer: 'project',
      identifiers: { projectId: 'shop' },
    });
    await fixture.add(TENANT, 'The team meets on Monday.', {
      layer: 'team',
      identifiers: { teamId: 'garden' },
    });
    const { inputTokens, outputTokens, modelCalls } = await fixture.round(TENANT);
    const series = await seriesOf(fixture.ports.metricsPage, 'memory_batch', 'memory_model');
    const items = series['memory_batch_items_sum{model="metered"}'] ?? 0;
    expect(items).toBe(3);
    expect(series).toMatchObject({
      'memory_batch_items_count{model="metered"}': modelCalls,
      'memory_batch_calls_saved_total{model="metered"}': items - modelCalls,
      'memory_model_tokens_total{model="metered",direction="input"}': inputTokens,
      'memory_model_tokens_total{model="metered",direction="output"}': outputTokens,
      'memory_model_micro_dollars_total{model="metered"}': inputTokens,
    });
  });

  test('counts a dead-lettered scope once, and not before it is dead-lettered', async () => {
    await using fixture = await openFixture({ answer: () => Promise.resolve(NO_FACTS) });
    await fixture.add(TENANT, TEXT);
    const deadLettered: number[] = [];
    for (let tries = 0; tries <= ATTEMPTS_MAX; tries += 1) {
      await fixture.round(TENANT);
      fixture.advance(10 * MINUTE_MS);
      const series = await seriesOf(fixture.ports.metricsPage, 'memory_summary_dead');
      const name = 'memory_summary_dead_letters_total{layer="user",code="MODEL_OUTPUT_INVALID"}';
      deadLettered.push(series[name] ?? 0);
    }
    expect(deadLettered).toEqual([0, 0, 1, 1]);
  });

  test('counts the calls that the budget refuses', async () => {
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await fixture.declare(TENANT, ({ budget }) => ({ budget: { ...budget, limitTokens: 1 } }));
    await fixture.add(TENANT, TEXT);
    await fixture.round(TENANT);
    expect(fixture.calls).toEqual([]);
    expect(await seriesOf(fixture.ports.metricsPage, 'memory_budget')).toEqual({
      'memory_budget_refusals_total{purpose="summary"}': 1,
    });
  });
});

const NO_FACTS = { text: '{"items":[]}', usage: { inputTokens: 10, outputTokens: 1 } };
