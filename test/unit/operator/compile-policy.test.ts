import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LAYERS } from '#core/layer.ts';
import type { ModelClass } from '#core/records/model-class.ts';
import type { ModelProvider } from '#core/records/model-provider.ts';
import { DEFAULT_LAYERS, defaultPolicy } from '#core/policy/policy-defaults.ts';
import { TenantPolicy, type PolicyModels } from '#core/records/policy.ts';
import { readResources } from '#crds/read-resources.ts';
import { nothingRead, reconcileFolder } from '#operator/folder/reconcile-folder.ts';
import {
  compileResources,
  chooseModels,
  type AcceptedProvider,
} from '#operator/tenant/compile-policy.ts';
import { endpoint, providedModel } from '../cli/model-providers/provider-samples.ts';
import { documents, file, layerPolicy, tenant } from '../crds/policy-files.ts';
import { calendar, folderWith, openStore, stillPlatform } from './policy-store.ts';

function compiled(...texts: readonly string[]): TenantPolicy {
  const resources = readResources([file('tenant.yaml', documents(...texts))]);
  const [first] = compileResources(resources, 'folder');
  // Parsed, so that every test also shows that the workers could read the policy.
  return TenantPolicy.parse(first?.policy);
}

describe('compiled policies', () => {
  test('a tenant that declares nothing has the default policy', () => {
    expect(compiled(tenant('{}'))).toEqual(defaultPolicy('acme'));
  });

  test('the tenant id is the name of the resource unless spec sets another', () => {
    expect(compiled(tenant('tenantId: acme-eu')).tenant).toBe('acme-eu');
  });

  test('POLICY-30: the window of the tenant applies to every layer but session', () => {
    const { layers } = compiled(tenant('refresh: { batchWindow: 2s }'));
    for (const layer of LAYERS) {
      expect(layers[layer].batchWindowMs).toBe(layer === 'session' ? 10_000 : 2_000);
    }
  });

  test('POLICY-30: the window of a layer overrides that of the tenant', () => {
    const { layers } = compiled(
      tenant('refresh: { batchWindow: 2s }'),
      layerPolicy('layer: session\nbatchWindow: 3s', 'a'),
      layerPolicy('layer: user\nbatchWindow: 0s', 'b'),
    );
    expect([layers.session.batchWindowMs, layers.user.batchWindowMs]).toEqual([3_000, 0]);
  });

  test('a layer policy changes only the fields it sets, and only in its layer', () => {
    const { layers } = compiled(
      tenant('{}'),
      layerPolicy('layer: team\nmaxAge: 1d\nmodelClass: economy\nskipIfUnchanged: false'),
    );
    const changed = { maxAgeMs: 86_400_000, modelClass: 'economy', skipIfUnchanged: false };
    expect(layers).toEqual({ ...DEFAULT_LAYERS, team: { ...DEFAULT_LAYERS.team, ...changed } });
  });

  test('POLICY-31: a hierarchy accepts any names, even those of object properties', () => {
    const text = 'hierarchy: { projects: [{ id: __proto__, team: a }, { id: toString, team: b }] }';
    const { teamOfProject } = compiled(tenant(text)).hierarchy;
    expect(Object.entries(teamOfProject)).toContainEqual(['toString', 'b']);
    expect(Object.getPrototypeOf(teamOfProject)).toBe(Object.prototype);
  });

  test('POLICY-32: the example compiles to a policy with thresholds short enough for a demo', async () => {
    const example = new URL('../../../examples/acme/tenant.yaml', import.meta.url);
    const policy = compiled(await readFile(example, 'utf8'));
    expect(policy.hierarchy.companyOfOrg).toEqual({ commerce: 'acme' });
    expect(policy.urgentDebounceMs).toBe(1_000);
    for (const layer of LAYERS) {
      expect(policy.layers[layer].batchWindowMs).toBe(2_000);
      expect(policy.layers[layer].updateOnChanges).toBe(layer === 'team' ? 3 : 1);
    }
    expect(policy.dreams).toMatchObject([{ name: 'acme-nightly', timeZone: 'Europe/Berlin' }]);
  });
});

const EVERYBODY = ['*'];

function accepted(
  name: string,
  createdAt: string,
  provider: Partial<ModelProvider> & Pick<ModelProvider, 'allowedNamespaces'>,
): AcceptedProvider {
  return { name, uid: `uid-of-${name}`, createdAt, provider: { ...provider } };
}

const of = (name: string, ...classes: ModelClass[]) => providedModel({ name, classes });
const openai = (...models: ReturnType<typeof of>[]) => endpoint({ models });

const OLD = '2026-01-01T00:00:00Z';
const NEW = '2026-02-01T00:00:00Z';
/** A second before OLD, and after it in the order of texts. */
const OLDEST = '2025-12-31T23:59:59Z';

const ALL = { openai: openai(of('large', 'standard'), of('small', 'economy')) };
const LARGE = { openai: openai(of('big', 'standard')) };

const FREE = { provider: 'free', model: 'extractive' };

const CASES: readonly [string, readonly AcceptedProvider[], PolicyModels | undefined][] = [
  ['no provider', [], undefined],
  [
    'no provider that allows it',
    [accepted('a', OLD, { ...ALL, allowedNamespaces: ['other'] })],
    undefined,
  ],
  ['one that allows nobody', [accepted('a', OLD, { ...ALL, allowedNamespaces: [] })], undefined],
  [
    'one that allows it by name',
    [accepted('a', OLD, { ...ALL, allowedNamespaces: ['other', 'team'] })],
    { standard: { provider: 'a', model: 'large' }, economy: { provider: 'a', model: 'small' } },
  ],
  [
    'one with a single class',
    [accepted('a', OLD, { ...LARGE, allowedNamespaces: EVERYBODY })],
    { standard: { provider: 'a', model: 'big' }, economy: null },
  ],
  [
    'two of different age, the older one first',
    [
      accepted('a', NEW, { ...ALL, allowedNamespaces: EVERYBODY }),
      accepted('b', OLD, { ...LARGE, allowedNamespaces: EVERYBODY }),
    ],
    { standard: { provider: 'b', model: 'big' }, economy: { provider: 'a', model: 'small' } },
  ],
  [
    'an older one that does not allow it',
    [
      accepted('a', OLDEST, { ...LARGE, allowedNamespaces: ['other'] }),
      accepted('b', OLD, { ...ALL, allowedNamespaces: ['team'] }),
    ],
    { standard: { provider: 'b', model: 'large' }, economy: { provider: 'b', model: 'small' } },
  ],
  [
    'two created in the same second, ordered by uid',
    [
      accepted('b', OLD, { ...ALL, allowedNamespaces: EVERYBODY }),
      accepted('a', OLD, { ...LARGE, allowedNamespaces: EVERYBODY }),
    ],
    { standard: { provider: 'a', model: 'big' }, economy: { provider: 'b', model: 'small' } },
  ],
  [
    'an extractive provider',
    [accepted('plain', OLD, { extractive: {}, allowedNamespaces: EVERYBODY })],
    {
      standard: { provider: 'plain', model: 'extractive' },
      economy: { provider: 'plain', model: 'extractive' },
    },
  ],
  [
    'two models of one class, of which the first is used',
    [
      accepted('a', OLD, {
        openai: openai(of('one', 'standard'), of('two', 'standard', 'economy')),
        allowedNamespaces: EVERYBODY,
      }),
    ],
    { standard: { provider: 'a', model: 'one' }, economy: { provider: 'a', model: 'two' } },
  ],
];

describe('the models of a namespace', () => {
  test.each(CASES)('with %s', (_, providers, models) => {
    expect(chooseModels(providers, 'team')).toEqual(models);
  });

  test('do not depend on the order of the providers', () => {
    const providers = CASES.flatMap(([, each]) => each).map((each, index) => ({
      ...each,
      uid: `uid-${String(index)}`,
      name: `provider-${String(index)}`,
    }));
    const shuffled = fc.shuffledSubarray(providers, { minLength: providers.length });
    fc.assert(
      fc.property(shuffled, (other) => {
        expect(chooseModels(other, 'team')).toEqual(chooseModels(providers, 'team'));
      }),
    );
  });

  test.each<[string, readonly string[], PolicyModels | undefined]>([
    [
      'all models',
      ['large', 'small', 'big'],
      { standard: { provider: 'a', model: 'large' }, economy: { provider: 'a', model: 'small' } },
    ],
    [
      'a model of the younger provider',
      ['big', 'small'],
      { standard: { provider: 'b', model: 'big' }, economy: { provider: 'a', model: 'small' } },
    ],
    ['none of the models', ['other'], { standard: FREE, economy: FREE }],
  ])('if the platform allows %s', (_, allowed, models) => {
    const providers = [
      accepted('a', OLDEST, { ...ALL, allowedNamespaces: EVERYBODY }),
      accepted('b', OLD, { ...LARGE, allowedNamespaces: EVERYBODY }),
      accepted('free', NEW, { extractive: {}, allowedNamespaces: EVERYBODY }),
    ];
    expect(chooseModels(providers, 'team', allowed)).toEqual(models);
  });
});

test('a changed tenant id in a watched folder is refused, and nothing is applied', async () => {
  const platform = stillPlatform();
  const store = await openStore(platform);
  const dir = await folderWith({ 'a.yaml': tenant('tenantId: one') });
  const lastRead = nothingRead();
  const reconcile = () =>
    reconcileFolder({ dir, store, platform, calendar, clusterId: 'folder', lastRead });
  await reconcile();
  await writeFile(path.join(dir, 'a.yaml'), tenant('tenantId: two\nbudget: { tokens: 5 }'));
  for (const _ of ['once', 'and again']) {
    await expect(reconcile()).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(
        /a\.yaml:6:13 {2}spec\.tenantId\n.*"one" as before/u,
      ) as string,
    });
  }
  expect(await store.policies.get('two')).toBeNull();
  await writeFile(path.join(dir, 'a.yaml'), tenant('tenantId: two', 'another'));
  await reconcile();
  expect(await store.policies.get('two')).not.toBeNull();
});
