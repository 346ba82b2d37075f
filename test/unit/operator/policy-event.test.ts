/** The event of a policy that came into force: there once, whoever died before it was put. */
import { expect, test } from 'vitest';

import { defaultPolicy } from '#core/records/policy.ts';
import { ensurePolicyEvent, policyEvent } from '#operator/tenant/policy-event.ts';
import { ownerOf } from '#test/conformance/samples.ts';
import { digest, NOW, openStore, stillPlatform } from './policy-store.ts';

const DAY_MS = 24 * 60 * 60_000;

async function applied() {
  const store = await openStore(stillPlatform());
  const put = async (hash: string, now = NOW) => {
    const result = await store.policies.put(ownerOf('a'), defaultPolicy('acme'), { hash, now });
    if (result.kind !== 'Applied') throw new Error(result.kind);
    return result.record;
  };
  const ids = async () => {
    const events = await store.events.list('acme', { afterId: null, limit: 10 });
    return events.map(({ id }) => id);
  };
  return { store, put, ids };
}

test('the event of a policy is put once, however often it is looked for', async () => {
  const { store, put, ids } = await applied();
  const record = await put('h');
  const other = { ...policyEvent(record, digest), id: '0' };
  await store.events.append({ ...other, type: 'memory_import_completed' });
  for (const late of [0, DAY_MS]) {
    await ensurePolicyEvent(record, store, { digest, now: NOW + late });
  }
  expect(await ids()).toEqual(['0', policyEvent(record, digest).id]);
});

test('the event that is there is found by a reading alone', async () => {
  const { store, put, ids } = await applied();
  const record = await put('h');
  await ensurePolicyEvent(record, store, { digest, now: NOW });
  const append = () => Promise.reject(new Error('It was put again.'));
  const events = { ...store.events, append };
  await ensurePolicyEvent(record, { events }, { digest, now: NOW });
  expect(await ids()).toHaveLength(1);
});

test('each generation has an event of its own, in their order', async () => {
  const { store, put, ids } = await applied();
  const records = [await put('h'), await put('h-2', NOW + 1), await put('h', NOW + 2)];
  for (const record of records.toReversed()) {
    await ensurePolicyEvent(record, store, { digest, now: NOW + 2 });
  }
  expect(await ids()).toEqual(records.map((record) => policyEvent(record, digest).id));
  const events = await store.events.list('acme', { afterId: null, limit: 10 });
  expect(events.map(({ at, attributes }) => [at, attributes['generation']])).toEqual([
    [NOW, 1],
    [NOW + 1, 2],
    [NOW + 2, 3],
  ]);
});

test('two generations of one moment have an event each', async () => {
  const { put } = await applied();
  const records = [await put('h'), await put('h-2'), await put('h')];
  expect(new Set(records.map((record) => policyEvent(record, digest).id)).size).toBe(3);
});

test('what may have been cleared since is not put again', async () => {
  const { store, put, ids } = await applied();
  const record = await put('h');
  await ensurePolicyEvent(record, store, { digest, now: NOW + 8 * DAY_MS });
  expect(await ids()).toEqual([]);
});

test('the id of the event is a UUIDv7 of when the policy was applied', async () => {
  const { put } = await applied();
  const { id } = policyEvent(await put('h'), digest);
  expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/u);
  expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(NOW);
});
