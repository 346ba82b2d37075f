/** Ready of a tenant on which nothing was carried out. */
import { expect, test } from 'vitest';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { found } from '#operator/tenant/conditions.ts';
import { StatusWriter } from '#operator/cluster/status-writer.ts';
import { writeReady } from '#operator/cluster/write-status.ts';
import { NOW, stillPlatform } from '../policy-store.ts';
import { tenantObject } from './resources.ts';

const OUTAGE = found('False', 'StoreUnavailable', 'The store does not answer.');
const LEADING = { isLeader: () => true, epoch: () => 1, lose: () => undefined };

async function statusAfter(object: KubernetesObject): Promise<unknown> {
  const written: KubernetesObject[] = [];
  const apply = async (_: unknown, next: KubernetesObject) => {
    written.push(next);
    return next;
  };
  const statuses = new StatusWriter({ api: { apply }, clock: () => NOW, leadership: LEADING });
  const recorder = { record: () => undefined, flush: () => Promise.resolve() };
  const context = { statuses, recorder, platform: stillPlatform() };
  const { signal } = new AbortController();
  await writeReady(object, OUTAGE, { context, signal });
  return written[0]?.['status'];
}

test('during an outage the status names the generation that was carried out last', async () => {
  const status = { observedGeneration: 1, tenantId: 'acme', conditions: [] };
  const object = tenantObject({}, { status });
  const second = { ...object, metadata: { ...object.metadata, generation: 2 } };
  expect(await statusAfter(second)).toMatchObject({
    observedGeneration: 1,
    tenantId: 'acme',
    conditions: [{ type: 'Ready', reason: 'StoreUnavailable', observedGeneration: 2 }],
  });
});

test('a tenant that nothing was ever carried out for names no generation', async () => {
  expect(await statusAfter(tenantObject())).not.toHaveProperty('observedGeneration');
});
