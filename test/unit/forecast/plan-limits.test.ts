/** Plans for a cluster whose platform has a minimum interval. */
import { expect, test } from 'vitest';
import { NO_LIMITS } from '#crds/limit-values.ts';
import { withinLimits } from '#operator/tenant/apply-platform-limits.ts';
import { documents, layerPolicy, tenant } from '../crds/policy-files.ts';
import { NOW } from '../operator/policy-store.ts';
import { forecastIn, inCluster } from './plan-fixture.ts';

const ACME = tenant('{}');
const TEAM = layerPolicy('layer: team\nupdateInterval: 1m');

test.each([
  ['the tenant alone', ACME],
  ['the tenant and a layer policy', documents(ACME, TEAM)],
  ['a layer policy alone', TEAM],
])('FORECAST-4: the effect of the limits is not a change: %s', async (_, text) => {
  const store = await inCluster(documents(ACME, TEAM));
  const [record] = await store.policies.list(1);
  if (record === undefined) throw new Error('There is no policy.');
  const { policy } = withinLimits(record.policy, { ...NO_LIMITS, leastIntervalMs: 2_700_000 });
  await store.policies.put(record.owner, policy, { hash: 'limited', now: NOW });
  expect(await forecastIn({ namespace: 'team-a' }, text, store)).toMatchObject([
    { comparison: { kind: 'Unchanged' } },
  ]);
});
