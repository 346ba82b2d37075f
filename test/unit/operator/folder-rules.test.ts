/** A folder follows the rules of a cluster: pauses, drift, models, and removed resources. */
import { describe, expect, test } from 'vitest';
import { embeddingProvider } from '#core/records/model-provider.ts';
import { describeProvider, describeOutcome } from '#operator/folder/outcome-text.ts';
import { ERASE_AFTER_MS } from '#operator/folder/removed-resources.ts';
import { CLUSTER_RESYNC_MS } from '#operator/resync-intervals.ts';
import { deepDream, documents, layerPolicy, tenant } from '../crds/policy-files.ts';
import { looking, paused, PAUSED } from './folder-processes.ts';
import { changedScope, everythingOf, NOW } from './policy-store.ts';

const BUDGET = { limitTokens: 5, limitMicroDollars: null, onExhausted: 'Reject' } as const;
const PERIOD = '2026-11';
const SCOPE = { tenant: 'acme', layer: 'user', scopeId: 'dana' } as const;

function provider(spec: string, name = 'gateway', namespace = 'default'): string {
  return [
    'apiVersion: memory.varve.dev/v1alpha1',
    'kind: ModelProvider',
    `metadata: { name: ${name}, namespace: ${namespace} }`,
    `spec: { allowedNamespaces: ["*"], ${spec} }`,
  ].join('\n');
}

const ENDPOINT =
  'openai: { baseUrl: "http://127.0.0.1:9/v1", secretRef: { name: gateway, key: api-key }, ' +
  'models: [{ name: small, classes: [economy, standard], inputPrice: "1", outputPrice: "2" }] }';

describe('a pause in a folder', () => {
  test('delays an edit of a tenant until it ends', async () => {
    const { look, write, limit } = await looking({ 'a.yaml': tenant('budget: { tokens: 5 }') });
    await look();
    await write('a.yaml', paused(tenant('budget: { tokens: 7 }')));
    const { outcomes } = await look();
    expect(outcomes).toEqual([{ kind: 'Paused', tenant: 'acme', isDeclared: true }]);
    expect(await limit()).toBe(5);
    await write('a.yaml', tenant('budget: { tokens: 7 }'));
    await look();
    expect(await limit()).toBe(7);
  });

  test('keeps a layer policy and a dream as last applied', async () => {
    const layer = (changes: number) => layerPolicy(`layer: user\nupdateOnChanges: ${changes}`);
    const dream = (days: number) => deepDream(`lookbackDays: ${days}`);
    const files = { 'a.yaml': tenant('{}'), 'b.yaml': layer(2), 'c.yaml': dream(3) };
    const { look, store, write } = await looking(files);
    await look();
    await write('b.yaml', paused(layer(9)));
    await write('c.yaml', paused(dream(9)));
    const { outcomes } = await look();
    expect(outcomes).toMatchObject([{ kind: 'Kept', tenant: 'acme' }]);
    const policy = (await store.policies.get('acme'))?.policy;
    expect(policy?.layers.user.updateOnChanges).toBe(2);
    expect(policy?.dreams).toMatchObject([{ lookbackDays: 3 }]);
  });

  test('keeps a tenant whose file is removed', async () => {
    const files = { 'a.yaml': paused(tenant('{}')), 'b.yaml': tenant('{}', 'beta') };
    const { look, store, write, remove } = await looking({ ...files, 'a.yaml': tenant('{}') });
    await look();
    await write('a.yaml', files['a.yaml']);
    await look();
    await remove('a.yaml');
    const { outcomes } = await look();
    expect(outcomes.at(-1)).toEqual({ kind: 'Paused', tenant: 'acme', isDeclared: false });
    expect((await store.policies.get('acme'))?.releasedAt).toBeNull();
  });
});

describe('drift in a folder', () => {
  test('of a limit is corrected, reported and counted after a quarter of an hour', async () => {
    const files = { 'a.yaml': tenant('budget: { tokens: 5 }') };
    const { look, store, time, counted } = await looking(files);
    await look();
    const other = { ...BUDGET, limitTokens: 999, policyGeneration: 1 };
    await store.accounts.setLimits('acme', PERIOD, other);
    const soon = await look();
    expect(soon.outcomes).toMatchObject([{ kind: 'Kept', drift: [] }]);
    time.now += CLUSTER_RESYNC_MS;
    const { outcomes } = await look();
    expect(outcomes).toMatchObject([{ kind: 'Kept', drift: ['limits'] }]);
    expect(outcomes.map(describeOutcome).join()).toContain('budget limits');
    expect((await store.accounts.get('acme', PERIOD, BUDGET)).limitTokens).toBe(5);
    expect(counted).toEqual([['drift_corrected_total', { what: 'limits' }]]);
  });

  test('of a policy is corrected at the next look, and an edit does not count', async () => {
    const { look, store, write, counted } = await looking({ 'a.yaml': tenant('{}') });
    await look();
    const record = await store.policies.get('acme');
    if (record === null) throw new Error('There is no policy.');
    const other = { ...record.policy, urgentDebounceMs: 1 };
    await store.policies.put(record.owner, other, { hash: 'other', now: NOW });
    const { outcomes } = await look();
    expect(outcomes).toMatchObject([{ kind: 'Applied', generation: 3, drift: ['policy'] }]);
    expect((await store.policies.get('acme'))?.policy).toEqual(record.policy);
    await write('a.yaml', tenant('budget: { tokens: 5 }'));
    expect((await look()).outcomes).toMatchObject([{ kind: 'Applied', drift: [] }]);
    expect(counted).toEqual([['drift_corrected_total', { what: 'policy' }]]);
  });
});

describe('ModelProviders of a folder', () => {
  test('offer models to policies, and the store records the place of the key', async () => {
    const files = { 'a.yaml': documents(tenant('{}'), provider(ENDPOINT)) };
    const { look, store } = await looking(files);
    const { providers } = await look();
    expect(providers).toEqual([{ kind: 'Applied', provider: 'gateway' }]);
    const choice = { provider: 'gateway', model: 'small' };
    const policy = (await store.policies.get('acme'))?.policy;
    expect(policy?.models).toEqual({ economy: choice, standard: choice });
    const record = await store.modelProviders.get('gateway');
    expect(record?.owner).toMatchObject({ cluster: 'folder', namespace: 'default' });
    expect(record?.provider.openai?.secretRef).toEqual({ name: 'gateway', key: 'api-key' });
    expect((await look()).providers).toEqual([{ kind: 'Kept', provider: 'gateway' }]);
  });

  test('of another namespace are refused with a reason and serve nobody', async () => {
    const files = { 'a.yaml': documents(tenant('{}'), provider(ENDPOINT, 'gateway', 'other')) };
    const { look, store } = await looking(files);
    const { providers } = await look();
    expect(providers.map(describeProvider).join()).toMatch(/refused \(WrongNamespace\).*default/u);
    expect(await store.modelProviders.get('gateway')).toBeNull();
    expect((await store.policies.get('acme'))?.policy.models).toBeUndefined();
  });

  test('are refused if another installation has the name', async () => {
    const files = { 'a.yaml': documents(tenant('{}'), provider(ENDPOINT)) };
    const { look, store } = await looking(files);
    const owner = { cluster: 'production', namespace: 'varve', name: 'gateway', uid: '1' };
    const extractive = { allowedNamespaces: ['*'], extractive: {} };
    await store.modelProviders.put({ name: 'gateway', owner }, extractive, { hash: 'h', now: NOW });
    const { providers } = await look();
    expect(providers).toEqual([{ kind: 'NameClaimed', provider: 'gateway', owner }]);
    expect((await store.policies.get('acme'))?.policy.models).toBeUndefined();
  });

  test('are removed only by a process that saw their file disappear', async () => {
    const files = { 'a.yaml': tenant('{}'), 'b.yaml': provider(ENDPOINT) };
    const { look, start, store, write, remove } = await looking(files);
    await look();
    await remove('b.yaml');
    expect((await start()()).providers).toEqual([]);
    expect(await store.modelProviders.get('gateway')).not.toBeNull();
    expect((await look()).providers).toEqual([{ kind: 'Removed', provider: 'gateway' }]);
    expect(await store.modelProviders.get('gateway')).toBeNull();
    await write('b.yaml', provider(ENDPOINT));
    expect((await look()).providers).toMatchObject([{ kind: 'Applied' }]);
  });

  test('declare one embedding model of an installation, and the second is refused by name', async () => {
    const embedding = '{ name: e5, dimensions: 384, inputPrice: "0" }';
    const spec = `openai: { baseUrl: "http://127.0.0.1:9/v1", embedding: ${embedding} }`;
    const second = documents(tenant('{}'), provider(spec, 'second'));
    const files = { 'a.yaml': second, 'b.yaml': provider(spec, 'first') };
    const { look, store, remove } = await looking(files);
    const { providers } = await look();
    expect(providers).toEqual([
      { kind: 'Superseded', provider: 'second', by: 'first' },
      { kind: 'Applied', provider: 'first' },
    ]);
    expect(providers.map(describeProvider).join()).toMatch(/second: .*\(Superseded\).*first/u);
    await remove('b.yaml');
    expect((await look()).providers).toEqual([
      { kind: 'Kept', provider: 'second' },
      { kind: 'Removed', provider: 'first' },
    ]);
    expect(embeddingProvider(await store.modelProviders.list(9))?.name).toBe('second');
  });

  test('serve as last applied while they are paused', async () => {
    const files = { 'a.yaml': tenant('{}'), 'b.yaml': provider('extractive: {}') };
    const { look, store, write } = await looking(files);
    await look();
    const before = await store.modelProviders.get('gateway');
    const edited = provider(ENDPOINT).replace('{ name', `{ ${PAUSED}, name`);
    await write('b.yaml', edited);
    expect((await look()).providers).toEqual([{ kind: 'Paused', provider: 'gateway' }]);
    expect(await store.modelProviders.get('gateway')).toEqual(before);
  });
});

describe('a tenant whose file is removed', () => {
  const BETA = tenant('{}', 'beta');

  test('is released with its memories and resumes when the file is back', async () => {
    const files = { 'a.yaml': tenant('{}'), 'b.yaml': BETA };
    const { look, store, ended, write, remove } = await looking(files);
    await look();
    const scope = await changedScope(store, SCOPE, 1);
    await remove('a.yaml');
    const { outcomes } = await look();
    expect(outcomes.at(-1)).toEqual({ kind: 'Released', tenant: 'acme', erasesAt: null });
    expect(ended).toEqual(['acme']);
    expect((await store.policies.get('acme'))?.releasedAt).toBe(NOW);
    expect(await store.scopes.get(SCOPE)).toEqual(scope);
    expect((await look()).outcomes).toMatchObject([{ tenant: 'beta' }]);
    await write('a.yaml', tenant('{}'));
    expect((await look()).outcomes[0]).toMatchObject({ kind: 'Applied', generation: 2 });
    expect((await store.policies.get('acme'))?.releasedAt).toBeNull();
  });

  test('with Erase is erased ten minutes later, without touching other tenants', async () => {
    const files = { 'a.yaml': tenant('reclaimPolicy: Erase'), 'b.yaml': BETA };
    const { look, store, time, remove } = await looking(files);
    await look();
    await changedScope(store, SCOPE, 1);
    await changedScope(store, { ...SCOPE, tenant: 'beta' }, 1);
    await remove('a.yaml');
    const erasesAt = NOW + ERASE_AFTER_MS;
    const first = await look();
    expect(first.outcomes.at(-1)).toEqual({ kind: 'Released', tenant: 'acme', erasesAt });
    time.now = erasesAt - 1;
    await look();
    expect(await store.scopes.list('acme', 10)).toHaveLength(1);
    time.now = erasesAt;
    const { outcomes } = await look();
    expect(outcomes.at(-1)).toEqual({ kind: 'Erased', tenant: 'acme' });
    expect(await store.policies.get('acme')).toBeNull();
    expect(await store.scopes.list('acme', 10)).toEqual([]);
    expect(await store.scopes.list('beta', 10)).toHaveLength(1);
    expect((await look()).outcomes).toMatchObject([{ kind: 'Kept', tenant: 'beta' }]);
  });

  test.each([
    ['put back in time', tenant('reclaimPolicy: Erase')],
    ['put back with Retain', tenant('{}')],
  ])('is not erased if it is %s', async (_, text) => {
    const files = { 'a.yaml': tenant('reclaimPolicy: Erase'), 'b.yaml': BETA };
    const { look, store, time, write, remove } = await looking(files);
    await look();
    await changedScope(store, SCOPE, 1);
    await remove('a.yaml');
    await look();
    await write('a.yaml', text);
    await look();
    time.now += ERASE_AFTER_MS;
    await look();
    expect(await store.scopes.list('acme', 10)).toHaveLength(1);
    expect((await store.policies.get('acme'))?.releasedAt).toBeNull();
  });

  test('is kept if Retain was applied after Erase', async () => {
    const files = { 'a.yaml': tenant('reclaimPolicy: Erase'), 'b.yaml': BETA };
    const { look, store, time, write, remove } = await looking(files);
    await look();
    await write('a.yaml', tenant('reclaimPolicy: Retain'));
    await look();
    await changedScope(store, SCOPE, 1);
    await remove('a.yaml');
    await look();
    time.now += ERASE_AFTER_MS;
    await look();
    expect(await store.scopes.list('acme', 10)).toHaveLength(1);
  });

  test('POLICY-52: is not released by an empty, broken or different folder', async () => {
    const files = { 'a.yaml': tenant('reclaimPolicy: Erase'), 'b.yaml': BETA };
    const { look, start, store, time, write, remove } = await looking(files);
    await look();
    const before = [await everythingOf(store, 'acme'), await everythingOf(store, 'beta')];
    const now = async () => [await everythingOf(store, 'acme'), await everythingOf(store, 'beta')];
    await remove('a.yaml');
    await remove('b.yaml');
    await expect(look()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await write('b.yaml', tenant('budget: { tokens: many }', 'beta'));
    await expect(look()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    time.now += ERASE_AFTER_MS;
    await expect(look()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await now()).toEqual(before);
    // Whoever did not see them there does not know that they went.
    await write('b.yaml', tenant('{}', 'gamma'));
    const { outcomes } = await start()();
    expect(outcomes.map(({ kind, tenant: id }) => [kind, id])).toEqual([
      ['Applied', 'gamma'],
      ['Orphaned', 'acme'],
      ['Orphaned', 'beta'],
    ]);
    expect(await now()).toEqual(before);
  });

  test('passes to another resource with the same tenant id', async () => {
    const files = { 'a.yaml': tenant('reclaimPolicy: Erase'), 'b.yaml': BETA };
    const { look, store, time, write, remove } = await looking(files);
    await look();
    await changedScope(store, SCOPE, 1);
    await remove('a.yaml');
    await write('c.yaml', tenant('tenantId: acme', 'renamed'));
    const { outcomes } = await look();
    expect(outcomes).toMatchObject([{ tenant: 'beta' }, { kind: 'Applied', tenant: 'acme' }]);
    time.now += ERASE_AFTER_MS;
    await look();
    expect((await store.policies.get('acme'))?.owner.name).toBe('renamed');
    expect(await store.scopes.list('acme', 10)).toHaveLength(1);
  });

  test('is released at the next look after a store failure', async () => {
    const { look, store, remove } = await looking({ 'a.yaml': tenant('{}'), 'b.yaml': BETA });
    await look();
    await remove('a.yaml');
    const release = () => Promise.reject(new TypeError('closed'));
    await expect(look({ policies: { ...store.policies, release } })).rejects.toThrow(TypeError);
    const { outcomes } = await look();
    expect(outcomes.at(-1)).toMatchObject({ kind: 'Released' });
    expect((await store.policies.get('acme'))?.releasedAt).toBe(NOW);
  });
});
