import { describe, expect, test } from 'vitest';
import { OPERATOR_METRICS } from '#core/metrics/operator-metric-definitions.ts';
import { setOperatorGauges } from '#operator/cluster/operator-health.ts';
import { createPrometheusOperatorMetrics } from '#providers/prometheus/operator-exporter.ts';

const SOURCES = {
  queues: [
    {
      name: 'memorytenant',
      running: () => [
        { key: 'team-a/acme', forMs: 4_000 },
        { key: 'team-a/other', forMs: 1_500 },
      ],
    },
  ],
  watches: () => [
    {
      kind: 'MemoryTenant',
      hasSynced: true,
      silentForMs: 2_000,
      triedForMs: 0,
      silenceMsMax: 75_000,
    },
    // Another namespace: the worse of the two counts for the kind.
    {
      kind: 'MemoryTenant',
      hasSynced: true,
      silentForMs: 1_000,
      triedForMs: 0,
      silenceMsMax: 75_000,
    },
    { kind: 'DeepDream', hasSynced: true, silentForMs: null, triedForMs: 0, silenceMsMax: 75_000 },
    { kind: 'DeepDream', hasSynced: false, silentForMs: null, triedForMs: 0, silenceMsMax: 75_000 },
  ],
  unsynced: () => [{ kind: 'MemoryTenant', forMs: 90_000 }],
};

describe('metrics of the operator', () => {
  test('include every metric of the table with its kind and help', async () => {
    const { page } = createPrometheusOperatorMetrics(() => undefined);
    const text = await page.render();
    for (const [name, { kind, help }] of Object.entries(OPERATOR_METRICS)) {
      expect(text).toContain(`# HELP ${name} ${help}`);
      expect(text).toContain(`# TYPE ${name} ${kind}`);
    }
  });

  test.each(['policy', 'limits', 'schedule'])(
    'include series that alerts watch from the start: drift of %s',
    async (what) => {
      const { page } = createPrometheusOperatorMetrics(() => undefined);
      const rows = (await page.render()).split('\n');
      expect(rows).toContain(`drift_corrected_total{what="${what}"} 0`);
    },
  );

  test('have the labels of their row', async () => {
    const { metrics, page } = createPrometheusOperatorMetrics(() => undefined);
    const controller = 'memorytenant';
    metrics.count('controller_runtime_reconcile_total', { controller, result: 'success' }, 2);
    metrics.observe('controller_runtime_reconcile_time_seconds', { controller }, 0.2);
    metrics.set('leader_election_master_status', { name: 'varve-operator' }, 1);
    const text = await page.render();
    expect(text).toContain(
      'controller_runtime_reconcile_total{controller="memorytenant",result="success"} 2',
    );
    expect(text).toContain(
      'controller_runtime_reconcile_time_seconds_bucket{le="0.25",controller="memorytenant"} 1',
    );
    expect(text).toContain('leader_election_master_status{name="varve-operator"} 1');
  });

  test('read momentary values for each page', async () => {
    const { page } = createPrometheusOperatorMetrics((metrics) =>
      setOperatorGauges(metrics, SOURCES),
    );
    const text = await page.render();
    expect(text).toContain('workqueue_unfinished_work_seconds{name="memorytenant"} 5.5');
    expect(text).toContain('workqueue_longest_running_processor_seconds{name="memorytenant"} 4');
    expect(text).toContain('cache_synced{kind="MemoryTenant"} 1');
    expect(text).toContain('cache_synced{kind="DeepDream"} 0');
    expect(text).toContain('watch_last_event_age_seconds{kind="MemoryTenant"} 2');
    expect(text).toContain('oldest_unsynced_generation_seconds{kind="MemoryTenant"} 90');
    expect(text).not.toContain('watch_last_event_age_seconds{kind="DeepDream"}');
  });
});
