/**
 * Resources that are there stay as they are when the chart brings newer definitions. The group has
 * another name here, so that other tests of the same API server keep their definitions.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { missingForHelm } from '../cluster/helm.ts';
import { describeUnless } from '../cluster/needs.ts';
import {
  missingForKubernetes,
  openTestKubernetes,
  type TestKubernetes,
} from '../cluster/test-kubernetes.ts';
import { ofKind, render } from './chart.ts';
import {
  currentDefinitions,
  earlierDefinitions,
  fieldsOf,
  type Definition,
} from './chart-earlier-definitions.ts';
import { EXAMPLES, resourceOf, type Example } from './resource-examples.ts';

const GROUP = 'memory.varve.dev';
const OTHER_GROUP = 'upgrade.test.varve.dev';

const earlier = await earlierDefinitions();
const missing = (await missingForKubernetes()) ?? (await missingForHelm());

interface Kept {
  readonly metadata: { readonly uid: string; readonly name: string };
  readonly spec: object;
}

describeUnless(missing)('an upgrade of the definitions', () => {
  let cluster: TestKubernetes;
  let namespace = '';
  beforeAll(async () => {
    cluster = await openTestKubernetes();
    namespace = await cluster.createNamespace();
    await install(earlier.definitions);
  });
  afterAll(async () => {
    const names = earlier.definitions.map(({ spec }) => `${spec.names.plural}.${OTHER_GROUP}`);
    await run('delete', 'customresourcedefinition', '--wait=false', ...names);
    await cluster[Symbol.asyncDispose]();
  });

  const run = async (...args: readonly string[]): Promise<string> => {
    const { stdout, stderr, status } = await cluster.kubectl(args);
    if (status !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const install = async (definitions: readonly Definition[]): Promise<void> => {
    const items = definitions.map((definition) => renamed(definition));
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    const flags = ['--server-side', '--force-conflicts', '-f-'];
    const { status, stderr } = await cluster.kubectl(['apply', ...flags], { input });
    if (status !== 0) throw new Error(stderr);
    for (const { spec } of definitions) {
      const name = `customresourcedefinition/${spec.names.plural}.${OTHER_GROUP}`;
      await run('wait', '--for=condition=Established', '--timeout=60s', name);
    }
  };
  const kept = async (kind: string): Promise<readonly Kept[]> => {
    const place = `--namespace=${namespace}`;
    const text = await run('get', `${kind}.v1alpha1.${OTHER_GROUP}`, place, '--output=json');
    const { items } = JSON.parse(text) as { items: readonly Kept[] };
    return items.map(({ metadata, spec }) => {
      return { metadata: { uid: metadata.uid, name: metadata.name }, spec };
    });
  };

  test(`K8S-05: what was declared under ${earlier.from} is kept, word for word`, async () => {
    const good = EXAMPLES.filter((example) => isKnown(example, earlier.definitions));
    const items = good.map((example, index) => inGroup(resourceOf(example), index));
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    const made = await cluster.kubectl(['create', `--namespace=${namespace}`, '-f-'], { input });
    expect(made.stderr).toBe('');
    const kinds = [...new Set(good.map(({ kind }) => kind))];
    const before = await Promise.all(kinds.map((kind) => kept(kind)));
    expect(before.flat().length).toBeGreaterThan(kinds.length);

    const current = ofKind(await render(), 'CustomResourceDefinition');
    await install(current as unknown as readonly Definition[]);
    const after = await Promise.all(kinds.map((kind) => kept(kind)));
    // A newer field with a default may be there now; nothing that was said is gone or changed.
    expect(after).toMatchObject(before);
    expect(after.flat()).toHaveLength(before.flat().length);
    for (const kind of kinds) {
      const all = [`${kind}.v1alpha1.${OTHER_GROUP}`, '--all', `--namespace=${namespace}`];
      await run('label', ...all, 'touched=yes');
    }
  });

  test('K8S-05: no field and no version that there was is gone', () => {
    const now = new Set(currentDefinitions().flatMap((definition) => fieldsOf(definition)));
    const before = earlier.definitions.flatMap((definition) => fieldsOf(definition));
    expect(before.length).toBeGreaterThan(100);
    expect(before.filter((field) => !now.has(field))).toEqual([]);
  });
});

function renamed(object: object): unknown {
  return JSON.parse(JSON.stringify(object).replaceAll(GROUP, OTHER_GROUP));
}

/** Whether it is good, and every field of its spec was there. */
function isKnown({ kind, spec, refusal }: Example, definitions: readonly Definition[]): boolean {
  const fields = new Set(definitions.flatMap((definition) => fieldsOf(definition)));
  const names = typeof spec === 'object' && spec !== null ? Object.keys(spec) : [];
  return (
    refusal === undefined && names.every((name) => fields.has(`${kind} v1alpha1 spec.${name}`))
  );
}

/** Under a name of its own, since many examples have the same. */
function inGroup(resource: object, index: number): object {
  const { metadata, ...rest } = renamed(resource) as { metadata: object };
  return { ...rest, metadata: { ...metadata, name: `example-${String(index)}` } };
}
