/** What a plan says of resources that are paused, and of more dreams than a tenant may have. */
import { describe, expect, test } from 'vitest';
import { DREAMS_PER_TENANT_MAX } from '#core/records/dream-policy.ts';
import { defaultPolicy } from '#core/records/policy.ts';
import type { Store } from '#core/ports/store.ts';
import { planText } from '#cli/plan/plan-text.ts';
import { PAUSED_ANNOTATION } from '#operator/tenant/annotations.ts';
import { overStored, withStored } from '#operator/forecast/merged-policy.ts';
import { ACME, deepDream, documents, layerPolicy, read, tenant } from '../crds/policy-files.ts';
import { applied, forecast, inCluster } from './plan-fixture.ts';

const EAGER = layerPolicy('layer: user\nupdateOnChanges: 1');
const LAZY = layerPolicy('layer: user\nupdateOnChanges: 9');
const NIGHTLY = deepDream('{}');
const LATER = deepDream('cron: 0 5 * * *');
const HAD = documents(ACME, EAGER, NIGHTLY);
const LIMITED = 'budget: { tokens: 5 }';

function paused(text: string): string {
  const annotations = `  annotations: { ${PAUSED_ANNOTATION}: 'true' }`;
  return text.replace('\nspec:', `\n${annotations}\nspec:`);
}

/** Either kind of operator leaves what is paused as it was. */
const OPERATORS: readonly (readonly [string, () => Promise<Store>])[] = [
  ['a cluster', () => inCluster(HAD)],
  ['a folder', async () => (await applied(HAD)).store],
];

describe.each(OPERATORS)('of %s, a plan', (_, hold) => {
  const said = async (text: string): Promise<string> =>
    planText(await forecast(text, await hold()), true);

  test('FORECAST-5: of a paused tenant says that nothing is applied', async () => {
    const text = await said(documents(paused(tenant(LIMITED)), LAZY));
    expect(text).toMatch(
      /^acme \([-a-z]+\/acme\): not applied, since it is paused\nNothing would change\.$/u,
    );
  });

  test('FORECAST-5: of a paused layer policy and dream leaves both as they are', async () => {
    const text = await said(documents(tenant(LIMITED), paused(LAZY), paused(LATER)));
    expect(text).toContain('  budget.tokens none → 5\n');
    expect(text).not.toContain('updateOnChanges');
    expect(text).not.toContain('dreams.nightly');
    expect(text).toContain('or which are paused, stay: user\n');
    expect(text).toContain('or that are paused, stay: nightly\n');
  });

  test('FORECAST-5: a paused layer policy keeps its window beside a new one', async () => {
    const wider = tenant('refresh: { batchWindow: 9m }');
    const text = await said(documents(wider, paused(LAZY), NIGHTLY));
    expect(text).toContain('layers.team.batchWindow 5m → 9m');
    expect(text).not.toContain('layers.user');
  });

  test('FORECAST-5: of what goes on again says what changes', async () => {
    const text = await said(documents(ACME, LAZY, LATER));
    expect(text).toContain('layers.user.updateOnChanges 1 → 9');
    expect(text).toContain('dreams.nightly.cron 30 3 * * * → 0 5 * * *');
  });
});

test('FORECAST-5: a layer policy that is paused from the first changes nothing', async () => {
  const store = await inCluster(ACME);
  expect(planText(await forecast(paused(LAZY), store), true)).toContain('acme): unchanged\n');
});

test('FORECAST-5: a dream that is paused from the first is not dreamt', async () => {
  const { store } = await applied(ACME);
  const text = planText(await forecast(documents(ACME, paused(NIGHTLY)), store), true);
  expect(text).toContain('unchanged\nNothing would change.');
});

test('FORECAST-5: of more dreams than a tenant may have, the older ones are dreamt', () => {
  const names = Array.from({ length: DREAMS_PER_TENANT_MAX }, (_, index) => `d${100 + index}`);
  const [first] = read(documents(ACME, NIGHTLY)).dreams;
  if (first === undefined) throw new Error('There is no dream.');
  const { dreams: [dream] = [] } = overStored(
    { owner: OWNER, policy: defaultPolicy('acme') },
    { policies: [], dreams: [first] },
  ).policy;
  if (dream === undefined) throw new Error('There is no dream.');
  const stored = { ...defaultPolicy('acme'), dreams: names.map((name) => ({ ...dream, name })) };
  const changed = { ...dream, name: 'd199', cron: '0 5 * * *' };
  const brought = { ...defaultPolicy('acme'), dreams: [{ ...dream, name: 'a-new-one' }, changed] };
  const { desired } = withStored({ owner: OWNER, policy: brought }, stored, new Set());
  expect(desired.policy.dreams?.map(({ name }) => name)).toEqual(names);
  expect(desired.policy.dreams?.at(-1)?.cron).toBe('0 5 * * *');
});

const OWNER = { cluster: 'cluster-1', namespace: 'team-a', name: 'acme', uid: 'uid-acme' };
