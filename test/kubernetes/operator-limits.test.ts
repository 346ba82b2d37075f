/** The operator under the platform's limits, on a real API server. */
import { expect, test } from 'vitest';
import { LIMITS_NAME } from '#crds/limit-values.ts';
import { LAYER_SUMMARY_POLICY, MEMORY_TENANT } from '#crds/resource-types.ts';
import { CONFIG_MAP } from '#operator/cluster/platform-limits-source.ts';
import { describeUnless } from '../cluster/needs.ts';
import { missingForKubernetes } from '../cluster/test-kubernetes.ts';
import { openFixture, PATIENCE, type OperatorFixture } from './operator-fixture.ts';
import { openOperatorServer } from './operator-server.ts';
import { shared } from '#test/shared-fixture.ts';

const MINUTE_MS = 60_000;
const LEAST_MS = 45 * MINUTE_MS;

describeUnless(await missingForKubernetes())('an operator under limits', () => {
  const server = shared(openOperatorServer);

  const limitTo = ({ api, namespace }: OperatorFixture, data: Readonly<Record<string, string>>) =>
    api.apply(
      CONFIG_MAP,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: LIMITS_NAME, namespace }, data },
      { fieldManager: 'a-person', force: true },
    );

  test('a tenant gets the policy that the limits allow, and its status says so', async () => {
    const it = await openFixture(server());
    await limitTo(it, {
      leastInterval: '45m',
      modelClasses: 'economy',
      largestBudgetDollars: '100.00',
    });
    await it.apply(MEMORY_TENANT, { name: 'acme' });
    it.start();
    await expect
      .poll(() => it.condition(MEMORY_TENANT, 'acme', 'Accepted'), PATIENCE)
      .toBe('True Limited');
    expect(await it.store.policies.get('acme')).toMatchObject({
      policy: {
        leastIntervalMs: LEAST_MS,
        budget: { limitMicroDollars: 100_000_000 },
        layers: {
          session: { updateIntervalMs: LEAST_MS, modelClass: 'economy' },
          team: { updateIntervalMs: 60 * MINUTE_MS, modelClass: 'economy' },
        },
      },
    });
    expect(await it.condition(MEMORY_TENANT, 'acme', 'Ready')).toBe('True InForce');
    expect(await it.message(MEMORY_TENANT, 'acme', 'Accepted')).toBe(
      "The resource is valid and owns the tenant. The platform's limits apply: " +
        'no summary or dream more often than every 45m; ' +
        'updateInterval 45m (agent, user, session, project); ' +
        'modelClass economy (agent, user, session, project, team); budget.dollars 100.00.',
    );
  });

  test('changed, invalid, and removed limits reach an existing tenant', async () => {
    const it = await openFixture(server());
    await it.apply(MEMORY_TENANT, { name: 'acme' });
    const spec = { tenantRef: { name: 'acme' }, layer: 'team', updateInterval: '1m' };
    await it.apply(LAYER_SUMMARY_POLICY, { name: 'acme-team', spec });
    const running = it.start();
    await expect
      .poll(() => it.condition(MEMORY_TENANT, 'acme', 'Accepted'), PATIENCE)
      .toBe('True Accepted');
    const interval = async () => {
      await running.lookAgain();
      return (await it.store.policies.get('acme'))?.policy.layers.team.updateIntervalMs;
    };
    await limitTo(it, { leastInterval: '45m' });
    expect(await interval()).toBe(LEAST_MS);
    await expect
      .poll(() => it.condition(LAYER_SUMMARY_POLICY, 'acme-team', 'Ready'), PATIENCE)
      .toBe('True InForce');
    await limitTo(it, { leastInterval: 'soon' });
    expect(await interval()).toBe(LEAST_MS);
    await it.api.delete(CONFIG_MAP, { namespace: it.namespace, name: LIMITS_NAME });
    expect(await interval()).toBe(MINUTE_MS);
    expect(await it.condition(MEMORY_TENANT, 'acme', 'Accepted')).toBe('True Accepted');
  });
});
