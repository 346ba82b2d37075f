/** What the ServiceAccounts of the chart may do, asked of a real API server. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { missingForHelm } from '../cluster/helm.ts';
import { describeUnless } from '../cluster/needs.ts';
import {
  installDefinitions,
  missingForKubernetes,
  openTestKubernetes,
  type TestKubernetes,
} from '../cluster/test-kubernetes.ts';
import { FULL_NAME, render, VALUE_SETS, type Rendering } from './chart.ts';

const missing = (await missingForKubernetes()) ?? (await missingForHelm());

/** Without the definitions a name with a group is taken for one of the core group. */

const Rules = z.looseObject({
  rules: z.array(
    z.looseObject({
      apiGroups: z.array(z.string()),
      resources: z.array(z.string()),
      verbs: z.array(z.string()),
    }),
  ),
});

describeUnless(missing)('the permissions of the parts in a cluster', () => {
  let cluster: TestKubernetes;
  let namespace = '';
  let other = '';
  beforeAll(async () => {
    cluster = await openTestKubernetes();
    await installDefinitions(cluster);
    [namespace, other] = [await cluster.createNamespace(), await cluster.createNamespace()];
    const rendering = await render({ set: 'everything', namespace });
    await apply(rightsOf(rendering));
    for (const name of ['openai', 'local-models', 'somebody-else']) {
      await run('create', 'secret', 'generic', name, `--namespace=${namespace}`);
      await run('create', 'secret', 'generic', name, `--namespace=${other}`);
    }
  });
  afterAll(async () => {
    const labels = `app.kubernetes.io/instance=acme`;
    const kinds = 'clusterroles,clusterrolebindings';
    const names = await run('get', kinds, '--selector', labels, '--output=name');
    const own = names.split('\n').filter((name) => name.includes(namespace));
    if (own.length > 0) await run('delete', ...own);
    await cluster[Symbol.asyncDispose]();
  });

  const run = (...args: readonly string[]) => cluster.run(args);
  const apply = async (items: readonly unknown[]): Promise<void> => {
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    await cluster.run(['apply', '--server-side', '-f-'], { input });
  };
  const may = async (component: string, ...asked: readonly string[]): Promise<boolean> => {
    const account = `system:serviceaccount:${namespace}:acme-memory-${component}`;
    const { stdout } = await cluster.kubectl(['auth', 'can-i', ...asked, `--as=${account}`]);
    return stdout.trim() === 'yes';
  };

  test.each(VALUE_SETS)('no role of %s has a wildcard', async (set) => {
    const { objects } = await render({ set });
    const roles = objects.filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole');
    expect(roles.length).toBeGreaterThan(0);
    for (const role of roles) {
      for (const { apiGroups, resources, verbs } of Rules.parse(role).rules) {
        expect([...apiGroups, ...resources, ...verbs].join(' ')).not.toContain('*');
      }
    }
  });

  test.each([
    ['models', 'get', 'secrets/openai', true],
    ['models', 'get', 'secrets/local-models', true],
    ['models', 'get', 'secrets/somebody-else', false],
    ['models', 'list', 'secrets', false],
    ['models', 'watch', 'secrets', false],
    ['models', 'get', 'memorytenants.memory.varve.dev', false],
    ['api', 'get', 'secrets/openai', true],
    ['api', 'get', 'secrets/local-models', false],
    ['api', 'list', 'secrets', false],
    ['api', 'create', 'tokenreviews.authentication.k8s.io', true],
    ['api', 'create', 'subjectaccessreviews.authorization.k8s.io', false],
    ['workflows', 'create', 'tokenreviews.authentication.k8s.io', false],
    ['workflows', 'get', 'secrets/openai', false],
    ['workflows', 'get', 'memorytenants.memory.varve.dev', false],
    ['operator', 'get', 'secrets/openai', false],
    ['operator', 'list', 'secrets', false],
    ['operator', 'watch', 'memorytenants.memory.varve.dev', true],
    ['operator', 'delete', 'memorytenants.memory.varve.dev', false],
    ['operator', 'update', 'leases.coordination.k8s.io/acme-memory-operator', true],
    ['operator', 'update', 'leases.coordination.k8s.io/somebody-else', false],
    ['operator', 'list', 'leases.coordination.k8s.io', false],
    ['operator', 'get', 'configmaps/varve-platform-limits', true],
    ['operator', 'get', 'configmaps/somebody-else', false],
    ['operator', 'list', 'configmaps', false],
    ['operator', 'create', 'pods', false],
  ] as const)('%s may %s %s: %s', async (component, verb, resource, expected) => {
    expect(await may(component, verb, resource, `--namespace=${namespace}`)).toBe(expected);
  });

  test('model workers cannot read a Secret of another namespace', async () => {
    const asked = ['get', 'secrets/openai', `--namespace=${other}`];
    expect(await may('models', ...asked)).toBe(false);
  });

  test('K8S-05: the token of model workers reads only the named Secret', async () => {
    const account = 'acme-memory-models';
    const kubeconfig = await cluster.serviceAccountKubeconfig(namespace, account);
    const read = (name: string) =>
      cluster.kubectl(['get', 'secret', name, `--namespace=${namespace}`], { kubeconfig });
    expect(await read('openai')).toMatchObject({ status: 0 });
    const refused = await read('somebody-else');
    expect(refused.stderr).toContain('Forbidden');
    expect(refused.status).not.toBe(0);
  });

  test('an operator limited to named namespaces reads only there, except for model providers', async () => {
    const watched = await cluster.createNamespace();
    const values = [`operator.watchNamespaces={${watched}}`];
    const rendering = await render({ set: 'scoped', namespace: other, values });
    await apply(rightsOf(rendering));
    const account = `system:serviceaccount:${other}:${FULL_NAME}-operator`;
    const reads = async (place: string, plural = 'memorytenants') => {
      const asked = ['auth', 'can-i', 'watch', `${plural}.memory.varve.dev`];
      const { stdout } = await cluster.kubectl([...asked, place, `--as=${account}`]);
      return stdout.trim();
    };
    expect(await reads(`--namespace=${watched}`)).toBe('yes');
    expect(await reads(`--namespace=${watched}`, 'modelproviders')).toBe('yes');
    // Its models lie beside it, and nothing else does.
    expect(await reads(`--namespace=${other}`)).toBe('no');
    expect(await reads(`--namespace=${other}`, 'layersummarypolicies')).toBe('no');
    expect(await reads(`--namespace=${other}`, 'deepdreams')).toBe('no');
    expect(await reads(`--namespace=${other}`, 'modelproviders')).toBe('yes');
    expect(await reads(`--namespace=${namespace}`)).toBe('no');
    expect(await reads('--all-namespaces')).toBe('no');
  });
});

/** Accounts, roles and their bindings; nothing that would run. */
function rightsOf({ objects }: Rendering): readonly unknown[] {
  return objects.filter(({ kind }) =>
    /^(?:ServiceAccount|(?:Cluster)?Role(?:Binding)?)$/u.test(kind),
  );
}
