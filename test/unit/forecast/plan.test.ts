/** The forecast of whole files over a store, and that it comes true. */
import { describe, expect, test } from 'vitest';
import { readResources } from '#crds/read-resources.ts';
import type { Store } from '#core/ports/store.ts';
import { forecastPlan } from '#cli/plan/forecast-plan.ts';
import { planText } from '#cli/plan/plan-text.ts';
import { deepDream, documents, file, layerPolicy, tenant } from '../crds/policy-files.ts';
import { calendar, digest, everythingOf, NOW } from '../operator/policy-store.ts';
import { applied, forecast, forecastIn, inCluster } from './plan-fixture.ts';
import { CHANGED, EXTRACTIVE, freshScope } from './samples.ts';

const ACME = tenant('{}');
const AGE = documents(ACME, layerPolicy('layer: user\nmaxAge: 30m\nupdateInterval: 30m'));
const EAGER = documents(ACME, layerPolicy('layer: user\nupdateOnChanges: 1'));
const SHORT = documents(
  tenant('refresh: { onRecipeChange: Backfill }\nbudget: { tokens: 1000 }'),
  layerPolicy('layer: user\ndepths: [sentence]'),
);
const PROVIDER = `apiVersion: memory.varve.dev/v1alpha1
kind: ModelProvider
metadata: { name: openai }
spec:
  allowedNamespaces: ['*']
  openai:
    baseUrl: https://models.example.com/v1
    models:
      - { name: mini, classes: [economy, standard], inputPrice: '1', outputPrice: '2' }`;

const TEAM = layerPolicy('layer: team\nupdateOnChanges: 9');
const NIGHTLY = deepDream('{}');
const DREAMING = documents(ACME, NIGHTLY, layerPolicy('layer: user\nupdateOnChanges: 1'));
const LATER = deepDream('cron: 0 5 * * *');
const WEEKLY = deepDream('cron: 0 4 * * SUN', 'weekly');
const NO_FIGURE =
  '  the figures leave out dreams, whose cost depends on what is written until then; ';
const LAYERED = documents(ACME, layerPolicy('layer: user\nupdateOnChanges: 1'));
const ELSEWHERE = ACME.replace('name: acme', 'name: acme\n  namespace: team-b');
const WIDER = tenant('refresh: { batchWindow: 9m }');
const BATCHES = ['agent', 'user', 'project', 'team', 'org', 'company'].map(
  (layer) => `layers.${layer}.batchWindow 5m → 9m`,
);

/** What a file says of what a cluster has, and what the plan of it says. */
const PARTS: readonly {
  readonly it: string;
  readonly had: string;
  readonly text: string;
  readonly namespace?: string;
  readonly says: readonly string[];
}[] = [
  {
    it: 'the same file, without a namespace',
    had: ACME,
    text: ACME,
    says: ['acme (team-a/acme): unchanged'],
  },
  {
    it: 'the same file, with its namespace given',
    had: ACME,
    text: ACME,
    namespace: 'team-a',
    says: ['acme (team-a/acme): unchanged'],
  },
  {
    it: 'a file that names another namespace',
    had: ACME,
    text: ELSEWHERE,
    says: ['belongs to MemoryTenant team-a/acme; choose another tenantId, or name the namespace'],
  },
  {
    it: 'a file with another namespace given',
    had: ACME,
    text: ACME,
    namespace: 'team-b',
    says: ['acme (team-b/acme): not applied, the tenant belongs to MemoryTenant team-a/acme'],
  },
  {
    it: 'a tenant without its layer policies',
    had: LAYERED,
    text: tenant('budget: { tokens: 5 }'),
    says: ['  budget.tokens none → 5\n  layers unchanged, ', 'not in these files: user'],
  },
  {
    it: 'another batch window, used by layers without their own',
    had: LAYERED,
    text: WIDER,
    says: [...BATCHES, 'not in these files: user'],
  },
  {
    it: 'a layer policy alone',
    had: LAYERED,
    text: TEAM,
    says: ['acme (team-a/acme): changed\n  layers.team.updateOnChanges 5 → 9\n'],
  },
  {
    it: 'a dream alone',
    had: DREAMING,
    text: WEEKLY,
    says: [
      'acme (team-a/acme): changed\n  dreams.weekly none → 0 4 * * SUN UTC\n',
      `  dream weekly would start to run at 0 4 * * SUN in UTC\n${NO_FIGURE}no budget limits it\n`,
    ],
  },
  {
    it: 'a dream that never runs',
    had: DREAMING,
    text: WEEKLY.replace('0 4 * * SUN', '0 0 30 2 *'),
    says: [
      '  dream weekly would start to run at 0 0 30 2 * in UTC, ' +
        'which matches no date, so it never runs\n',
    ],
  },
  {
    it: 'a dream with its tenant',
    had: DREAMING,
    text: documents(tenant('budget: { tokens: 5 }'), LATER),
    says: [
      '  dreams.nightly.cron 30 3 * * * → 0 5 * * *\n  layers unchanged, ',
      '  dream nightly would change to run at 0 5 * * * in UTC\n',
      `${NO_FIGURE}the budget of the tenant limits it\n`,
    ],
  },
  {
    it: 'a tenant without its dreams',
    had: DREAMING,
    text: ACME,
    says: [
      'acme (team-a/acme): unchanged\n',
      '  dreams unchanged, since their DeepDream is paused or not in these files: nightly',
    ],
  },
  {
    it: 'a layer policy with its tenant',
    had: LAYERED,
    text: documents(ACME, TEAM),
    says: [
      'acme (team-a/acme): changed\n  layers.team.updateOnChanges 5 → 9\n',
      'not in these files: user',
    ],
  },
];

/** Three users, one of whom has changed, and a team. */
async function fill(store: Store): Promise<void> {
  for (const scopeId of ['ann', 'bob', 'eve']) {
    const differing = scopeId === 'ann' ? CHANGED : {};
    await store.scopes.replace({ ...freshScope(differing), scopeId });
  }
  await store.scopes.replace({ ...freshScope({}, 'team'), scopeId: 'payments' });
}

describe('a plan over a store', () => {
  test.each([
    ['a lower age', AGE],
    ['a lower threshold', EAGER],
    ['no change', ACME],
    ['other depths', SHORT],
  ])('FORECAST-4: predicts what is due at once after it is applied: %s', async (_, text) => {
    const { store, apply } = await applied(ACME);
    await fill(store);
    const [said] = await forecast(text, store);
    const now = said?.rows.filter(({ when }) => when === 'Now') ?? [];
    await apply(text);
    const due = await store.scopes.due('acme', { until: NOW, now: NOW, limit: 100 });
    expect(now.reduce((sum, { scopes }) => sum + scopes, 0)).toBe(due.length);
    for (const { layer, reason } of now) {
      expect(due).toContainEqual(expect.objectContaining({ layer, dueTrigger: reason }));
    }
  });

  test('FORECAST-4: names layers, reasons and costs', async () => {
    const { store } = await applied(ACME);
    await fill(store);
    const [said] = await forecast(SHORT, store);
    expect(said).toMatchObject({
      tenant: 'acme',
      resource: 'default/acme',
      comparison: { kind: 'Changed' },
      rows: [{ layer: 'user', reason: 'Recipe', when: 'Backfill', scopes: 3, model: 'large' }],
      periods: [{ measure: 'tokens', limit: 1_000, state: 'Beyond' }, { state: 'NoLimit' }],
    });
    expect(said?.planned).toEqual(said?.rows[0]?.cost);
    const text = planText([...(await forecast(SHORT, store))], true);
    expect(text).toContain('acme (default/acme): changed');
    expect(text).toContain('budget.tokens none → 1000');
    expect(text).toMatch(/user +3 +Recipe +a few a minute +large +4,317 +\$0\.004959/u);
    expect(text).toContain('beyond 1,000, used up about 2026-11-21');
    expect(text).toContain('1 tenant would change, 3 summaries remade. Nothing was applied.');
  });

  test('FORECAST-4: counts with a ModelProvider among the files', async () => {
    const { store } = await applied(ACME);
    await fill(store);
    const [said] = await forecast(documents(ACME, PROVIDER), store);
    expect(said?.rows.map(({ layer, model, isPriced }) => [layer, model, isPriced])).toEqual([
      ['user', 'openai/mini', true],
      ['team', 'openai/mini', true],
    ]);
  });

  test('FORECAST-4: writes nothing', async () => {
    const { store } = await applied(ACME);
    await fill(store);
    const before = await everythingOf(store, 'acme');
    await forecast(AGE, store);
    expect(await everythingOf(store, 'acme')).toBe(before);
  });

  test('FORECAST-5: refuses a tenant of another resource and names that resource', async () => {
    const { store } = await applied(ACME);
    const [said] = await forecast(tenant('tenantId: acme', 'other'), store);
    expect(said).toMatchObject({
      comparison: { kind: 'Claimed', owner: { name: 'acme' } },
      rows: [],
    });
    expect(planText(said === undefined ? [] : [said], true)).toContain('default/acme');
  });

  test.each(PARTS)('FORECAST-5: in a cluster, with $it', async ({ had, text, says, ...at }) => {
    const store = await inCluster(had);
    const said = planText(await forecastIn(at, text, store), true);
    for (const part of says) expect(said).toContain(part);
    expect(said).not.toContain('delete');
    expect(said).not.toContain('layers.user.updateOnChanges');
  });

  test.each([
    [{}, 'Claimed'],
    [{ namespace: 'team-a' }, 'New'],
  ])('FORECAST-5: with a tenant that team-a released, planned %j, is %s', async (given, kind) => {
    const store = await inCluster(ACME);
    const record = await store.policies.get('acme');
    if (record === null) throw new Error('The policy was not written.');
    await store.policies.release('acme', record.owner, { now: NOW });
    const at = { namespace: 'team-b', ...given };
    expect(await forecastIn(at, ACME, store)).toMatchObject([{ comparison: { kind } }]);
    // A layer policy of it leads nowhere.
    await expect(forecast(TEAM, store)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('FORECAST-5: ends a dream missing from its folder at no cost', async () => {
    const { store } = await applied(documents(ACME, NIGHTLY));
    const said = planText(await forecast(ACME, store), true);
    expect(said).toContain('  dream nightly would no longer run at 30 3 * * * in UTC\n');
    expect(said).not.toContain(NO_FIGURE);
  });

  test('FORECAST-5: asks for the namespace if a layer policy fits two tenants', async () => {
    const store = await inCluster(ACME, { 'team-a': 'acme', 'team-b': 'bcme' });
    await expect(forecast(TEAM, store)).rejects.toThrow(/team-a, team-b\. .*--namespace/u);
    expect(await forecastIn({ namespace: 'team-b' }, TEAM, store)).toMatchObject([
      { tenant: 'bcme' },
    ]);
  });

  test('FORECAST-5: refuses a layer policy of a missing tenant', async () => {
    const store = await inCluster(ACME);
    const lost = TEAM.replace('name: acme }', 'name: acne }');
    await expect(forecast(lost, store)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(forecast(TEAM, null)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('FORECAST-5: treats every tenant as new without a store, and says so', async () => {
    const said = await forecast(AGE, null);
    expect(said).toMatchObject([{ comparison: { kind: 'New' }, rows: [] }]);
    expect(planText(said, false)).toContain('every tenant is new');
  });

  test('FORECAST-5: says that nothing would change if nothing differs', async () => {
    const { store } = await applied(EAGER);
    const text = planText(await forecast(EAGER, store), true);
    expect(text).toBe('acme (default/acme): unchanged\nNothing would change.');
  });

  test('FORECAST-5: costs nothing with the extractive summarizer', async () => {
    const { store } = await applied(ACME);
    await fill(store);
    const own = { ofClass: () => EXTRACTIVE, extractive: EXTRACTIVE };
    const resources = readResources([file('a.yaml', AGE)]);
    const basis = { store, models: { own, digest } };
    const [said] = await forecastPlan(resources, basis, { now: NOW, podNamespace: null, calendar });
    expect(said?.planned).toEqual({ tokens: 0, microDollars: 0 });
    expect(said?.rows).toMatchObject([{ scopes: 3, when: 'Now', isPriced: true }]);
  });
});
