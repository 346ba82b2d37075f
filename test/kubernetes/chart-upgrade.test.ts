/**
 * Resources that are there stay as they are when the chart is upgraded onto itself. The group has
 * another name here, so that other tests of the same API server keep their definitions.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import type { KubernetesApi, KubernetesObject, ResourceType } from '#core/ports/kubernetes-api.ts';
import { API_GROUP } from '#crds/metadata.ts';
import { openKubernetesApi } from '#providers/kubernetes/open-kubernetes-api.ts';
import { createTimers } from '#providers/node/timers.ts';
import { missingForHelm } from '../cluster/helm.ts';
import { describeUnless } from '../cluster/needs.ts';
import {
  missingForKubernetes,
  openTestKubernetes,
  type TestKubernetes,
} from '../cluster/test-kubernetes.ts';
import { inTurns } from '../fault-injection/operator/settled.ts';
import { ofKind, render } from './chart.ts';
import { chartDefinitions, type Definition } from './chart-definitions.ts';
import { EXAMPLES } from './resource-examples.ts';
import { resourceNamed, resourcesAtBounds } from './resources-at-bounds.ts';

const OTHER_GROUP = 'upgrade.test.varve.dev';
/** Requests at the same time; the server judges the largest of them for a second each. */
const AT_ONCE = 8;

const definitions = chartDefinitions();
const missing = (await missingForKubernetes()) ?? (await missingForHelm());

interface Wanted {
  /** The purpose of the attempt, for readers of its refusal. */
  readonly what: string;
  readonly type: ResourceType;
  /** The first that the server takes. */
  readonly specs: readonly object[];
}

interface Kept {
  readonly what: string;
  readonly type: ResourceType;
  readonly object: KubernetesObject;
}

const atBounds: readonly Wanted[] = definitions.flatMap((definition) =>
  resourcesAtBounds(definition).map(({ kind, at, specs }, n) => {
    return { what: `${kind} ${at} (${String(n)})`, type: typeOf(definition), specs };
  }),
);
const examples: readonly Wanted[] = EXAMPLES.flatMap(({ kind, what, spec, refusal, metadata }) => {
  const definition = definitions.find(({ spec: { names } }) => names.kind === kind);
  const isSpec = typeof spec === 'object' && spec !== null;
  if (definition === undefined || refusal !== undefined || !isSpec || metadata) return [];
  return [{ what, type: typeOf(definition), specs: [spec] }];
});

describeUnless(missing)('an upgrade of the definitions', () => {
  const held = new AsyncDisposableStack();
  let cluster: TestKubernetes;
  let namespace = '';
  let api: KubernetesApi;
  beforeAll(async () => {
    cluster = held.use(await openTestKubernetes());
    namespace = await cluster.createNamespace();
    const { kubeconfig } = cluster;
    const limits = { requestsPerSecond: 10_000, burst: 10_000 };
    const opening = { kubeconfig, userAgent: 'test/1', timers: createTimers(), ...limits };
    api = held.use(openKubernetesApi(opening));
    await install(definitions);
  });
  afterAll(async () => {
    const names = definitions.map(({ spec }) => `${spec.names.plural}.${OTHER_GROUP}`);
    await cluster.kubectl(['delete', 'customresourcedefinition', '--wait=false', ...names]);
    await held.disposeAsync();
  });

  const install = async (wanted: readonly Definition[]): Promise<void> => {
    const items = wanted.map((definition) => renamed(definition));
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    const flags = ['--server-side', '--force-conflicts', '-f-'];
    await cluster.run(['apply', ...flags], { input });
    const names = wanted.map(({ spec }) => `crd/${spec.names.plural}.${OTHER_GROUP}`);
    await cluster.run(['wait', '--for=condition=Established', '--timeout=60s', ...names]);
  };
  /** Null where the server refuses it. */
  const created = async (type: ResourceType, name: string, spec: object) => {
    const { metadata, ...rest } = renamed(resourceNamed(type.kind, name, spec));
    try {
      return await api.create(type, { ...rest, metadata: { ...metadata, namespace } });
    } catch (error) {
      if (error instanceof VarveError && error.code === 'PROVIDER_REJECTED') return null;
      throw error;
    }
  };
  const createdAll = async (wanted: readonly Wanted[], prefix: string) => {
    const kept: Kept[] = [];
    const refused: string[] = [];
    await inTurns([...wanted.entries()], AT_ONCE, async ([n, { what, type, specs }]) => {
      let object: KubernetesObject | null = null;
      for (const spec of specs) object ??= await created(type, `${prefix}-${String(n)}`, spec);
      if (object === null) refused.push(what);
      else kept.push({ what, type, object });
    });
    return { kept, refused };
  };

  test('existing resources at the bounds stay valid, and can be created again', async () => {
    const bounds = await createdAll(atBounds, 'bound');
    // What does not reach a bound would show nothing.
    expect(bounds.refused).toEqual([]);
    const known = await createdAll(examples, 'example');
    const before = [...bounds.kept, ...known.kept];

    await install(ofKind(await render(), 'CustomResourceDefinition') as unknown as Definition[]);
    const wrong: string[] = [];
    await inTurns([...before.entries()], AT_ONCE, async ([n, { what, type, object }]) => {
      const { name } = object.metadata;
      const found = await api.get(type, { namespace, name });
      // A newer field with a default may be there now; nothing that was said is gone or changed.
      expect([what, found?.['spec']]).toMatchObject([what, object['spec']]);
      if (found === null) return;
      const labels = { touched: 'yes' };
      const again = { ...found, metadata: { ...found.metadata, labels }, spec: object['spec'] };
      const replaced = await api.replace(type, again);
      expect([what, replaced['spec']]).toMatchObject([what, object['spec']]);
      // The server lets what did not change pass, so only a new one is judged by all that is new.
      const anew = await created(type, `anew-${String(n)}`, object['spec'] as object);
      if (anew === null) wrong.push(what);
    });
    expect(wrong).toEqual([]);
    expect(before.length).toBeGreaterThan(atBounds.length);
  });
});

function typeOf({ spec: { names, versions } }: Definition): ResourceType {
  const { kind, plural } = names;
  const version = versions[0]?.name ?? '';
  return { group: OTHER_GROUP, version, kind, plural, isNamespaced: true };
}

function renamed(object: object): KubernetesObject {
  const text = JSON.stringify(object).replaceAll(API_GROUP, OTHER_GROUP);
  return JSON.parse(text) as KubernetesObject;
}
