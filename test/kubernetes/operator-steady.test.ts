/** The operator does not write unchanged state again, in later rounds or after a restart. */
import { expect, test } from 'vitest';
import type { KubernetesApi, ResourceType } from '#core/ports/kubernetes-api.ts';
import {
  DEEP_DREAM,
  LAYER_SUMMARY_POLICY,
  MEMORY_TENANT,
  MODEL_PROVIDER,
} from '#crds/resource-types.ts';
import { LEASE } from '#operator/leader/lease.ts';
import { describeUnless } from '../cluster/needs.ts';
import { missingForKubernetes } from '../cluster/test-kubernetes.ts';
import { changedScope, everythingOf } from '../unit/operator/policy-store.ts';
import { openFixture, PATIENCE, type OperatorFixture } from './operator-fixture.ts';
import { openOperatorServer } from './operator-server.ts';
import { shared } from '#test/shared-fixture.ts';

const KINDS = [MEMORY_TENANT, LAYER_SUMMARY_POLICY, MODEL_PROVIDER, DEEP_DREAM];
const ROUNDS = 5;

describeUnless(await missingForKubernetes())('an operator with nothing to do', () => {
  const server = shared(openOperatorServer);

  /** One of each kind, with one that is superseded and one that leads nowhere. */
  async function declared() {
    const it = await openFixture(server());
    const tenantRef = { name: 'acme' };
    await it.apply(MEMORY_TENANT, { name: 'acme', spec: { budget: { tokens: 5000 } } });
    for (const [name, layer] of [
      ['a', 'team'],
      ['b', 'team'],
      ['c', 'org'],
    ] as const) {
      await it.apply(LAYER_SUMMARY_POLICY, { name, spec: { tenantRef, layer } });
    }
    await it.apply(LAYER_SUMMARY_POLICY, {
      name: 'lost',
      spec: { tenantRef: { name: 'nobody' }, layer: 'team' },
    });
    await it.apply(MODEL_PROVIDER, {
      name: 'local',
      spec: { allowedNamespaces: ['*'], extractive: {} },
    });
    await it.apply(DEEP_DREAM, { name: 'nightly', spec: { tenantRef, cron: '30 3 * * *' } });
    return it;
  }

  async function converged(it: OperatorFixture): Promise<void> {
    const statuses = async () => {
      const pages = await Promise.all(
        KINDS.map((type) => it.api.list(type, { namespace: it.namespace })),
      );
      return pages.flatMap(({ items }) => items).filter((object) => object['status'] === undefined);
    };
    await expect.poll(statuses, PATIENCE).toEqual([]);
    await expect
      .poll(() => it.condition(LAYER_SUMMARY_POLICY, 'c', 'Ready'), PATIENCE)
      .toBe('True InForce');
    await expect
      .poll(() => it.condition(DEEP_DREAM, 'nightly', 'Ready'), PATIENCE)
      .toBe('True Scheduled');
  }

  /** Every version of every resource, and everything in the store. */
  async function everything(it: OperatorFixture): Promise<string> {
    const pages = await Promise.all(
      KINDS.map((type) => it.api.list(type, { namespace: it.namespace })),
    );
    // The server lists by name.
    const versions = pages.flatMap(({ items }) =>
      items.map(({ kind, metadata }) => [kind, metadata.name, metadata.resourceVersion]),
    );
    return JSON.stringify([
      versions,
      await everythingOf(it.store, 'acme'),
      await it.store.modelProviders.list(10),
    ]);
  }

  test('K8S-04: it writes nothing round after round, in the cluster or in the store', async () => {
    const it = await declared();
    await changedScope(it.store, { tenant: 'acme', layer: 'user', scopeId: 'dana' }, 1);
    const writes: string[] = [];
    const running = it.start({ api: countingWrites(server().api, writes) });
    await converged(it);
    // The first look after a refresh that moved something may still be pending.
    await running.lookAgain();
    await running.lookAgain();
    const before = await everything(it);
    writes.length = 0;
    for (let round = 0; round < ROUNDS; round += 1) await running.lookAgain();
    expect(await everything(it)).toBe(before);
    expect(writes).toEqual([]);
  });

  test('an operator that takes over writes only its Lease', async () => {
    const it = await declared();
    const first = it.start();
    await converged(it);
    await first.lookAgain();
    await first.stop();
    const before = withoutEpochs(await everything(it));
    const writes: string[] = [];
    const second = it.start({ api: countingWrites(server().api, writes) });
    await expect.poll(() => second.operator.isLeader(), PATIENCE).toBe(true);
    await second.lookAgain();
    await second.lookAgain();
    expect(withoutEpochs(await everything(it))).toBe(before);
    expect(writes).toEqual([]);
  });
});

/** The fence of a new leader is all that it writes into records that stand. */
function withoutEpochs(text: string): string {
  return text.replaceAll(/\\*"epoch\\*":\d+/gu, '');
}

/** Collects every write but those of the Lease, which is renewed for as long as somebody leads. */
function countingWrites(api: KubernetesApi, writes: string[]): KubernetesApi {
  const note = (verb: string, { kind }: ResourceType): void => {
    if (kind !== LEASE.kind) writes.push(`${verb} ${kind}`);
  };
  return {
    ...api,
    create: (type, ...rest) => (note('create', type), api.create(type, ...rest)),
    replace: (type, ...rest) => (note('replace', type), api.replace(type, ...rest)),
    apply: (type, ...rest) => (note('apply', type), api.apply(type, ...rest)),
    patch: (type, ...rest) => (note('patch', type), api.patch(type, ...rest)),
    delete: (type, ...rest) => (note('delete', type), api.delete(type, ...rest)),
  };
}
