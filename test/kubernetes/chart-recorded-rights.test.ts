/**
 * The operator as its own ServiceAccount, through a proxy that records what it asks for: it is
 * granted everything that it uses and nothing that it does not.
 */
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startApiProxy, type ApiProxy } from '../cluster/api-proxy.ts';
import { missingForHelm } from '../cluster/helm.ts';
import { describeUnless } from '../cluster/needs.ts';
import {
  installDefinitions,
  missingForKubernetes,
  openTestKubernetes,
  type TestKubernetes,
} from '../cluster/test-kubernetes.ts';
import { until } from '../e2e/until.ts';
import { startVarve, temporaryFolder } from '../e2e/varve-process.ts';
import { FULL_NAME, render, type Rendering } from './chart.ts';

const ACCOUNT = `${FULL_NAME}-operator`;
const SEED = 1;
const GROUP = 'memory.varve.dev';

const Granting = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  rules: z.array(
    z.looseObject({
      apiGroups: z.array(z.string()),
      resources: z.array(z.string()),
      verbs: z.array(z.string()),
    }),
  ),
});

const TENANT = { name: 'one-memorytenant' };
const DREAM = { tenantRef: TENANT, cron: '30 3 * * *' };

const missing = (await missingForKubernetes()) ?? (await missingForHelm());

describeUnless(missing)('the permissions of the operator', () => {
  const held = new AsyncDisposableStack();
  let cluster: TestKubernetes;
  let namespace = '';
  let proxy: ApiProxy;
  let granted: readonly string[] = [];
  beforeAll(async () => {
    cluster = held.use(await openTestKubernetes());
    namespace = await cluster.createNamespace();
    await installDefinitions(cluster);
    const values = [`operator.watchNamespaces={${namespace}}`, 'operator.clusterId='];
    const rendering = await render({ set: 'scoped', namespace, values });
    const rights = rightsOf(rendering);
    await send('apply', '--server-side', { apiVersion: 'v1', kind: 'List', items: rights });
    granted = grantsOf(rights);
    const keys = path.dirname(cluster.kubeconfig);
    const kubeconfig = await cluster.serviceAccountKubeconfig(namespace, ACCOUNT);
    proxy = held.use(await startApiProxy({ kubeconfig, keys, seed: SEED }));
    const ofCluster = `${ACCOUNT}-cluster-${namespace}`;
    held.defer(async () => {
      await run('delete', 'clusterrole,clusterrolebinding', ofCluster);
    });
  });
  afterAll(() => held.disposeAsync());

  const run = (...args: readonly string[]) => cluster.run(args);
  const send = async (verb: string, flag: string, object: object): Promise<void> => {
    await cluster.run([verb, flag, '-f-'], { input: JSON.stringify(object) });
  };
  const declare = (kind: string, spec: object, annotations: object = {}, place = namespace) =>
    send('apply', '--server-side', {
      apiVersion: `${GROUP}/v1alpha1`,
      kind,
      metadata: { name: `one-${kind.toLowerCase()}`, namespace: place, annotations },
      spec,
    });
  /** Waits until the reason of a condition of a resource is the one given. */
  const untilReason = (kind: string, type: string, reason: string, place = namespace) =>
    until(`${kind} has ${type} with ${reason}`, async () => {
      const at = `{.status.conditions[?(@.type=="${type}")].reason}`;
      const asked = ['get', kind, `one-${kind}`, `--namespace=${place}`];
      return (await run(...asked, `--output=jsonpath=${at}`)) === reason;
    });

  test('are exactly those that it uses', async () => {
    await using folder = await temporaryFolder();
    await using operator = startVarve(
      [
        ...['operator', '--kubeconfig', proxy.kubeconfig, '--namespace', namespace],
        ...['--watch-namespace', namespace, '--lease-name', ACCOUNT, '--data-dir', folder.path],
      ],
      { env: { VARVE_LOG_LEVEL: 'info' } },
    );
    const tenant = { tenantId: `tenant-${namespace}`, budget: { dollars: '1.00' } };
    await operator.untilSaid('"ready"');
    await declare('MemoryTenant', tenant);
    await declare('ModelProvider', { extractive: {}, allowedNamespaces: [namespace] });
    await declare('LayerSummaryPolicy', { tenantRef: TENANT, layer: 'project' });
    await declare('DeepDream', DREAM);
    await untilReason('memorytenant', 'Accepted', 'Accepted');
    // Said again, an event is counted and not written again.
    for (const paused of ['true', 'false', 'true', 'false']) {
      await declare('MemoryTenant', tenant, { [`${GROUP}/paused`]: paused });
      await until('it is seen', async () => {
        const at = '{.status.conditions[?(@.type=="Ready")].reason}';
        const asked = ['get', 'mt', 'one-memorytenant', `--namespace=${namespace}`];
        const isPaused = (await run(...asked, `--output=jsonpath=${at}`)) === 'Paused';
        return isPaused === (paused === 'true');
      });
    }
    // Let go without a word to the store; who comes next asks whether it is really gone.
    await declare('MemoryTenant', tenant, { [`${GROUP}/force-release`]: 'true' });
    await run('delete', 'mt', '--all', `--namespace=${namespace}`, '--timeout=60s');
    await declare('MemoryTenant', tenant);
    await untilReason('memorytenant', 'Accepted', 'Accepted');
    await run('delete', 'mt,lsp,mp,dd', '--all', `--namespace=${namespace}`, '--timeout=60s');
    await until('an event is counted', () => {
      return Promise.resolve(proxy.record.counts().has('patch events.k8s.io/events'));
    });
    operator.kill('SIGTERM');
    expect((await operator.ended).status).toBe(0);

    const refused = proxy.record.since().filter(({ status }) => status === 403);
    expect(refused).toEqual([]);
    const used = [...proxy.record.counts().keys()].toSorted();
    expect(used).toEqual(granted);
  });

  test('suffice for model providers in its own namespace, which it does not watch', async () => {
    const release = await cluster.createNamespace();
    const values = [`operator.watchNamespaces={${namespace}}`, 'operator.clusterId=main'];
    const rendering = await render({ set: 'scoped', namespace: release, values });
    // The Role in the namespace that is watched is there: its binding then names this account.
    const items = rightsOf(rendering);
    await send('apply', '--server-side', { apiVersion: 'v1', kind: 'List', items });
    await using own = await startApiProxy({
      kubeconfig: await cluster.serviceAccountKubeconfig(release, ACCOUNT),
      keys: path.dirname(cluster.kubeconfig),
      seed: SEED,
    });
    await using folder = await temporaryFolder();
    await using operator = startVarve(
      [
        ...['operator', '--kubeconfig', own.kubeconfig, '--namespace', release],
        ...['--watch-namespace', namespace, '--cluster-id', 'main', '--lease-name', ACCOUNT],
        ...['--data-dir', folder.path],
      ],
      { env: { VARVE_LOG_LEVEL: 'info' } },
    );
    await operator.untilSaid('"ready"');
    await declare('ModelProvider', { extractive: {}, allowedNamespaces: [namespace] }, {}, release);
    await declare('MemoryTenant', { tenantId: `lent-${namespace}` });
    await untilReason('memorytenant', 'Accepted', 'Accepted');
    await untilReason('modelprovider', 'Accepted', 'Accepted', release);
    await run('delete', 'mt', '--all', `--namespace=${namespace}`, '--timeout=60s');
    operator.kill('SIGTERM');
    expect((await operator.ended).status).toBe(0);
    expect(own.record.since().filter(({ status }) => status === 403)).toEqual([]);
    expect(own.record.counts().has('patch memory.varve.dev/modelproviders/status')).toBe(true);
  });

  test('are the same if it watches all namespaces', async () => {
    const everywhere = await render({ namespace });
    expect(grantsOf(rightsOf(everywhere))).toEqual(granted);
  });
});

/** The accounts, and the roles of the operator with their bindings. */
function rightsOf({ objects }: Rendering) {
  return objects.filter(
    ({ kind, metadata }) =>
      /^(?:Cluster)?Role(?:Binding)?$|^ServiceAccount$/u.test(kind) &&
      metadata.name.startsWith(ACCOUNT),
  );
}

/** As the proxy records what is asked: `list memory.varve.dev/memorytenants`. */
function grantsOf(objects: readonly { readonly kind: string }[]): readonly string[] {
  const roles = objects.filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole');
  const grants = roles.flatMap((role) =>
    Granting.parse(role).rules.flatMap(({ apiGroups, resources, verbs }) =>
      verbs.flatMap((verb) =>
        resources.flatMap((resource) =>
          apiGroups.map((group) => `${verb} ${group === '' ? '' : `${group}/`}${resource}`),
        ),
      ),
    ),
  );
  return [...new Set(grants)].toSorted();
}
