import { describe, expect, test } from 'vitest';
import { METRICS } from '#core/metrics/metric-definitions.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import type { StorageSize } from '#core/ports/store.ts';
import { createPrometheusMetrics } from '#providers/prometheus/metrics-exporter.ts';

function fixture(sizes: readonly StorageSize[] = []) {
  const time = { now: 0 };
  const store = { sizes, reads: 0, fails: false, oldestStaleMs: 0 };
  const made = createPrometheusMetrics({
    storageSizes: () => {
      store.reads += 1;
      return store.fails ? Promise.reject(new Error('down')) : Promise.resolve(store.sizes);
    },
    oldestStaleAge: () => Promise.resolve(store.oldestStaleMs),
    modelOutageAge: () => Promise.resolve(0),
    timer: () => time.now,
    log: SILENT_LOG,
  });
  return { ...made, time, store };
}

const size = (tenant: string, layer: StorageSize['layer'], bytes: number): StorageSize => ({
  ...{ tenant, layer, bytes, sources: 1 },
});

describe('metrics for Prometheus', () => {
  test('include every metric of the table with its kind and help', async () => {
    const text = await fixture().page.render();
    for (const [name, { kind, help }] of Object.entries(METRICS)) {
      expect(text).toContain(`# HELP ${name} ${help}`);
      expect(text).toContain(`# TYPE ${name} ${kind}`);
    }
  });

  test.each([
    'memory_budget_refusals_total{purpose="summary"} 0',
    'memory_budget_refusals_total{purpose="dream"} 0',
    'memory_summary_dead_letters_total{layer="agent",code="TIMEOUT"} 0',
    'memory_summary_dead_letters_total{layer="company",code="MODEL_OUTPUT_INVALID"} 0',
  ])('include series that alerts watch from the start: %s', async (row) => {
    const { metrics, page } = fixture();
    expect((await page.render()).split('\n')).toContain(row);
    metrics.count('memory_budget_refusals_total', { purpose: 'summary' });
    expect(await page.render()).toContain('memory_budget_refusals_total{purpose="summary"} 1');
  });

  test('MEM-28: count operations and time them in buckets', async () => {
    const { metrics, page } = fixture();
    metrics.count('memory_operations_total', { operation: 'add' });
    metrics.count('memory_operations_total', { operation: 'add' }, 2);
    metrics.observe('memory_operations_latency', { operation: 'add' }, 3);
    const text = await page.render();
    expect(text).toContain('memory_operations_total{operation="add"} 3');
    expect(text).toContain('memory_operations_latency_bucket{le="2",operation="add"} 0');
    expect(text).toContain('memory_operations_latency_bucket{le="5",operation="add"} 1');
    expect(text).toContain('memory_operations_latency_sum{operation="add"} 3');
  });

  test('MEM-30: count errors by operation and code', async () => {
    const { metrics, page } = fixture();
    metrics.count('memory_operations_errors_total', { operation: 'add', code: 'CONFLICT' });
    expect(await page.render()).toContain(
      'memory_operations_errors_total{operation="add",code="CONFLICT"} 1',
    );
  });

  test('MEM-29: show the storage size by layer, summed over all tenants', async () => {
    const { page } = fixture([size('a', 'user', 10), size('b', 'user', 5), size('b', 'org', 7)]);
    const text = await page.render();
    expect(text).toContain('memory_storage_size{layer="user"} 15');
    expect(text).toContain('memory_storage_size{layer="org"} 7');
    expect(text).toContain('memory_storage_size{layer="agent"} 0');
    expect(text).not.toContain('tenant');
  });

  test('read the storage size once for concurrent scrapes, and again after 15 seconds', async () => {
    const { page, store, time } = fixture([size('a', 'user', 10)]);
    await Promise.all([page.render(), page.render(), page.render()]);
    expect(store.reads).toBe(1);
    store.sizes = [size('a', 'user', 3)];
    time.now = 14_999;
    expect(await page.render()).toContain('memory_storage_size{layer="user"} 10');
    time.now = 15_000;
    expect(await page.render()).toContain('memory_storage_size{layer="user"} 3');
    expect(store.reads).toBe(2);
  });

  test('read the age of the longest-stale summary at a scrape', async () => {
    const { page, store, time } = fixture();
    store.oldestStaleMs = 90_000;
    expect(await page.render()).toContain('memory_summary_oldest_stale_age_ms 90000');
    store.oldestStaleMs = 0;
    time.now = 15_000;
    expect(await page.render()).toContain('memory_summary_oldest_stale_age_ms 0');
  });

  test('show what a worker counted on the API page, as separate series', async () => {
    const [worker, api] = [fixture(), fixture()];
    const counted = { layer: 'user', depth: 'sentence', trigger: 'Urgent' };
    worker.metrics.count('memory_summary_generations_total', counted, 2);
    const depth = { layer: 'user', depth: 'sentence' };
    worker.metrics.observe('memory_summary_generation_duration_ms', depth, 70);
    worker.metrics.count('memory_operations_total', { operation: 'add' }, 5);
    api.metrics.count('memory_operations_total', { operation: 'add' });
    // As it is after its way from process to process.
    const snapshot = structuredClone(await worker.page.snapshot('worker'));
    const lines = (await api.page.render([snapshot])).split('\n');
    const labels = 'layer="user",depth="sentence"';
    expect(lines).toContain('memory_operations_total{operation="add"} 1');
    expect(lines).toContain('memory_operations_total{operation="add",process="worker"} 5');
    expect(lines).toContain(
      `memory_summary_generations_total{${labels},trigger="Urgent",process="worker"} 2`,
    );
    expect(lines.filter((line) => line.startsWith('# TYPE memory_operations_total'))).toHaveLength(
      1,
    );
    const inBuckets = lines.filter((line) => line.includes('generation_duration_ms_bucket'));
    expect(inBuckets.filter((line) => line.endsWith(' 1'))).toHaveLength(10);
  });

  test('show gauges of the store once, even if a worker read it too', async () => {
    const [worker, api] = [fixture([size('a', 'user', 10)]), fixture([size('a', 'user', 10)])];
    await worker.page.render();
    const text = await api.page.render([await worker.page.snapshot('worker')]);
    expect(text.match(/^memory_storage_size\{layer="user"/gmu)).toHaveLength(1);
  });

  test('ignore snapshots that no adapter wrote', async () => {
    const { page } = fixture();
    const text = await page.render([{ process: 'worker', metrics: [{ name: 7 }, null, 'text'] }]);
    expect(text).toContain('# TYPE memory_operations_total counter');
    expect(text).not.toContain('worker');
  });

  test('keep the last sizes and stay readable while the store is down', async () => {
    const { metrics, page, store, time } = fixture([size('a', 'user', 10)]);
    await page.render();
    metrics.count('memory_operations_total', { operation: 'add' });
    store.fails = true;
    time.now = 60_000;
    const text = await page.render();
    expect(text).toContain('memory_storage_size{layer="user"} 10');
    expect(text).toContain('memory_operations_total{operation="add"} 1');
  });
});
