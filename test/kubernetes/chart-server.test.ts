/**
 * A real API server accepts every document of the chart, and a strict namespace accepts its pods.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { missingForHelm } from '../cluster/helm.ts';
import { describeUnless } from '../cluster/needs.ts';
import {
  missingForKubernetes,
  openTestKubernetes,
  type TestKubernetes,
} from '../cluster/test-kubernetes.ts';
import { FOREIGN_KINDS, ofKind, PART_SETS, render, VALUE_SETS, type Rendered } from './chart.ts';

const missing = (await missingForKubernetes()) ?? (await missingForHelm());

describeUnless(missing)('the chart on an API server', () => {
  let cluster: TestKubernetes;
  let namespace = '';
  beforeAll(async () => {
    cluster = await openTestKubernetes();
    namespace = await cluster.createNamespace();
    const strict = 'pod-security.kubernetes.io/enforce=restricted';
    await run('label', 'namespace', namespace, strict);
    await run('apply', '--server-side', '--force-conflicts', `--filename=${FOREIGN_KINDS}`);
    await run('wait', '--for=condition=Established', '--timeout=60s', `-f=${FOREIGN_KINDS}`);
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  const run = (...args: readonly string[]) => cluster.run(args);
  const dryRun = (input: string) =>
    cluster.kubectl(
      ['create', '--dry-run=server', '--validate=strict', '--output=name', '--filename=-'],
      { input },
    );
  const asJson = (objects: readonly unknown[]) =>
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });

  test.each(VALUE_SETS)('the server accepts every document of %s', async (set) => {
    const { objects } = await render({ set, namespace });
    // Of what may be there already, a dry run of an apply says the same as one of a creation.
    const { status, stdout, stderr } = await cluster.kubectl(
      ['apply', '--server-side', '--force-conflicts', '--dry-run=server', '--output=name', '-f-'],
      { input: asJson(objects) },
    );
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(stdout.trim().split('\n')).toHaveLength(objects.length);
  });

  test.each(VALUE_SETS)(
    'pods of %s may run in a namespace with restricted pod security',
    async (set) => {
      const rendering = await render({ set, namespace });
      const pods = [...ofKind(rendering, 'Deployment').map(podOf), ...ofKind(rendering, 'Pod')];
      expect(pods.length).toBeGreaterThanOrEqual(PART_SETS.includes(set) ? 4 : 1);
      await accountsOf(rendering.objects);
      const { status, stdout, stderr } = await dryRun(asJson(pods));
      expect(stderr).toBe('');
      expect(status).toBe(0);
      expect(stdout.trim().split('\n')).toHaveLength(pods.length);
    },
  );

  test.each<[string, string, object]>([
    ['ScaledObject', 'spec.triggers[0].authentication', { authentication: { name: 'a' } }],
    ['ScaledObject', 'spec.triggers[0].metadata.queue', { metadata: { queue: 'a' } }],
    ['TriggerAuthentication', 'spec.secretTargetRef[0].parameter', { parameter: 'token' }],
    ['HTTPRoute', 'spec.rules[0].backends', { backends: [] }],
  ])('the server refuses a %s with an invalid %s', async (kind, place, wrong) => {
    const set = kind === 'HTTPRoute' ? 'everything' : 'keda-certificate';
    const [object] = ofKind(await render({ set, namespace }), kind);
    const { status, stderr } = await dryRun(JSON.stringify(withinFirst(object as Rendered, wrong)));
    expect(stderr).toContain(place);
    expect(status).not.toBe(0);
  });

  test('the namespace refuses a pod that is not restricted', async () => {
    const [deployment] = ofKind(await render({ namespace }), 'Deployment');
    const pod = podOf(deployment as Rendered) as { spec: { securityContext: object } };
    const lax = { ...pod, spec: { ...pod.spec, securityContext: {} } };
    const { status, stderr } = await dryRun(JSON.stringify(lax));
    expect(stderr).toContain('violates PodSecurity "restricted:latest"');
    expect(stderr).toContain('runAsNonRoot');
    expect(status).not.toBe(0);
  });

  const accountsOf = async (objects: readonly Rendered[]): Promise<void> => {
    const accounts = objects.filter(({ kind }) => kind === 'ServiceAccount');
    await cluster.run(['apply', '--server-side', '-f-'], { input: asJson(accounts) });
  };
});

/** The first entry of its list of triggers or references, changed. */
function withinFirst(object: Rendered, wrong: object): object {
  const spec = object['spec'] as Record<string, unknown>;
  const lists = Object.entries(spec).map(([name, value]) => {
    if (!Array.isArray(value)) return [name, value] as const;
    const [first, ...others] = value as readonly object[];
    return [name, [{ ...first, ...wrong }, ...others]] as const;
  });
  return { ...object, spec: Object.fromEntries(lists) };
}

/** A pod as the controller of the Deployment would make it. */
function podOf(deployment: Rendered): object {
  const { name, namespace } = deployment.metadata;
  const { template } = deployment['spec'] as { template: { metadata: object; spec: object } };
  const metadata = { ...template.metadata, name, namespace };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: template.spec };
}
