/** The operator on a real API server: from resources to the store and back to their status. */
import { expect, test } from 'vitest';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { embeddingProvider } from '#core/records/model-provider.ts';
import {
  DEEP_DREAM,
  LAYER_SUMMARY_POLICY,
  MEMORY_TENANT,
  MODEL_PROVIDER,
} from '#crds/resource-types.ts';
import { byAge } from '#operator/tenant/compile-policy.ts';
import { PAUSED_ANNOTATION } from '#operator/tenant/metadata-and-conditions.ts';
import { describeUnless } from '../cluster/needs.ts';
import { missingForKubernetes } from '../cluster/test-kubernetes.ts';
import { unavailableWhile } from '../unit/operator/unavailable-store.ts';
import { CLUSTER_ID, openFixture, PATIENCE, seenAs } from './operator-fixture.ts';
import { openOperatorServer } from './operator-server.ts';
import { shared } from '#test/shared-fixture.ts';

const BUDGET = { limitTokens: 5_000, limitMicroDollars: null, onExhausted: 'Reject' } as const;

describeUnless(await missingForKubernetes())('the operator on an API server', () => {
  const server = shared(openOperatorServer);

  test('K8S-02: a tenant is in the store with its layer policy, and its status says so', async () => {
    const it = await openFixture(server());
    await it.apply(MEMORY_TENANT, { name: 'acme', spec: { budget: { tokens: 5000 } } });
    await it.apply(LAYER_SUMMARY_POLICY, {
      name: 'acme-team',
      spec: { tenantRef: { name: 'acme' }, layer: 'team', updateOnChanges: 7 },
    });
    it.start();
    await expect
      .poll(() => it.condition(LAYER_SUMMARY_POLICY, 'acme-team', 'Ready'), PATIENCE)
      .toBe('True InForce');
    await expect
      .poll(() => it.condition(MEMORY_TENANT, 'acme', 'Ready'), PATIENCE)
      .toBe('True InForce');
    const record = await it.store.policies.get('acme');
    const object = await it.get(MEMORY_TENANT, 'acme');
    expect(record).toMatchObject({
      owner: { namespace: it.namespace, name: 'acme', uid: object?.metadata.uid },
      generation: 1,
      policy: { budget: BUDGET, layers: { team: { updateOnChanges: 7 } } },
    });
    expect(object?.['status']).toMatchObject({
      observedGeneration: 1,
      tenantId: 'acme',
      policy: { generation: 1, hash: record?.hash },
      budget: { summary: '0 of 5000 tokens' },
    });
    expect((await it.get(LAYER_SUMMARY_POLICY, 'acme-team'))?.['status']).toMatchObject({
      effective: { updateOnChanges: '7', maxAge: '3d' },
    });
  });

  test('K8S-02: an edit creates the next generation and updates the limits of the account', async () => {
    const it = await openFixture(server());
    await it.apply(MEMORY_TENANT, { name: 'acme', spec: { budget: { tokens: 10 } } });
    it.start();
    await expect
      .poll(() => it.condition(MEMORY_TENANT, 'acme', 'Ready'), PATIENCE)
      .toBe('True InForce');
    const period = new Date().toISOString().slice(0, 7);
    await it.store.accounts.setLimits('acme', period, { ...BUDGET, limitTokens: 10 });
    await it.apply(MEMORY_TENANT, { name: 'acme', spec: { budget: { tokens: 5000 } } });
    await expect
      .poll(async () => (await it.get(MEMORY_TENANT, 'acme'))?.['status'], PATIENCE)
      .toMatchObject({ observedGeneration: 2, policy: { generation: 2 } });
    const account = await it.store.accounts.get('acme', period, { ...BUDGET, limitTokens: 1 });
    expect(account).toMatchObject({ limitTokens: 5_000, policyGeneration: 2 });
  });

  test('a tenant that is invalid in this version keeps the last good policy', async () => {
    const it = await openFixture(server());
    let isBroken = false;
    const broken = seenAs(server().api, (object) =>
      isBroken && object.kind === 'MemoryTenant'
        ? { ...object, spec: { budget: { tokens: -5 } } }
        : object,
    );
    await it.apply(MEMORY_TENANT, { name: 'acme', spec: { budget: { tokens: 10 } } });
    const running = it.start({ api: broken });
    await expect
      .poll(() => it.condition(MEMORY_TENANT, 'acme', 'Ready'), PATIENCE)
      .toBe('True InForce');
    const before = await it.store.policies.get('acme');
    isBroken = true;
    await it.apply(MEMORY_TENANT, { name: 'acme', spec: { budget: { tokens: 11 } } });
    await expect
      .poll(() => it.condition(MEMORY_TENANT, 'acme', 'Accepted'), PATIENCE)
      .toBe('False InvalidSpec');
    const message = await it.message(MEMORY_TENANT, 'acme', 'Accepted');
    expect(message).toContain('spec.budget.tokens: expected a whole number');
    expect(message).toContain(`kubectl edit memorytenant acme -n ${it.namespace}`);
    await running.lookAgain();
    expect(await it.store.policies.get('acme')).toEqual(before);
    isBroken = false;
    await it.apply(MEMORY_TENANT, { name: 'acme', spec: { budget: { tokens: 12 } } });
    await expect
      .poll(() => it.condition(MEMORY_TENANT, 'acme', 'Ready'), PATIENCE)
      .toBe('True InForce');
  });

  test('the older of two policies of a layer applies, and the other once it is deleted', async () => {
    const it = await openFixture(server());
    await it.apply(MEMORY_TENANT, { name: 'acme' });
    const both: KubernetesObject[] = [];
    for (const [name, updateOnChanges] of [
      ['one', 11],
      ['two', 22],
    ] as const) {
      const spec = { tenantRef: { name: 'acme' }, layer: 'user', updateOnChanges };
      both.push(await it.apply(LAYER_SUMMARY_POLICY, { name, spec }));
    }
    const [older, newer] = both.toSorted(byAge).map(({ metadata }) => metadata.name);
    const changes = { one: 11, two: 22 } as Record<string, number>;
    it.start();
    await expect
      .poll(() => it.condition(LAYER_SUMMARY_POLICY, newer ?? '', 'Accepted'), PATIENCE)
      .toBe('False Superseded');
    expect(await it.message(LAYER_SUMMARY_POLICY, newer ?? '', 'Accepted')).toContain(
      `LayerSummaryPolicy ${older ?? ''} is older`,
    );
    await expect
      .poll(async () => (await it.store.policies.get('acme'))?.policy.layers.user, PATIENCE)
      .toMatchObject({ updateOnChanges: changes[older ?? ''] });
    await it.api.delete(LAYER_SUMMARY_POLICY, { namespace: it.namespace, name: older ?? '' });
    await expect
      .poll(() => it.condition(LAYER_SUMMARY_POLICY, newer ?? '', 'Ready'), PATIENCE)
      .toBe('True InForce');
    const record = await it.store.policies.get('acme');
    expect(record?.policy.layers.user.updateOnChanges).toBe(changes[newer ?? '']);
  });

  test('a tenant id of another namespace cannot be claimed until it is handed over', async () => {
    const it = await openFixture(server());
    const other = await server().cluster.createNamespace();
    await it.apply(MEMORY_TENANT, { name: 'acme' });
    const running = it.start({ namespaces: [it.namespace, other] });
    await expect
      .poll(() => it.condition(MEMORY_TENANT, 'acme', 'Ready'), PATIENCE)
      .toBe('True InForce');
    const before = await it.store.policies.get('acme');
    const spec = { tenantId: 'acme', budget: { tokens: 1 } };
    await it.apply(MEMORY_TENANT, { name: 'thief', namespace: other, spec });
    const status = async () => (await it.get(MEMORY_TENANT, 'thief', other))?.['status'];
    await expect.poll(status, PATIENCE).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Accepted', status: 'False', reason: 'TenantClaimed' }),
      ]) as unknown,
    });
    expect(await it.store.policies.get('acme')).toEqual(before);
    // Once the first one lets go it is free, for its own namespace alone.
    await it.api.delete(MEMORY_TENANT, { namespace: it.namespace, name: 'acme' });
    await expect
      .poll(async () => (await it.store.policies.get('acme'))?.releasedAt, PATIENCE)
      .not.toBeNull();
    await running.lookAgain();
    expect(await status()).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Accepted', status: 'False', reason: 'TenantClaimed' }),
      ]) as unknown,
    });
    expect((await it.store.policies.get('acme'))?.owner.name).toBe('acme');
    // Until the operator of the installation moves it.
    expect(await it.store.policies.move('acme', other)).toMatchObject({ kind: 'Moved' });
    await running.lookAgain();
    await expect.poll(status, PATIENCE).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Accepted', status: 'True' }),
      ]) as unknown,
    });
    expect((await it.store.policies.get('acme'))?.owner.name).toBe('thief');
  });

  test('nothing of a paused tenant is applied until it is resumed', async () => {
    const it = await openFixture(server());
    const annotations = { [PAUSED_ANNOTATION]: 'true' };
    await it.apply(MEMORY_TENANT, { name: 'acme', annotations, spec: { budget: { tokens: 10 } } });
    it.start();
    await expect
      .poll(() => it.condition(MEMORY_TENANT, 'acme', 'Ready'), PATIENCE)
      .toBe('False Paused');
    expect(await it.message(MEMORY_TENANT, 'acme', 'Ready')).toContain(
      `kubectl annotate memorytenant acme -n ${it.namespace} ${PAUSED_ANNOTATION}-`,
    );
    expect(await it.store.policies.get('acme')).toBeNull();
    expect((await it.get(MEMORY_TENANT, 'acme'))?.metadata.finalizers).toBeUndefined();
    await it.apply(MEMORY_TENANT, { name: 'acme', spec: { budget: { tokens: 10 } } });
    await expect
      .poll(() => it.condition(MEMORY_TENANT, 'acme', 'Ready'), PATIENCE)
      .toBe('True InForce');
  });

  test('a ModelProvider in the namespace of the release serves only the namespaces it names', async () => {
    const it = await openFixture(server());
    const other = await server().cluster.createNamespace();
    const spec = { allowedNamespaces: [it.namespace], extractive: {} };
    await it.apply(MEMORY_TENANT, { name: 'acme' });
    await it.apply(MODEL_PROVIDER, { name: 'local', spec });
    await it.apply(MODEL_PROVIDER, { name: 'smuggled', namespace: other, spec });
    it.start({ namespaces: [it.namespace, other] });
    await expect
      .poll(() => it.condition(MODEL_PROVIDER, 'local', 'Ready'), PATIENCE)
      .toBe('True NotAskedYet');
    await expect
      .poll(async () => (await it.store.policies.get('acme'))?.policy.models?.standard, PATIENCE)
      .toMatchObject({ provider: 'local' });
    const smuggled = async () => (await it.get(MODEL_PROVIDER, 'smuggled', other))?.['status'];
    await expect.poll(smuggled, PATIENCE).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({ type: 'Accepted', reason: 'WrongNamespace' }),
      ]) as unknown,
    });
    expect(await it.store.modelProviders.get('smuggled')).toBeNull();
    await it.api.delete(MODEL_PROVIDER, { namespace: it.namespace, name: 'local' });
    await expect.poll(() => it.store.modelProviders.get('local'), PATIENCE).toBeNull();
    await expect
      .poll(async () => (await it.store.policies.get('acme'))?.policy.models, PATIENCE)
      .toBeUndefined();
  });

  test('the oldest ModelProvider declares the embedding model, and the next one follows it', async () => {
    const it = await openFixture(server());
    const embedding = { name: 'e5', dimensions: 384, inputPrice: '0' };
    const openai = { baseUrl: 'http://127.0.0.1:9/v1', embedding };
    const spec = { allowedNamespaces: ['*'], openai };
    const declared = (name: string) => it.condition(MODEL_PROVIDER, name, 'EmbeddingModel');
    await it.apply(MEMORY_TENANT, { name: 'acme' });
    await it.apply(MODEL_PROVIDER, { name: 'a-first', spec });
    await it.apply(MODEL_PROVIDER, { name: 'b-second', spec });
    const running = it.start();
    await expect.poll(() => declared('a-first'), PATIENCE).toBe('True InUse');
    await running.lookAgain();
    await expect.poll(() => declared('b-second'), PATIENCE).toBe('False Superseded');
    expect(await it.condition(MODEL_PROVIDER, 'b-second', 'Ready')).toBe('False Superseded');
    const records = await it.store.modelProviders.list(9);
    expect(embeddingProvider(records)?.name).toBe('a-first');
    await it.api.delete(MODEL_PROVIDER, { namespace: it.namespace, name: 'a-first' });
    await expect.poll(() => it.store.modelProviders.get('a-first'), PATIENCE).toBeNull();
    await running.lookAgain();
    await expect.poll(() => declared('b-second'), PATIENCE).toBe('True InUse');
  });

  test('resources applied while the store is unavailable report it, and are enforced later', async () => {
    const it = await openFixture(server());
    let isUnavailable = true;
    const store = unavailableWhile(it.store, () => isUnavailable);
    const tenantRef = { name: 'acme' };
    await it.apply(MEMORY_TENANT, { name: 'acme' });
    await it.apply(LAYER_SUMMARY_POLICY, { name: 'acme-team', spec: { tenantRef, layer: 'team' } });
    await it.apply(DEEP_DREAM, { name: 'nightly', spec: { tenantRef, cron: '30 3 * * *' } });
    await it.apply(MODEL_PROVIDER, {
      name: 'local',
      spec: { allowedNamespaces: [it.namespace], extractive: {} },
    });
    const running = it.start({ store });
    const all = async () => [
      await it.condition(MEMORY_TENANT, 'acme', 'Ready'),
      await it.condition(LAYER_SUMMARY_POLICY, 'acme-team', 'Ready'),
      await it.condition(DEEP_DREAM, 'nightly', 'Ready'),
      await it.condition(MODEL_PROVIDER, 'local', 'Ready'),
    ];
    const unknown = 'Unknown StoreUnavailable';
    await expect.poll(all, PATIENCE).toEqual(['False StoreUnavailable', unknown, unknown, unknown]);
    isUnavailable = false;
    await running.lookAgain();
    await expect
      .poll(all, PATIENCE)
      .toEqual(['True InForce', 'True InForce', 'True Scheduled', 'True NotAskedYet']);
  });

  test('a policy that references no tenant reports it', async () => {
    const it = await openFixture(server());
    await it.apply(LAYER_SUMMARY_POLICY, {
      name: 'lost',
      spec: { tenantRef: { name: 'nobody' }, layer: 'team' },
    });
    it.start();
    await expect
      .poll(() => it.condition(LAYER_SUMMARY_POLICY, 'lost', 'Accepted'), PATIENCE)
      .toBe('False TenantNotFound');
  });

  test('a change by another writer in the store is corrected and counted', async () => {
    const it = await openFixture(server());
    await it.apply(MEMORY_TENANT, { name: 'acme', spec: { budget: { tokens: 5000 } } });
    const running = it.start();
    await expect
      .poll(() => it.condition(MEMORY_TENANT, 'acme', 'Ready'), PATIENCE)
      .toBe('True InForce');
    await running.lookAgain();
    const period = new Date().toISOString().slice(0, 7);
    await it.store.accounts.setLimits('acme', period, { ...BUDGET, limitTokens: 7 });
    await running.lookAgain();
    expect(await it.store.accounts.get('acme', period, BUDGET)).toMatchObject({
      limitTokens: 5_000,
    });
    expect(running.counted('drift_corrected_total', 'limits')).toBe(1);
    const record = await it.store.policies.get('acme');
    if (record === null) throw new Error('The tenant is not in the store.');
    const { owner, policy, hash, epoch } = record;
    expect(owner.cluster).toBe(CLUSTER_ID);
    const edited = { ...policy, transcriptRetentionDays: 1 };
    await it.store.policies.put(owner, edited, { hash: 'edited', now: Date.now(), epoch });
    await running.lookAgain();
    expect(await it.store.policies.get('acme')).toMatchObject({ hash, policy, generation: 3 });
    expect(running.counted('drift_corrected_total', 'policy')).toBe(1);
  });
});
