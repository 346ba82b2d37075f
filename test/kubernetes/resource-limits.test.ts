/** The limits that a platform's operators set, on a real API server. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LIMITS_NAME } from '#crds/limit-values.ts';
import { platformLimits } from '#crds/platform-limits.ts';
import { describeUnless } from '../cluster/needs.ts';
import {
  missingForKubernetes,
  openTestKubernetes,
  type TestKubernetes,
} from '../cluster/test-kubernetes.ts';
import { resourceOf, type Kind } from './resource-examples.ts';
import { openResourceServer, type ResourceServer, type ServerVerdict } from './resource-server.ts';

/** A policy is in force a moment after it is there: the server watches. */
const POLL = { timeout: 60_000, interval: 200 };

const LIMITS = {
  largestBudgetDollars: '100.00',
  largestBudgetTokens: '5000000',
  leastInterval: '45m',
  modelClasses: 'economy',
  models: 'small-1, vectors\nlarge',
};
const BUDGET = { budget: { dollars: '100', tokens: 5_000_000 } };
const LAYER = { tenantRef: { name: 'acme' }, layer: 'org', updateInterval: '45m' };
const DREAM = { tenantRef: { name: 'acme' }, cron: '0 3 * * *', modelClass: 'economy' };
const provider = (name: string) => ({
  allowedNamespaces: ['*'],
  openai: {
    baseUrl: 'https://models.example.com/v1',
    models: [{ name, classes: ['standard'], inputPrice: '1', outputPrice: '1' }],
  },
});

interface Case {
  readonly what: string;
  readonly kind: Kind;
  readonly spec: object;
  readonly refusal?: RegExp;
}

const CASES: readonly Case[] = [
  { what: 'a budget at the limit', kind: 'MemoryTenant', spec: BUDGET },
  {
    what: 'a budget in dollars beyond the limit',
    kind: 'MemoryTenant',
    spec: { budget: { ...BUDGET.budget, dollars: '100.000001' } },
    refusal: /expected budget\.dollars of at most 100\.00, the largest budget of this platform/,
  },
  {
    what: 'a budget in tokens beyond the limit',
    kind: 'MemoryTenant',
    spec: { budget: { ...BUDGET.budget, tokens: 5_000_001 } },
    refusal: /expected budget\.tokens of at most 5000000/,
  },
  {
    what: 'a tenant without a budget',
    kind: 'MemoryTenant',
    spec: {},
    refusal: /expected budget\.dollars of at most 100\.00/,
  },
  { what: 'an interval at the limit', kind: 'LayerSummaryPolicy', spec: LAYER },
  {
    what: 'a shorter interval',
    kind: 'LayerSummaryPolicy',
    spec: { ...LAYER, updateInterval: '44m59s' },
    refusal: /expected an updateInterval of at least 45m/,
  },
  {
    what: 'a layer whose default interval is shorter',
    kind: 'LayerSummaryPolicy',
    spec: { tenantRef: { name: 'acme' }, layer: 'user', modelClass: 'economy' },
    refusal: /one that is left out has the default of its layer/,
  },
  {
    what: 'another class of models',
    kind: 'LayerSummaryPolicy',
    spec: { ...LAYER, modelClass: 'standard' },
    refusal: /expected a modelClass that this platform allows: economy/,
  },
  {
    what: 'a layer whose default class is another',
    kind: 'LayerSummaryPolicy',
    spec: { ...LAYER, layer: 'team' },
    refusal: /expected a modelClass that this platform allows: economy/,
  },
  { what: 'a model in the list', kind: 'ModelProvider', spec: provider('large') },
  {
    what: 'a model that is not in the list',
    kind: 'ModelProvider',
    spec: provider('huge'),
    refusal: /expected only models that this platform allows: small-1, vectors, large/,
  },
  {
    what: 'the summarizer without a model',
    kind: 'ModelProvider',
    spec: { allowedNamespaces: ['*'], extractive: {} },
  },
  { what: 'a dream of an allowed class', kind: 'DeepDream', spec: DREAM },
  ...[...['0 3 * * *', '15 */2 * * *', '0,45 3 * * *', '5-50/45 1 * * MON', '59 0,23 1 * *']].map(
    (cron): Case => ({ what: `dreams at ${cron}`, kind: 'DeepDream', spec: { ...DREAM, cron } }),
  ),
  ...['* * * * *', '*/5 3 * * *', '0,44 3 * * *', '10-50/30 3 * * *', '0,50 1-3 1 * *'].map(
    (cron): Case => ({
      what: `dreams at ${cron}`,
      kind: 'DeepDream',
      spec: { ...DREAM, cron },
      refusal: /expected a cron with times that are at least 45m apart/,
    }),
  ),
  {
    what: 'dreams too close to each other over midnight',
    kind: 'DeepDream',
    spec: { ...DREAM, cron: '0,45 0,23 * * *' },
    refusal: /at least 45m apart, the least interval of this platform/,
  },
  {
    what: 'a dream of another class',
    kind: 'DeepDream',
    spec: { ...DREAM, modelClass: 'standard' },
    refusal: /expected a modelClass that this platform allows: economy/,
  },
];

describeUnless(await missingForKubernetes())('platform limits on a real API server', () => {
  let cluster: TestKubernetes;
  let server: ResourceServer;
  let namespace: string;
  beforeAll(async () => {
    cluster = await openTestKubernetes();
    server = await openResourceServer(cluster);
    namespace = await cluster.createNamespace();
    await apply(limitsWithin(namespace));
  });
  afterAll(async () => {
    const input = JSON.stringify(listOf(limitsWithin(namespace)));
    await cluster.kubectl(['delete', '--filename=-', '--wait=false'], { input });
    server[Symbol.dispose]();
    await cluster[Symbol.asyncDispose]();
  });

  const apply = async (objects: readonly object[]): Promise<void> => {
    await cluster.run(['apply', '--filename=-'], { input: JSON.stringify(listOf(objects)) });
  };
  const limitTo = (data: object) =>
    apply([
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: LIMITS_NAME, namespace }, data },
    ]);
  const ask = (kind: Kind, spec: object, name = 'acme'): Promise<ServerVerdict> =>
    server.create(namespace, resourceOf({ kind, what: '', spec, metadata: { name } }));
  const inForce = (kind: Kind, spec: object, refusal: RegExp) =>
    expect
      .poll(() => ask(kind, spec), POLL)
      .toMatchObject({
        isAccepted: false,
        message: expect.stringMatching(refusal) as string,
      });

  test('without a ConfigMap or with an empty one, nothing is limited', async () => {
    expect(await ask('MemoryTenant', {})).toMatchObject({ isAccepted: true });
    await limitTo({ leastInterval: '400d' });
    await inForce('LayerSummaryPolicy', LAYER, /at least 400d/);
    expect(await ask('MemoryTenant', {})).toMatchObject({ isAccepted: true });
    expect(await ask('ModelProvider', provider('huge'))).toMatchObject({ isAccepted: true });
  });

  test('K8S-01: a resource within the limits is accepted, and one beyond is refused with the limit', async () => {
    await limitTo(LIMITS);
    for (const { kind, spec, refusal } of CASES) {
      if (refusal !== undefined) await inForce(kind, spec, refusal);
    }
    for (const { what, kind, spec, refusal } of CASES) {
      const { isAccepted, message } = await ask(kind, spec);
      expect([what, message]).toEqual([what, expect.stringMatching(refusal ?? /^$/) as string]);
      expect(isAccepted).toBe(refusal === undefined);
    }
  });

  test('a resource that exceeds a later limit can be finalized, and be brought within the limit', async () => {
    await limitTo({ largestBudgetTokens: '1000' });
    await inForce('MemoryTenant', { budget: { tokens: 1_001 } }, /at most 1000/);
    const [old] = [
      { kind: 'MemoryTenant', what: '', spec: { budget: { tokens: 1_000 } } },
    ] as const;
    await apply([withNamespace(resourceOf({ ...old, metadata: { name: 'older' } }))]);
    await limitTo({ largestBudgetTokens: '10' });
    await inForce('MemoryTenant', { budget: { tokens: 11 } }, /at most 10,/);
    const get = ['get', 'memorytenant/older', `--namespace=${namespace}`, '--output=json'];
    const kept = JSON.parse((await cluster.kubectl(get)).stdout) as {
      metadata: object;
      spec: object;
    };
    const finalizers = ['memory.varve.dev/tenant'];
    const finalized = { ...kept, metadata: { ...kept.metadata, finalizers } };
    expect(await server.replace(namespace, finalized)).toMatchObject({ isAccepted: true });
    const changed = { ...kept, spec: { ...kept.spec, budget: { tokens: 999 } } };
    expect((await server.replace(namespace, changed)).message).toMatch(/at most 10,/);
    const within = { ...kept, spec: { ...kept.spec, budget: { tokens: 10 } } };
    expect(await server.replace(namespace, within)).toMatchObject({ isAccepted: true });
  });

  test('an invalid limit refuses resources, and the message says who must fix it', async () => {
    await limitTo({ largestBudgetTokens: 'many' });
    await inForce('MemoryTenant', { budget: { tokens: 1 } }, /platform administrator must fix/);
    expect(await ask('ModelProvider', provider('huge'))).toMatchObject({ isAccepted: true });
  });

  const withNamespace = (resource: object): object => {
    const { metadata, ...rest } = resource as { readonly metadata: object };
    return { ...rest, metadata: { ...metadata, namespace } };
  };
});

/** The printed limits, for one namespace of the test alone, under names of its own. */
function limitsWithin(namespace: string): readonly object[] {
  const only = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
  return platformLimits().map((object) => {
    const { kind, metadata, spec, ...head } = object as LimitObject;
    const name = `${namespace}.${metadata.name}`;
    if (kind === 'ValidatingAdmissionPolicy') return { ...head, kind, metadata: { name }, spec };
    const paramRef = { ...spec.paramRef, namespace };
    const matchResources = { namespaceSelector: only };
    const narrowed = { ...spec, policyName: name, paramRef, matchResources };
    return { ...head, kind, metadata: { name }, spec: narrowed };
  });
}

interface LimitObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly paramRef?: object };
}

function listOf(items: readonly object[]): object {
  return { apiVersion: 'v1', kind: 'List', items };
}
