/** The columns of `kubectl get` for each kind, as the operator wrote them. */
import { expect, test } from 'vitest';
import type { ResourceType } from '#core/ports/kubernetes-api.ts';
import { emptyScopeRecord } from '#core/records/scope-record.ts';
import {
  DEEP_DREAM,
  LAYER_SUMMARY_POLICY,
  MEMORY_TENANT,
  MODEL_PROVIDER,
} from '#crds/resource-types.ts';
import { timeText } from '#operator/tenant/metadata-and-conditions.ts';
import { describeUnless } from '../cluster/needs.ts';
import { missingForKubernetes } from '../cluster/test-kubernetes.ts';
import { openFixture, PATIENCE, type OperatorFixture } from './operator-fixture.ts';
import { openOperatorServer } from './operator-server.ts';
import { shared } from '#test/shared-fixture.ts';

const TENANT = 'acme';
const BUDGET = {
  limitTokens: 5_000,
  limitMicroDollars: 25_000_000,
  onExhausted: 'Reject',
} as const;
const LETTER = { code: 'MODEL_OUTPUT_INVALID', reason: 'NoGroundedFact' };
const SPENT = { tokens: 1_200, microDollars: 3_200_000 };
/** Of the layer of users, by default. */
const MAX_AGE_MS = 24 * 60 * 60_000;
/** Once a year, so that no test runs into one. */
const NEW_YEAR = '30 3 1 1 *';

describeUnless(await missingForKubernetes())('the columns of an API server', () => {
  const server = shared(openOperatorServer);

  /** The only row of a kind, by the names of its columns. */
  async function shown(
    it: OperatorFixture,
    { plural }: Pick<ResourceType, 'plural'>,
  ): Promise<Readonly<Record<string, string>>> {
    const { stdout } = await server().cluster.kubectl(['get', plural, '-n', it.namespace]);
    const [head = '', row = ''] = stdout.split('\n');
    const columns = [...head.matchAll(/\S+(?: \S+)*/gu)];
    const cells = columns.map(({ 0: name, index }, at) => [
      name,
      row.slice(index, columns[at + 1]?.index).trim(),
    ]);
    return Object.fromEntries(cells) as Record<string, string>;
  }

  /** Three users: one is as it should be, one is behind, and one was dead-lettered. */
  async function fill({ store }: OperatorFixture, now: number): Promise<void> {
    const made = { sourceCount: 3, generatedAt: now, checkedAt: now, version: 1 };
    const behind = { generatedAt: null, checkedAt: null };
    const given = { ...behind, deadLetter: { ...LETTER, at: now } };
    for (const [scopeId, differing] of Object.entries({ ann: {}, bob: behind, eve: given })) {
      const scope = emptyScopeRecord({ tenant: TENANT, layer: 'user', scopeId });
      await store.scopes.replace({ ...scope, ...made, ...differing });
    }
    const head = { tenant: TENANT, attemptId: 'attempt-1', batchId: 'batch-1' };
    const attempt = { ...head, purpose: 'summary', model: 'mini' } as const;
    await store.accounts.reserve({ attempt, amount: SPENT, budget: BUDGET, now });
    await store.accounts.settle(attempt, SPENT, { outcome: 'Usage', now });
  }

  /** One of each kind, of which everything went wrong that can. */
  async function troubled(now: number): Promise<OperatorFixture> {
    const it = await openFixture(server());
    await fill(it, now);
    const tenantRef = { name: TENANT };
    const budget = { tokens: BUDGET.limitTokens, dollars: '25' };
    await it.apply(MEMORY_TENANT, { name: TENANT, spec: { budget } });
    await it.apply(LAYER_SUMMARY_POLICY, { name: 'users', spec: { tenantRef, layer: 'user' } });
    await it.apply(DEEP_DREAM, { name: 'nightly', spec: { tenantRef, cron: NEW_YEAR } });
    const extractive = { allowedNamespaces: ['*'], extractive: {} };
    await it.apply(MODEL_PROVIDER, { name: 'local', spec: extractive });
    const running = it.start();
    const isReady = (type: ResourceType, name: string, verdict: string) =>
      expect.poll(() => it.condition(type, name, 'Ready'), PATIENCE).toBe(verdict);
    await isReady(DEEP_DREAM, 'nightly', 'True Scheduled');
    await isReady(MODEL_PROVIDER, 'local', 'True NotAskedYet');
    const provider = await it.store.modelProviders.get('local');
    const found = { state: 'Unavailable', code: 'UNAUTHENTICATED' } as const;
    const hash = provider?.hash ?? '';
    await it.store.modelProviders.recordCheck('local', { hash, at: now, ...found });
    const schedule = await it.store.dreamSchedules.get(TENANT, 'nightly');
    if (schedule === null) throw new Error('There is no schedule.');
    const at = Date.UTC(2026, 0, 1, 3, 30);
    const ended = { at, startedAt: at, endedAt: at, started: 1, counted: [] };
    const last = { ...ended, outcomes: { Failed: 1 }, failureCode: 'PROVIDER_ERROR' };
    await it.store.dreamSchedules.put({ ...schedule, last, version: schedule.version + 1 });
    await running.lookAgain();
    await isReady(DEEP_DREAM, 'nightly', 'False LastDreamFailed');
    await isReady(MODEL_PROVIDER, 'local', 'False Unavailable');
    return it;
  }

  test('K8S-02: kubectl get shows state, next time, costs, and failures of all four kinds', async () => {
    const now = Date.now();
    const it = await troubled(now);
    const due = timeText(now + MAX_AGE_MS);
    expect(await it.store.modelProviders.get('local')).toMatchObject({
      createdAt: Date.parse(
        (await it.get(MODEL_PROVIDER, 'local'))?.metadata.creationTimestamp ?? '',
      ),
    });
    expect(await shown(it, MEMORY_TENANT)).toMatchObject({
      NAME: TENANT,
      TENANT,
      READY: 'False',
      REASON: 'ModelUnavailable',
      FRESH: '1/3',
      BUDGET: '$3.20 of $25.00, 1200 of 5000 tokens',
      NEXT: due,
      'LAST ERROR': LETTER.code,
    });
    expect(await shown(it, LAYER_SUMMARY_POLICY)).toMatchObject({
      NAME: 'users',
      TENANT,
      LAYER: 'user',
      READY: 'True',
      REASON: 'InForce',
      FRESH: '1/3',
      INTERVAL: '30m',
      NEXT: due,
      'LAST ERROR': LETTER.code,
    });
    expect(await shown(it, MODEL_PROVIDER)).toMatchObject({
      NAME: 'local',
      READY: 'False',
      REASON: 'Unavailable',
      CHECK: 'Unavailable',
      'LAST ERROR': 'UNAUTHENTICATED',
    });
    expect(await shown(it, DEEP_DREAM)).toMatchObject({
      NAME: 'nightly',
      TENANT,
      READY: 'False',
      REASON: 'LastDreamFailed',
      CRON: NEW_YEAR,
      OUTCOME: '1 failed',
      NEXT: expect.stringMatching(/^20\d\d-01-01T03:30:00Z$/u) as string,
      'LAST ERROR': 'PROVIDER_ERROR',
    });
  });

  test('kubectl explain describes the last error', async () => {
    for (const { plural } of [MEMORY_TENANT, LAYER_SUMMARY_POLICY, DEEP_DREAM]) {
      const { stdout } = await server().cluster.kubectl(['explain', `${plural}.status.lastError`]);
      expect(stdout).toContain('The last failure; absent after it is resolved.');
    }
  });
});
