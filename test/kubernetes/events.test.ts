/** Events on a real API server, which validates them strictly. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { NO_OPERATOR_METRICS } from '#core/ports/metrics.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { EVENT, type NewEvent, createEventRecorder } from '#operator/event-recorder.ts';
import type { OpenKubernetesApi } from '#providers/kubernetes/open-kubernetes-api.ts';
import { createPlatform } from '#providers/node/platform.ts';
import { createTimers } from '#providers/node/timers.ts';
import { describeUnless } from '../cluster/needs.ts';
import {
  missingForKubernetes,
  openTestKubernetes,
  type TestKubernetes,
} from '../cluster/test-kubernetes.ts';
import { MAPS, openTestApi } from './informer-fixture.ts';

describeUnless(await missingForKubernetes())('events on an API server', () => {
  let cluster: TestKubernetes;
  let api: OpenKubernetesApi;
  beforeAll(async () => {
    cluster = await openTestKubernetes();
    api = openTestApi(cluster.kubeconfig);
  });
  afterAll(async () => {
    await api[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  /** A recorder, and something in a namespace of its own that it can speak of. */
  async function fixture() {
    const namespace = await cluster.createNamespace();
    const subject = await api.create(MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace, name: 'acme' },
    });
    const { clock, newId } = createPlatform();
    const recorder = createEventRecorder({
      api,
      reporter: { controller: 'memory.varve.dev/operator', instance: 'varve-operator-0' },
      clock,
      newId,
      timers: createTimers(),
      log: SILENT_LOG,
      metrics: NO_OPERATOR_METRICS,
    });
    const news: NewEvent = {
      regarding: { ...subject, apiVersion: 'v1', kind: 'ConfigMap' },
      type: 'Warning',
      reason: 'TenantClaimed',
      action: 'ApplyPolicy',
      note: 'The tenant acme belongs to another owner; choose another tenantId.',
    };
    const events = async (): Promise<readonly KubernetesObject[]> =>
      (await api.list(EVENT, { namespace })).items;
    return { namespace, recorder, news, events };
  }

  test('the server accepts an event, and a series when it is repeated', async () => {
    const { recorder, news, events } = await fixture();
    recorder.record(news);
    await recorder.flush();
    const [made] = await events();
    expect(made).toMatchObject({ reason: 'TenantClaimed', action: 'ApplyPolicy', note: news.note });
    expect(made?.['series']).toBeUndefined();
    for (let n = 0; n < 3; n += 1) recorder.record(news);
    await recorder.flush();
    const all = await events();
    expect(all).toHaveLength(1);
    expect(all[0]).toMatchObject({ series: { count: 2 } });
  });

  test('the longest note is accepted, and kubectl shows it with the object', async () => {
    const { namespace, recorder, news } = await fixture();
    recorder.record({ ...news, note: 'ö'.repeat(2_000) });
    recorder.record(news);
    await recorder.flush();
    const args = ['events', '--for', 'configmap/acme', '--namespace', namespace];
    const { stdout } = await cluster.kubectl(args);
    expect(stdout).toContain('TenantClaimed');
    expect(stdout).toContain('choose another tenantId');
    expect(stdout).toContain('öö…');
  });

  test('if an event was deleted, a repetition creates a new one', async () => {
    const { namespace, recorder, news, events } = await fixture();
    recorder.record(news);
    await recorder.flush();
    for (const { metadata } of await events()) {
      await api.delete(EVENT, { namespace, name: metadata.name });
    }
    recorder.record(news);
    await recorder.flush();
    expect(await events()).toHaveLength(1);
  });
});
