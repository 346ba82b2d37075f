/** The suite of `ModelProviderRecords`. */
import { describe, expect, it } from 'vitest';

import { ModelProvider, ModelProviderRecord } from '#core/records/model-provider.ts';

import { EMBEDDING } from '#test/unit/cli/model-providers/provider-samples.ts';
import { sharedStore, type Open } from './adapter.ts';
import { MINUTE_MS, NOW, ownerOf } from './samples.ts';

const WRITE = { hash: 'hash-1', now: NOW };
const NEXT = { hash: 'hash-2', now: NOW + 1 };
const AVAILABLE = { state: 'Available', code: null } as const;
const REFUSED = { state: 'Unavailable', code: 'UNAUTHENTICATED' } as const;

export function providerOf(model = 'small'): ModelProvider {
  const price = { inputMicroDollarsPerMillion: 150_000, outputMicroDollarsPerMillion: 600_000 };
  const room = { contextTokens: 128_000, outputTokensMax: 16_384, thinkingTokens: 0 };
  return {
    openai: {
      baseUrl: 'https://models.example/v1',
      secretRef: { name: 'model-key', key: 'token' },
      models: [{ name: model, classes: ['economy', 'standard'], ...price, ...room }],
      embedding: EMBEDDING,
      requestsPerMinute: null,
    },
    allowedNamespaces: ['*'],
  };
}

export function modelProviderSuite(open: Open): void {
  describe('model providers', () => {
    writeSuite(open);
    checkSuite(open);
  });
}

function writeSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('a model provider is stored with its generation, and repeating it changes nothing', async () => {
    const { store, tenant: name } = fixture();
    const place = { name, owner: ownerOf('a') };
    expect(await store.modelProviders.get(name)).toBeNull();
    const first = await store.modelProviders.put(place, providerOf(), WRITE);
    const record = { ...place, generation: 1, hash: 'hash-1', provider: providerOf() };
    const whole = { ...record, appliedAt: NOW, epoch: 0, check: null };
    expect(first).toEqual({ kind: 'Applied', record: whole });
    expect(ModelProviderRecord.parse(await store.modelProviders.get(name))).toEqual(whole);
    const later = { ...WRITE, now: NOW + 9 };
    const again = await store.modelProviders.put(place, providerOf(), later);
    expect(again).toEqual({ kind: 'Unchanged', record: whole });
    const changed = await store.modelProviders.put(place, providerOf('other'), NEXT);
    expect(changed).toMatchObject({ kind: 'Applied', record: { generation: 2 } });
  });

  it('a recreated resource keeps its provider, and another cluster is refused', async () => {
    const { store, tenant: name } = fixture();
    const owner = ownerOf('a');
    await store.modelProviders.put({ name, owner }, providerOf(), WRITE);
    const elsewhere = { name, owner: { ...owner, cluster: 'elsewhere' } };
    const claimed = { kind: 'Claimed', owner };
    expect(await store.modelProviders.put(elsewhere, providerOf('x'), NEXT)).toEqual(claimed);
    expect(await store.modelProviders.remove(elsewhere, {})).toEqual(claimed);
    const reborn = { name, owner: { ...owner, uid: 'another uid' } };
    const taken = await store.modelProviders.put(reborn, providerOf(), WRITE);
    expect(taken).toMatchObject({ kind: 'Applied', record: { generation: 2, ...reborn } });
    expect(await store.modelProviders.remove(reborn, {})).toEqual({ kind: 'Removed' });
    expect(await store.modelProviders.remove(reborn, {})).toEqual({ kind: 'Absent' });
    expect(await store.modelProviders.get(name)).toBeNull();
  });

  it('the creation time of the resource is stored, even if it is added later', async () => {
    const { store, tenant: name } = fixture();
    const place = { name, owner: ownerOf('a') };
    await store.modelProviders.put(place, providerOf(), WRITE);
    await store.modelProviders.recordCheck(name, { hash: 'hash-1', at: NOW, ...AVAILABLE });
    const made = { ...WRITE, now: NOW + 5, createdAt: NOW - MINUTE_MS };
    const noted = await store.modelProviders.put(place, providerOf(), made);
    const record = { generation: 1, appliedAt: NOW, createdAt: NOW - MINUTE_MS };
    // Nothing that a worker asked about is another one.
    expect(noted).toMatchObject({ kind: 'Applied', record: { ...record, check: AVAILABLE } });
    const again = await store.modelProviders.put(place, providerOf(), { ...made, now: NOW + 9 });
    expect(again).toMatchObject({ kind: 'Unchanged', record });
    const edited = { ...NEXT, createdAt: NOW - MINUTE_MS };
    await store.modelProviders.put(place, providerOf('other'), edited);
    const kept = ModelProviderRecord.parse(await store.modelProviders.get(name));
    expect(kept).toMatchObject({ generation: 2, appliedAt: NOW + 1, createdAt: NOW - MINUTE_MS });
  });

  it('a replaced leader can neither write nor remove a provider', async () => {
    const { store, tenant: name } = fixture();
    const place = { name, owner: { ...ownerOf('a'), cluster: name } };
    await store.modelProviders.put(place, providerOf(), { ...WRITE, epoch: 1 });
    await store.policies.fence(name, 2);
    const fenced = { kind: 'Fenced', epoch: 2 };
    const late = { ...NEXT, epoch: 1 };
    expect(await store.modelProviders.put(place, providerOf('x'), late)).toEqual(fenced);
    expect(await store.modelProviders.remove(place, { epoch: 1 })).toEqual(fenced);
    const fresh = { ...place, name: `${name}-new` };
    expect(await store.modelProviders.put(fresh, providerOf(), late)).toEqual(fenced);
    expect(await store.modelProviders.get(fresh.name)).toBeNull();
    expect(await store.modelProviders.get(name)).toMatchObject({ generation: 1, epoch: 2 });
    expect(await store.modelProviders.remove(place, { epoch: 2 })).toEqual({ kind: 'Removed' });
  });

  it('STORE-35: the model providers of an installation are listed page by page', async () => {
    await using opened = await open();
    const { modelProviders } = opened.store;
    for (const name of ['c', 'a', 'b']) {
      await modelProviders.put({ name, owner: ownerOf(name) }, providerOf(), WRITE);
    }
    const first = await modelProviders.list(2);
    const rest = await modelProviders.list(2, 'b');
    expect([first, rest].map((page) => page.map(({ name }) => name))).toEqual([['a', 'b'], ['c']]);
  });

  it('a compiled provider has exactly one kind and no field for a key', () => {
    const provider = providerOf();
    expect(ModelProvider.safeParse(provider).success).toBe(true);
    const { openai } = provider;
    const bad = [
      { ...provider, extractive: {} },
      { allowedNamespaces: ['*'] },
      { ...provider, openai: { ...openai, apiKey: 'secret' } },
      { ...provider, openai: { ...openai, baseUrl: 'file:///etc/passwd' } },
    ];
    expect(bad.map((each) => ModelProvider.safeParse(each).success)).toEqual(bad.map(() => false));
    const extractive = { extractive: {}, allowedNamespaces: [] };
    expect(ModelProvider.safeParse(extractive).success).toBe(true);
  });
}

function checkSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('a check records since when its result has been the same', async () => {
    const { store, tenant: name } = fixture();
    await store.modelProviders.put({ name, owner: ownerOf('a') }, providerOf(), WRITE);
    const found = (at: number, what: typeof AVAILABLE | typeof REFUSED) =>
      store.modelProviders.recordCheck(name, { hash: 'hash-1', at, ...what });
    const checkOf = async () => (await store.modelProviders.get(name))?.check;
    expect(await found(NOW, AVAILABLE)).toBe(true);
    expect(await found(NOW + 5, AVAILABLE)).toBe(true);
    expect(await checkOf()).toEqual({ ...AVAILABLE, at: NOW + 5, since: NOW });
    expect(await found(NOW + 9, REFUSED)).toBe(true);
    expect(await checkOf()).toEqual({ ...REFUSED, at: NOW + 9, since: NOW + 9 });
    // Of two workers the one that asked later is right.
    expect(await found(NOW + 7, AVAILABLE)).toBe(false);
    expect(await checkOf()).toMatchObject(REFUSED);
  });

  it('a worker whose clock is ahead blocks the checks of others for minutes at most', async () => {
    const { store, tenant: name } = fixture();
    await store.modelProviders.put({ name, owner: ownerOf('a') }, providerOf(), WRITE);
    const found = (at: number, what: typeof AVAILABLE | typeof REFUSED) =>
      store.modelProviders.recordCheck(name, { hash: 'hash-1', at, ...what });
    await found(NOW + 3 * MINUTE_MS, REFUSED);
    expect(await found(NOW, AVAILABLE)).toBe(false);
    expect(await found(NOW - 1, AVAILABLE)).toBe(true);
    expect((await store.modelProviders.get(name))?.check).toMatchObject(AVAILABLE);
  });

  it('a late check does not change a provider that was made again', async () => {
    const { store, tenant: name } = fixture();
    const place = { name, owner: ownerOf('a') };
    await store.modelProviders.put(place, providerOf(), WRITE);
    await store.modelProviders.remove(place, {});
    await store.modelProviders.put(place, providerOf('other'), NEXT);
    const late = { hash: 'hash-1', at: NOW + 9, ...REFUSED };
    expect(await store.modelProviders.recordCheck(name, late)).toBe(false);
    expect(await store.modelProviders.get(name)).toMatchObject({ generation: 1, check: null });
  });

  it('a check of an earlier definition does not change the provider', async () => {
    const { store, tenant: name } = fixture();
    const place = { name, owner: ownerOf('a') };
    await store.modelProviders.put(place, providerOf(), WRITE);
    await store.modelProviders.recordCheck(name, { hash: 'hash-1', at: NOW, ...AVAILABLE });
    await store.modelProviders.put(place, providerOf('other'), NEXT);
    expect(await store.modelProviders.get(name)).toMatchObject({ generation: 2, check: null });
    const late = { hash: 'hash-1', at: NOW + 9, ...REFUSED };
    expect(await store.modelProviders.recordCheck(name, late)).toBe(false);
    expect(await store.modelProviders.recordCheck('no such provider', late)).toBe(false);
    expect(await store.modelProviders.get(name)).toMatchObject({ check: null });
  });
}
