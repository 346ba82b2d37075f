/** The models that a plan announces are those that the operator gives the tenants. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plannedProviders } from '#cli/plan/plan-policies.ts';
import { planText } from '#cli/plan/plan-text.ts';
import type { Store } from '#core/ports/store.ts';
import { DREAMS_PER_TENANT_MAX } from '#core/records/dream-policy.ts';
import type {
  ModelProvider as CompiledProvider,
  ModelProviderRecord,
} from '#core/records/model-provider.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { ModelProvider } from '#crds/model-provider.ts';
import { readObject } from '#crds/read-object.ts';
import { FOLDER_CLUSTER } from '#core/records/policy.ts';
import { overStored, mergeWithStored } from '#operator/forecast/policy-after-merge.ts';
import { PAUSED_ANNOTATION } from '#operator/tenant/metadata-and-conditions.ts';
import { chooseModels, providersInUse, compileProvider } from '#operator/tenant/compile-policy.ts';
import { ACME, documents, deepDream, layerPolicy, read, tenant } from '../crds/policy-files.ts';
import { providerObject } from '../operator/cluster/resources.ts';
import { NOW, openStore, stillPlatform } from '../operator/policy-store.ts';
import { applied, forecastIn, inCluster, type PlanPlace, forecast } from './plan-fixture.ts';

/** As an operator in the namespace `varve` names its cluster. */
const CLUSTER = '3f2504e0-4f89-41d3-9a0c-0305e82c3301.varve';
const OTHER = '3f2504e0-4f89-41d3-9a0c-0305e82c3301.rival';
const RELEASE = 'varve';
const NONE: CompiledProvider = { allowedNamespaces: ['*'], extractive: {} };

interface Written {
  readonly namespace?: string;
  readonly allowed?: string;
  readonly annotations?: string;
}

/** A ModelProvider of one model for both classes, with the name of the provider. */
function provider(name: string, { namespace, allowed = '*', annotations = '{}' }: Written): string {
  const place = namespace === undefined ? '' : `, namespace: ${namespace}`;
  return `apiVersion: memory.varve.dev/v1alpha1
kind: ModelProvider
metadata: { name: ${name}${place}, annotations: ${annotations} }
spec:
  allowedNamespaces: ['${allowed}']
  openai:
    baseUrl: https://models.example.com/v1
    models:
      - { name: mini, classes: [economy, standard], inputPrice: '1', outputPrice: '2' }`;
}

/** What an operator left in the store of a ModelProvider without a model. */
async function put(
  store: Store,
  name: string,
  times: { readonly createdAt?: number; readonly now?: number; readonly cluster?: string } = {},
): Promise<void> {
  const { createdAt, now = NOW, cluster = CLUSTER } = times;
  const namespace = cluster.slice(cluster.indexOf('.') + 1);
  const owner = { cluster, namespace, name, uid: `uid-${name}` };
  await store.modelProviders.put({ name, owner }, NONE, { hash: 'h', now, createdAt });
}

const PAUSED = `{ ${PAUSED_ANNOTATION}: 'true' }`;
const MINI = 'models.standard.model none → mini';
const UNCHANGED = 'acme (team-a/acme): unchanged\n';

const FILES: readonly {
  readonly it: string;
  readonly files: string;
  readonly says: readonly string[];
}[] = [
  {
    it: 'a provider in the namespace of the release',
    files: provider('paid', { namespace: RELEASE }),
    says: [MINI],
  },
  {
    it: 'a provider without a namespace, which belongs to the release',
    files: provider('paid', {}),
    says: [MINI],
  },
  {
    it: 'a provider of another namespace, which is ignored',
    files: provider('paid', { namespace: 'team-a' }),
    says: [
      UNCHANGED,
      'ModelProvider team-a/paid is ignored: it is not in the namespace of the release',
    ],
  },
  {
    it: 'a provider that does not allow the namespace of the tenant',
    files: provider('paid', { namespace: RELEASE, allowed: 'team-b' }),
    says: [UNCHANGED],
  },
  {
    it: 'a provider paused before it was applied',
    files: provider('paid', { namespace: RELEASE, annotations: PAUSED }),
    says: [UNCHANGED, 'ModelProvider varve/paid is paused'],
  },
  {
    it: 'a provider whose name another installation has in the store',
    files: provider('taken', { namespace: RELEASE }),
    says: [UNCHANGED, 'ModelProvider varve/taken is ignored: another installation'],
  },
];

async function said(text: string, store: Store | null, at: PlanPlace = {}): Promise<string> {
  return planText(await forecastIn(at, text, store), true);
}

const isHeld = (): Promise<Store> => inCluster(ACME, { 'team-a': 'acme' }, CLUSTER);

describe('the models of a plan', () => {
  test.each(FILES)('FORECAST-4: with $it', async ({ files, says }) => {
    const store = await isHeld();
    if (files.includes('taken')) await put(store, 'taken', { cluster: OTHER });
    const text = await said(documents(ACME, files), store);
    for (const part of says) expect(text).toContain(part);
    expect(text.includes(MINI)).toBe(says.includes(MINI));
  });

  test('FORECAST-4: the older provider serves, whichever was edited last', async () => {
    const store = await isHeld();
    await put(store, 'newer', { createdAt: NOW - 1_000, now: NOW - 1_000 });
    await put(store, 'older', { createdAt: NOW - 9_000, now: NOW });
    // A third one in the files has the models chosen anew, and is younger than both.
    const text = await said(documents(ACME, provider('third', {})), store);
    expect(text).toContain('models.standard.provider none → older\n');
  });

  test('FORECAST-4: a provider in the files has its age in the store', async () => {
    const store = await isHeld();
    await put(store, 'newer', { createdAt: NOW - 1_000, now: NOW - 5_000 });
    await put(store, 'older', { createdAt: NOW - 9_000, now: NOW });
    const text = await said(documents(ACME, provider('older', {})), store);
    expect(text).toContain('models.standard.provider none → older\n');
    expect(text).toContain(MINI);
  });

  test('FORECAST-4: a provider of unknown age is as old as its applied version', async () => {
    const store = await isHeld();
    await put(store, 'newer', { now: NOW });
    await put(store, 'older', { now: NOW - 9_000 });
    const text = await said(documents(ACME, provider('third', {})), store);
    expect(text).toContain('models.standard.provider none → older\n');
  });

  test('FORECAST-4: the plan says if it cannot tell the namespace of the release', async () => {
    const text = documents(ACME, provider('paid', { namespace: 'team-a' }));
    const store = await inCluster(ACME);
    expect(await said(text, store)).toContain('name it with VARVE_POD_NAMESPACE');
    const told = await said(text, store, { podNamespace: RELEASE });
    expect(told).toContain(
      'ModelProvider team-a/paid is ignored: it is not in the namespace of the release',
    );
    expect(told).not.toContain('VARVE_POD_NAMESPACE');
    // Nor does it where nothing is kept yet.
    const unkept = await said(text, null, { podNamespace: RELEASE });
    expect(unkept).toContain(
      'ModelProvider team-a/paid is ignored: it is not in the namespace of the release',
    );
    const right = await said(text, store, { podNamespace: 'team-a' });
    expect(right).toContain(MINI);
  });

  test('FORECAST-4: a new tenant belongs to the installation in the store', async () => {
    const store = await openStore(stillPlatform());
    await put(store, 'free');
    const wrong = provider('paid', { namespace: 'team-a' });
    const text = await said(documents(ACME, wrong), store);
    expect(text).toContain('models.standard.provider none → free\n');
    // Of two installations nothing tells which one is meant, until the process is told.
    await put(store, 'theirs', { cluster: OTHER });
    expect(await said(documents(ACME, wrong), store)).toContain('VARVE_POD_NAMESPACE');
    const told = await said(documents(ACME, wrong), store, { podNamespace: 'rival' });
    expect(told).toContain('models.standard.provider none → theirs\n');
  });

  test('FORECAST-4: the plan includes tenants without a file whose models change', async () => {
    const tenants = { 'team-a': 'acme', 'team-b': 'bcme', 'team-c': 'ccme' };
    const store = await inCluster(ACME, tenants, CLUSTER);
    const text = documents(ACME, provider('paid', { allowed: 'team-b' }));
    const forecasts = await forecastIn({ namespace: 'team-a' }, text, store);
    expect(forecasts.map(({ tenant }) => tenant)).toEqual(['acme']);
    const placed = documents(
      ACME.replace('name: acme', 'name: acme\n  namespace: team-a'),
      provider('paid', { allowed: 'team-b' }),
    );
    const told = await forecastIn({}, placed, store);
    expect(told).toMatchObject([
      { tenant: 'acme', comparison: { kind: 'Unchanged' } },
      { tenant: 'bcme', comparison: { kind: 'Changed' } },
    ]);
  });

  test('FORECAST-4: a provider whose file is gone from a folder serves nobody', async () => {
    const store = await inCluster(ACME, { default: 'acme' }, FOLDER_CLUSTER);
    const owner = { cluster: FOLDER_CLUSTER, namespace: 'default', name: 'gone', uid: 'uid' };
    await store.modelProviders.put({ name: 'gone', owner }, NONE, { hash: 'h', now: NOW });
    expect(await said(ACME, store)).toContain('acme (default/acme): unchanged\n');
    // A folder knows no ages: the first by name serves.
    const both = documents(ACME, provider('b', {}), provider('a', {}));
    expect(await said(both, store)).toContain('models.standard.provider none → a\n');
  });

  test('FORECAST-4: the plan of a folder ignores a provider of another namespace', async () => {
    const paid = provider('paid', {});
    const { store } = await applied(documents(ACME, paid));
    const wrong = provider('other', { namespace: 'team-a' });
    const text = await said(documents(ACME, paid, wrong), store);
    expect(text).toContain(
      'ModelProvider team-a/other is ignored: it is not in the namespace of the release',
    );
    expect(text).not.toContain('provider paid → other');
  });
});

/** A resource, when it was made, and what became of it since. */
const RESOURCES = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    namespace: fc.constantFrom(RELEASE, RELEASE, 'team-a'),
    allowed: fc.constantFrom('*', 'team-a', 'team-b'),
    age: fc.integer({ min: 1, max: 5 }),
    editedAt: fc.nat(9),
    isPaused: fc.boolean(),
    isStored: fc.boolean(),
    isOthers: fc.boolean(),
  }),
  { selector: ({ name }) => name, maxLength: 4 },
);

test('FORECAST-4: a plan of all resources chooses the same models as the operator', () => {
  fc.assert(
    fc.property(RESOURCES, (resources) => {
      const seen = resources.map(({ name, namespace, allowed, age, isPaused }) => {
        const createdAt = new Date(NOW - age * 1_000).toISOString();
        const annotations = isPaused ? { [PAUSED_ANNOTATION]: 'true' } : {};
        const spec = { allowedNamespaces: [allowed], extractive: {} };
        const object = providerObject(spec, { name, namespace, createdAt, annotations });
        return { object, reading: readObject(object, ModelProvider) };
      });
      const files = seen.flatMap(({ reading }) =>
        reading.kind === 'Valid' ? [reading.resource] : [],
      );
      const records = resources.flatMap((one, index): ModelProviderRecord[] => {
        const { name, namespace, age, editedAt, isStored, isOthers } = one;
        const resource = files[index];
        // What is heard is in the store; a new one is younger than all others.
        if (!isStored || resource === undefined || (!isOthers && namespace !== RELEASE)) return [];
        const cluster = isOthers ? OTHER : CLUSTER;
        const owner = {
          cluster,
          namespace: isOthers ? 'rival' : RELEASE,
          name,
          uid: `uid-${name}`,
        };
        const times = { createdAt: NOW - age * 1_000, appliedAt: NOW + editedAt };
        const head = { name, owner, generation: 1, hash: 'h', epoch: 0, check: null };
        return [{ ...head, ...times, provider: compileProvider(resource) }];
      });
      const known = new Set(records.map(({ name }) => name));
      const installation = { cluster: CLUSTER, namespace: RELEASE };
      const old = seen.filter(({ object }) => known.has(object.metadata.name));
      const heard = old.filter(({ object }) => object.metadata.namespace === RELEASE);
      const chosen = chooseModels(providersInUse(heard, records, installation), 'team-a');
      const oldFiles = files.filter(({ metadata }) => known.has(metadata.name));
      const { accepted } = plannedProviders(oldFiles, records, installation);
      expect(chooseModels(accepted, 'team-a')).toEqual(chosen);
    }),
  );
});

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

describe.each(OPERATORS)('a plan of %s', (_, hold) => {
  const said = async (text: string): Promise<string> =>
    planText(await forecast(text, await hold()), true);

  test('FORECAST-5: applies nothing of a paused tenant', async () => {
    const text = await said(documents(paused(tenant(LIMITED)), LAZY));
    expect(text).toMatch(
      /^acme \([-a-z]+\/acme\): not applied, since it is paused\nNothing would change\.$/u,
    );
  });

  test('FORECAST-5: leaves a paused layer policy and a paused dream unchanged', async () => {
    const text = await said(documents(tenant(LIMITED), paused(LAZY), paused(LATER)));
    expect(text).toContain('  budget.tokens none → 5\n');
    expect(text).not.toContain('updateOnChanges');
    expect(text).not.toContain('dreams.nightly');
    expect(text).toContain(
      'layers unchanged, since their own policy is paused or not in these files: user\n',
    );
    expect(text).toContain('since their DeepDream is paused or not in these files: nightly\n');
  });

  test('FORECAST-5: keeps the window of a paused layer policy beside a new one', async () => {
    const wider = tenant('refresh: { batchWindow: 9m }');
    const text = await said(documents(wider, paused(LAZY), NIGHTLY));
    expect(text).toContain('layers.team.batchWindow 5m → 9m');
    expect(text).not.toContain('layers.user');
  });

  test('FORECAST-5: shows what changes without a pause', async () => {
    const text = await said(documents(ACME, LAZY, LATER));
    expect(text).toContain('layers.user.updateOnChanges 1 → 9');
    expect(text).toContain('dreams.nightly.cron 30 3 * * * → 0 5 * * *');
  });
});

test('FORECAST-5: a layer policy paused from the start changes nothing', async () => {
  const store = await inCluster(ACME);
  expect(planText(await forecast(paused(LAZY), store), true)).toContain('acme): unchanged\n');
});

test('FORECAST-5: a dream paused from the start does not run', async () => {
  const { store } = await applied(ACME);
  const text = planText(await forecast(documents(ACME, paused(NIGHTLY)), store), true);
  expect(text).toContain('unchanged\nNothing would change.');
});

test('FORECAST-5: if there are too many dreams, the older ones run', () => {
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
  const { desired } = mergeWithStored({ owner: OWNER, policy: brought }, stored, new Set());
  expect(desired.policy.dreams?.map(({ name }) => name)).toEqual(names);
  expect(desired.policy.dreams?.at(-1)?.cron).toBe('0 5 * * *');
});

const OWNER = { cluster: 'cluster-1', namespace: 'team-a', name: 'acme', uid: 'uid-acme' };
