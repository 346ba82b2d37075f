/** tenant.get: who declares a tenant, until when, and how its memories are compared. */
import { describe, expect, test } from 'vitest';
import { connectApi } from '#cli/api-client.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { serveApi, TOKEN } from './served-api.ts';

const TENANT = 'acme';
const NOW = Date.UTC(2026, 10, 30);
const ANN = { layer: 'user', identifiers: { userId: 'ann' } } as const;
const PLACE = { cluster: 'folder', namespace: 'default', name: 'acme' };
const OWNER = { ...PLACE, uid: 'uid-1' };
const UNDECLARED = { tenant: TENANT, declaredBy: null, releasedAt: null, erasesAt: null };
const DECLARED = { tenant: TENANT, declaredBy: { ...PLACE, generation: 1, appliedAt: NOW } };

async function serve() {
  const served = await serveApi();
  const api = connectApi({ url: served.url, token: TOKEN });
  const { policies } = served.parts.store;
  return {
    ...served,
    api,
    declare: () => policies.put(OWNER, defaultPolicy(TENANT), { hash: 'h', now: NOW }),
    release: (erasesAt?: number) => policies.release(TENANT, OWNER, { now: NOW + 1, erasesAt }),
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
}

describe('tenant.get', () => {
  test.each<[string, (it: Awaited<ReturnType<typeof serve>>) => Promise<unknown>, object]>([
    ['nobody declares', () => Promise.resolve(), UNDECLARED],
    [
      'a resource declares',
      ({ declare }) => declare(),
      { ...DECLARED, releasedAt: null, erasesAt: null },
    ],
    [
      'is released',
      async ({ declare, release }) => [await declare(), await release()],
      { ...DECLARED, releasedAt: NOW + 1, erasesAt: null },
    ],
    [
      'will be erased',
      async ({ declare, release }) => [await declare(), await release(NOW + 9)],
      { ...DECLARED, releasedAt: NOW + 1, erasesAt: NOW + 9 },
    ],
  ])('tells of a tenant that %s', async (_, prepare, expected) => {
    await using it = await serve();
    await prepare(it);
    expect(await it.api.tenant.get({ tenant: TENANT })).toEqual({
      ...expected,
      models: [],
      embeddings: null,
    });
  });

  test('tells which models serve, and what a worker found when it asked them', async () => {
    await using it = await serve();
    const { policies, modelProviders } = it.parts.store;
    const choice = { provider: 'gateway', model: 'small' };
    const other = { provider: 'spare', model: 'large' };
    const policy = { ...defaultPolicy(TENANT), models: { economy: choice, standard: other } };
    await policies.put(OWNER, policy, { hash: 'h', now: NOW });
    const gateway = { name: 'gateway', owner: { ...OWNER, name: 'gateway' } };
    const extractive = { allowedNamespaces: ['*'], extractive: {} };
    await modelProviders.put(gateway, extractive, { hash: 'p', now: NOW });
    const found = { state: 'Unavailable', code: 'PROVIDER_REJECTED' } as const;
    await modelProviders.recordCheck('gateway', { hash: 'p', at: NOW + 5, ...found });
    const { models } = await it.api.tenant.get({ tenant: TENANT });
    expect(models).toEqual([
      { modelClass: 'economy', ...choice, ...found, since: NOW + 5 },
      { modelClass: 'standard', ...other, state: 'Unchecked', code: null, since: null },
    ]);
  });

  test('tells how far a change of the embedding model is', async () => {
    await using it = await serve();
    const { embeddings } = it.parts.store;
    for (const content of ['Ann likes tea.', 'Bob likes coffee.']) {
      await it.api.memory.add({ tenant: TENANT, ...ANN, content });
    }
    const state = await embeddings.state(TENANT);
    if (state === null) throw new Error('The tenant has no vectors.');
    const { active, version } = state;
    const steady = { active, target: null, phase: 'Steady', dropping: null, keptUntil: null };
    const told = async () => (await it.api.tenant.get({ tenant: TENANT })).embeddings;
    expect(await told()).toEqual({ ...steady, done: 2, missing: 0 });
    const filling = {
      ...state,
      target: 'other-3',
      phase: 'Filling',
      version: version + 1,
    } as const;
    await embeddings.putState(filling);
    const changing = { ...steady, target: 'other-3', phase: 'Filling' };
    expect(await told()).toEqual({ ...changing, done: 0, missing: 2 });
    const [keepOldMs, updatedAt] = [60_000, NOW];
    await embeddings.putState({
      ...{ ...filling, active: 'other-3', target: null, phase: 'Dropping', dropping: active },
      ...{ keepOldMs, updatedAt, version: version + 2 },
    });
    const after = { active: 'other-3', target: null, phase: 'Dropping', dropping: active };
    const kept = { ...after, keptUntil: NOW + keepOldMs };
    expect(await told()).toEqual({ ...kept, done: 0, missing: 2 });
  });
});
