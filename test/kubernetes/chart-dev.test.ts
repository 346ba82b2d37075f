/**
 * `dev.enabled`: the objects of the one pod, and its programs, started as the pod would start them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { MEMORY_TENANT } from '#crds/resource-types.ts';
import { nodePlatform } from '#providers/temporal/server-platform.ts';
import { obtainTemporal } from '#providers/temporal/server-program.ts';
import { TEMPORAL_CLI_VERSION } from '#providers/temporal/server-version.ts';
import { createProgress } from '#cli/progress-bar.ts';
import { helm, missingForHelm } from '../cluster/helm.ts';
import { describeUnless } from '../cluster/needs.ts';
import { missingForKubernetes } from '../cluster/test-kubernetes.ts';
import { freePort } from '../e2e/ports.ts';
import { until } from '../e2e/until.ts';
import { startVarve, temporaryFolder, type VarveProcess } from '../e2e/varve-process.ts';
import { readProjectFile } from '../tidy/source-file.ts';
import { CHART, FULL_NAME, ofKind, render, tryRender, type Rendering } from './chart.ts';
import { openOperatorServer, type OperatorServer } from './operator-server.ts';

const NAME = `${FULL_NAME}-dev`;
const DEV = { set: 'dev' } as const;
const missing = (await missingForKubernetes()) ?? (await missingForHelm());

const Container = z.looseObject({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()),
  restartPolicy: z.string().optional(),
  env: z
    .array(
      z.looseObject({
        name: z.string(),
        value: z.string().optional(),
        valueFrom: z
          .looseObject({
            fieldRef: z.object({ fieldPath: z.string() }).optional(),
            secretKeyRef: z.object({ name: z.string(), key: z.string() }).optional(),
          })
          .optional(),
      }),
    )
    .default([]),
  startupProbe: z.looseObject({ exec: z.object({ command: z.array(z.string()) }).optional() }),
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })),
});
const Pod = z.looseObject({
  serviceAccountName: z.string(),
  initContainers: z.tuple([Container]),
  containers: z.array(Container),
  volumes: z.array(z.looseObject({ name: z.string() })),
});
const Named = z.looseObject({ kind: z.string(), metadata: z.looseObject({ name: z.string() }) });
const Secret = z.looseObject({ data: z.record(z.string(), z.string()) });

describeUnless(await missingForHelm())('a trial installation', () => {
  test('is one pod with its own volume, account, and token, and is labeled as not for production', async () => {
    const rendering = await render(DEV);
    const kinds = rendering.objects.map(({ kind }) => kind);
    const scaled = ['HorizontalPodAutoscaler', 'ScaledObject', 'PodDisruptionBudget'];
    expect(kinds.filter((kind) => scaled.includes(kind))).toEqual([]);
    const deployments = ofKind(rendering, 'Deployment').map(({ metadata }) => metadata);
    expect(deployments.map(({ name }) => name)).toEqual([NAME]);
    expect(deployments[0]?.labels).toMatchObject({ 'varve.dev/not-for-production': 'true' });
    expect(namesOf(rendering, 'ServiceAccount')).toEqual([NAME]);
    expect(namesOf(rendering, 'PersistentVolumeClaim')).toEqual([NAME]);
    const pod = podOf(rendering);
    expect(pod.serviceAccountName).toBe(NAME);
    expect(pod.containers.map(({ name }) => name)).toEqual(['operator', 'api', 'worker']);
    for (const { volumeMounts } of [...pod.initContainers, ...pod.containers]) {
      expect(volumeMounts).toContainEqual({ name: 'data', mountPath: '/data' });
    }
    for (const binding of ['RoleBinding', 'ClusterRoleBinding']) {
      for (const object of ofKind(rendering, binding)) {
        expect(object['subjects']).toMatchObject([{ kind: 'ServiceAccount', name: NAME }]);
      }
    }
  });

  test('runs the tested version of Temporal, which listens only in the pod and starts first', async () => {
    const [temporal] = podOf(await render(DEV)).initContainers;
    expect(temporal.image).toBe(`temporalio/temporal:${TEMPORAL_CLI_VERSION}`);
    expect(temporal.restartPolicy).toBe('Always');
    expect(temporal.args).toContain('--ip=127.0.0.1');
  });

  test('keeps its data only as long as the pod if no size is set', async () => {
    const rendering = await render({ ...DEV, values: ['dev.storage.size='] });
    expect(ofKind(rendering, 'PersistentVolumeClaim')).toEqual([]);
    expect(podOf(rendering).volumes).toContainEqual({ name: 'data', emptyDir: {} });
  });

  test('uses a given token and creates no other', async () => {
    const rendering = await render({ ...DEV, values: ['api.tokenSecret.name=own'] });
    expect(ofKind(rendering, 'Secret')).toEqual([]);
    const api = podOf(rendering).containers.find(({ name }) => name === 'api');
    const token = api?.env.find(({ name }) => name === 'VARVE_API_TOKEN');
    expect(token?.valueFrom?.secretKeyRef?.name).toBe('own');
  });

  test('has a Service and a network policy that lead to the pod', async () => {
    const rendering = await render(DEV);
    const component = { 'app.kubernetes.io/component': 'dev' };
    const services = ofKind(rendering, 'Service');
    expect(services.map(({ metadata }) => metadata.name)).toEqual([`${FULL_NAME}-api`]);
    expect(services[0]?.['spec']).toMatchObject({ selector: component });
    const calls = ofKind(rendering, 'NetworkPolicy').find(
      ({ metadata }) => metadata.name === `${FULL_NAME}-api-calls`,
    );
    expect(calls?.['spec']).toMatchObject({ podSelector: { matchLabels: component } });
  });

  test('has notes that say that it is not for production and how to call it', async () => {
    const args = ['install', 'acme', CHART, '--set', 'dev.enabled=true', '--dry-run=client'];
    const { stdout } = await helm([...args, '--namespace=memory']);
    const notes = stdout.slice(stdout.indexOf('NOTES:'));
    expect(notes).toContain('TO TRY IT, NOT FOR PRODUCTION');
    expect(notes).toContain(`port-forward service/${FULL_NAME}-api 8080:80`);
    expect(notes).toContain(`'{{ index .data "token" | base64decode }}'`);
  });

  test('the trial page names objects and containers that its command creates', async () => {
    const { text } = readProjectFile('docs/operating/try-it.md');
    const [, command = ''] = /^ +helm (install varve .*)$/mu.exec(text) ?? [];
    const [, release = '', ...flags] = command.split(' ');
    const given = flags.filter((flag) => flag !== '--create-namespace').slice(1);
    const { stdout } = await helm(['template', release, CHART, ...given]);
    const made = new Set(
      parseAllDocuments(stdout).map((document) => {
        const { kind, metadata } = Named.parse(document.toJS());
        return `${kind.toLowerCase()}/${metadata.name}`;
      }),
    );
    const named = [...text.matchAll(/\b(deployment|service|secret)[ /](varve-[\w-]+)/gu)];
    expect(named.length).toBeGreaterThanOrEqual(5);
    for (const [, kind = '', name = ''] of named) expect(made).toContain(`${kind}/${name}`);
    const containers = [...text.matchAll(/--container (\w+)/gu)].map(([, name]) => name);
    const pod = podOf(await render(DEV));
    expect(pod.containers.map(({ name }) => name)).toEqual(expect.arrayContaining(containers));
  });

  test.each([
    'mongodb.uriSecret.name=varve-mongodb',
    'temporal.address=temporal:7233',
    'keda.enabled=true',
    'metrics.serviceMonitor.enabled=true',
    'workers.models.autoscaling.enabled=true',
  ])('cannot be combined with %s', async (value) => {
    const { status, stderr } = await tryRender({ ...DEV, values: [value] });
    expect(stderr).toContain(`${value.split('=')[0] ?? ''} is of an installation that lasts`);
    expect(status).not.toBe(0);
  });
});

describeUnless(missing)('the programs of the trial pod', () => {
  const held = new AsyncDisposableStack();
  const parts = new Map<string, VarveProcess>();
  let server: OperatorServer;
  let namespace = '';
  let api = '';
  let token = '';
  beforeAll(async () => {
    server = held.use(await openOperatorServer());
    namespace = await server.cluster.createNamespace();
    const folder = held.use(await temporaryFolder());
    const rendering = await render({
      ...DEV,
      namespace,
      values: [`operator.watchNamespaces={${namespace}}`],
    });
    const [secret] = ofKind(rendering, 'Secret').map((each) => Secret.parse(each));
    token = Buffer.from(secret?.data['token'] ?? '', 'base64').toString();
    const pod = podOf(rendering);
    const ports = new Map<string, string>();
    for (const port of portsOf(rendering.text)) ports.set(port, await freePort());
    const here = (text: string): string => {
      const moved = text.replace(/^(.*)\/data\b/u, `$1${folder.path}`).replace('0.0.0.0', LOCAL);
      return moved.replace(/\b\d{4}$/u, (port) => ports.get(port) ?? port);
    };
    held.use(await startTemporal(pod.initContainers[0], here));
    for (const { name, args, env } of pod.containers) {
      const variables = env.map((variable): [string, string] => {
        const from = variable.valueFrom;
        if (from?.secretKeyRef !== undefined) return [variable.name, token];
        if (from?.fieldRef?.fieldPath === 'metadata.namespace') return [variable.name, namespace];
        return [variable.name, here(variable.value ?? name)];
      });
      const own = { ...Object.fromEntries(variables), KUBECONFIG: server.cluster.kubeconfig };
      parts.set(name, held.use(startVarve(args, { env: own })));
    }
    api = `http://${LOCAL}:${ports.get('8080') ?? ''}`;
    await until('the API is ready', async () => (await ask('/readyz')) === 200);
  });
  afterAll(() => held.disposeAsync());

  const ask = async (page: string): Promise<number | null> => {
    for (const [name, { ended, stderr }] of parts) {
      const status = await Promise.race([ended, Promise.resolve(null)]);
      if (status !== null) throw new Error(`${name} ended: ${status.stdout}${stderr()}`);
    }
    const answer = await fetch(`${api}${page}`).catch(() => null);
    return answer?.status ?? null;
  };
  const call = async (operation: string, input: object): Promise<unknown> => {
    const answer = await fetch(`${api}/v1/tenants/${namespace}/${operation}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    if (!answer.ok) throw new Error(`${operation}: ${await answer.text()}`);
    return answer.json();
  };

  test('enforce an applied tenant and summarize what is stored', async () => {
    const { status, stderr } = await server.cluster.kubectl(['apply', '-f-'], {
      input: JSON.stringify({
        apiVersion: 'memory.varve.dev/v1alpha1',
        kind: 'MemoryTenant',
        metadata: { name: 'acme', namespace },
        spec: { tenantId: namespace, refresh: { batchWindow: '1s' } },
      }),
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
    const place = { namespace, name: 'acme' };
    const Ready = { type: 'Ready', status: 'True' };
    await until('the tenant is ready', async () => {
      const object = await server.api.get(MEMORY_TENANT, place);
      const parsed = Status.safeParse(object?.['status']);
      return parsed.data?.conditions.some((each) => isLike(each, Ready)) ?? false;
    });
    const ann = { identifiers: { userId: 'ann' } };
    await call('memories', { layer: 'user', ...ann, key: 'city', content: 'Ann lives in Porto.' });
    await until('the worker has summarized it', async () => {
      const question = { ...ann, query: 'Where does Ann live?', maxTokens: 300 };
      const answer = JSON.stringify(await call('contexts', question));
      return answer.includes('Porto') && answer.includes('layerSummary');
    });
  });
});

const LOCAL = '127.0.0.1';
const Status = z.looseObject({
  conditions: z.array(z.looseObject({ type: z.string(), status: z.string() })),
});

function isLike(found: { type: string; status: string }, wanted: typeof found): boolean {
  return found.type === wanted.type && found.status === wanted.status;
}

function namesOf(rendering: Rendering, kind: string): readonly string[] {
  return ofKind(rendering, kind).map(({ metadata }) => metadata.name);
}

function podOf(rendering: Rendering): z.infer<typeof Pod> {
  const [deployment] = ofKind(rendering, 'Deployment');
  const spec = z.looseObject({ template: z.looseObject({ spec: Pod }) });
  return spec.parse(deployment?.['spec']).template.spec;
}

/** Every port of the pod's programs; here each is another that is free. */
function portsOf(text: string): ReadonlySet<string> {
  const named = text.matchAll(/(?:containerPort: |--(?:ui-)?port=)(\d{4})\b/gu);
  return new Set([...named].map(([, port = '']) => port));
}

/** Until the probe of its container succeeds. */
async function startTemporal(
  { args, startupProbe }: z.infer<typeof Container>,
  here: (text: string) => string,
): Promise<AsyncDisposable> {
  const platform = nodePlatform(process.env);
  const report = createProgress({ stream: process.stderr });
  const program = await obtainTemporal({ platform, report });
  const child = spawn(program.path, args.map(here), { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const [name = '', ...asked] = startupProbe.exec?.command ?? [];
  expect(name).toBe(path.basename(program.path));
  const isWell = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`Temporal ended: ${String(child.exitCode)}`);
    const probe = spawn(program.path, asked.map(here), { stdio: 'ignore' });
    const [status] = (await once(probe, 'exit')) as [number | null];
    return status === 0;
  };
  await until('Temporal answers its probe', isWell);
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
