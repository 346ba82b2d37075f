/** The chart by itself: which values Helm accepts and refuses, and what it renders. */
import { describe, expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { helm, missingForHelm } from '../cluster/helm.ts';
import { describeUnless } from '../cluster/needs.ts';
import { readProjectFile } from '../tidy/source-file.ts';
import { CHART, ofKind, PART_SETS, render, tryRender, valuesFile, VALUE_SETS } from './chart.ts';

const missing = await missingForHelm();

describeUnless(missing)('the chart', () => {
  test.each(VALUE_SETS)('it passes a strict lint with the values %s', async (set) => {
    const { status, stdout, stderr } = await helm([
      'lint',
      '--strict',
      CHART,
      `--values=${valuesFile(set)}`,
    ]);
    expect(stdout + stderr).toContain('1 chart(s) linted, 0 chart(s) failed');
    expect(status).toBe(0);
  });

  test('its version is that of the program', () => {
    const { version } = JSON.parse(readProjectFile('package.json').text) as { version: string };
    const { text } = readProjectFile('charts/varve/Chart.yaml');
    expect(parseDocument(text).toJS()).toMatchObject({ version, appVersion: version });
  });

  test('two releases in one cluster do not share cluster-wide names', async () => {
    const here = await render({ set: 'everything', namespace: 'here' });
    const there = await render({ set: 'everything', namespace: 'there' });
    // Definitions and limits belong to the cluster, and one release has them.
    const own = ({ kind }: { kind: string }) =>
      kind.startsWith('ClusterRole') && !kind.endsWith('Definition');
    const names = here.objects.filter(own).map(({ metadata }) => metadata.name);
    expect(names.length).toBeGreaterThan(0);
    const others = there.objects.filter(own).map(({ metadata }) => metadata.name);
    expect(names.filter((name) => others.includes(name))).toEqual([]);
  });

  test('its notes say what to run next', async () => {
    const args = ['install', 'acme', CHART, `--values=${valuesFile('minimal')}`];
    const { stdout } = await helm([...args, '--dry-run=client', '--namespace=memory']);
    const notes = stdout.slice(stdout.indexOf('NOTES:'));
    expect(notes).toContain('kubectl --namespace memory wait --for=condition=Available');
    expect(notes).toContain('kubectl apply --filename - <<');
    expect(notes).toContain('kubectl get mt,lsp,mp,dd');
    expect(notes).toContain('workers.models.secretNames');
  });
});

describeUnless(missing)('invalid values', () => {
  test.each([
    ['mongodb.uriSecret.name=', 'Set mongodb.uriSecret.name to a Secret'],
    ['mongodb.uriSecret.name=', 'SQLite is one file on one machine'],
    ['temporal.address=', 'Set temporal.address to host:port'],
    ['temporal.address=temporal', "at '/temporal/address': 'temporal' does not match"],
    ['api.tokenSecret.name=', 'Set api.tokenSecret.name to a Secret'],
    ['sqlite.file=varve.db', "additional properties 'sqlite' not allowed"],
    ['operator.replica=2', "additional properties 'replica' not allowed"],
    ['operator.replicas=0', "at '/operator/replicas': minimum: got 0, want 1"],
    ['operator.watchNamespaces={A_B}', "at '/operator/watchNamespaces/0'"],
    ['api.resources.limits.memory=1000M', "at '/api/resources/limits/memory'"],
    ['api.resources.limits.memory=128Mi', 'leaves JavaScript 89 Mi (70 percent)'],
    ['api.autoscaling.minReplicas=9', 'api.autoscaling.minReplicas is above maxReplicas'],
    ['workers.models.keda.minReplicas=0', "at '/workers/models/keda/minReplicas'"],
    ['workers.models.secretNames={a,a}', "at '/workers/models/secretNames'"],
    ['keda.enabled=true,workers.models.autoscaling.enabled=true', 'would both scale it'],
    ['keda.enabled=true,temporal.tls.enabled=true', 'KEDA speaks TLS with Temporal only where'],
    [
      'keda.enabled=true,temporal.tls.enabled=true,temporal.tls.clientSecretName=a,' +
        'temporal.apiKeySecret.name=b',
      'KEDA shows Temporal one of the two',
    ],
    [
      'keda.enabled=true,temporal.tls.authoritySecretName=a,temporal.apiKeySecret.name=b',
      'KEDA checks the server by its own authorities alone',
    ],
    ['settings.OPENAI_API_KEY=sk', 'would put a key into the release'],
    ['settings.VARVE_HOST=x', 'is not a setting that all parts share'],
    ['metrics.prometheusRule.enabled=true', 'VarveNoLeader would fire for ever'],
    ['podSecurityContext.runAsNonRoot=false', "at '/podSecurityContext/runAsNonRoot'"],
    ['podSecurityContext.runAsUser=0', "at '/podSecurityContext/runAsUser'"],
    ['podSpec.hostNetwork=true', "at '/podSpec'"],
    ['workers.models.terminationGracePeriodSeconds=14', 'minimum: got 14, want 15'],
    ['networkPolicy.dns.ports={0}', "at '/networkPolicy/dns/ports/0': minimum: got 0"],
    ['logLevel=loud', "at '/logLevel'"],
    ['tracing.endpoint=collector:4317', "at '/tracing/endpoint'"],
    ['tracing.share=1.5', "at '/tracing/share'"],
    ['api.jwt.issuer=https://login.example', 'Set api.jwt.issuer, api.jwt.audience and'],
    ['commonLabels.app\\.kubernetes\\.io/name=x', "invalid propertyName 'app.kubernetes.io/name'"],
    ['api.podLabels.varve\\.dev/x=y', "invalid propertyName 'varve.dev/x'"],
    ['operator.probes.liveness.httpGet.path=/x', "at '/operator/probes/liveness'"],
    ['extraObjects[0].kind=Secret', "at '/extraObjects/0': missing properties"],
    ['api.ingress.enabled=true', 'Set api.ingress.host'],
    ['api.httpRoute.enabled=true', 'Set api.httpRoute.parentRefs'],
    ['api.serviceAccounts.audience=varve', 'Set api.serviceAccounts.audience and'],
    ['api.serviceAccounts.tenants.a=b:king', "at '/api/serviceAccounts/tenants/a'"],
    ['image.digest=latest', "at '/image/digest'"],
  ])('%s is refused: %s', async (value, said) => {
    const { status, stderr } = await tryRender({ values: [value] });
    expect(stderr).toContain(said);
    expect(status).not.toBe(0);
  });
});

describe('the values of the chart', () => {
  const { text } = readProjectFile('charts/varve/values.yaml');
  const schema: unknown = JSON.parse(readFileSync(path.join(CHART, 'values.schema.json'), 'utf8'));

  test('the schema knows every default value', () => {
    const defaults: unknown = parseDocument(text).toJS();
    const unknown = pathsOf(defaults).filter((at) => !isKnown(at, schema));
    expect(unknown).toEqual([]);
  });

  test('the schema refuses unknown values', () => {
    const open = objectsOf(schema).filter(({ properties, additionalProperties }) => {
      return properties !== undefined && additionalProperties !== false;
    });
    expect(open.filter(({ $schema }) => $schema === undefined)).toEqual([]);
    expect(schema).toMatchObject({ additionalProperties: false });
  });

  test('every group of values has a comment', () => {
    const groups = text.split('\n').flatMap((line, index, lines) => {
      const isGroup = /^[a-z]\w*:/iu.test(line);
      if (!isGroup) return [];
      const around = [lines[index - 1] ?? '', lines[index + 1] ?? '', lines[index + 2] ?? ''];
      return around.some((each) => each.trim().startsWith('#')) ? [] : [line];
    });
    expect(groups).toEqual([]);
  });
});

describeUnless(missing)('the rendered parts', () => {
  test.each(PART_SETS)('with %s, every heap fits into the memory limit of its pod', async (set) => {
    const rendering = await render({ set });
    const deployments = ofKind(rendering, 'Deployment').map((each) => Deployment.parse(each));
    expect(deployments).toHaveLength(4);
    for (const { spec } of deployments) {
      const { env, resources } = spec.template.spec.containers[0];
      const options = env.find(({ name }) => name === 'NODE_OPTIONS')?.value ?? '';
      const heap = Number(/^--max-old-space-size=(\d+)$/u.exec(options)?.[1]);
      expect(heap).toBeGreaterThanOrEqual(128);
      expect(heap).toBeLessThanOrEqual(mebibytes(resources.limits.memory) * 0.8);
    }
  });

  test('only parts that call Kubernetes get a token', async () => {
    const tokensOf = async (set: string) => {
      const deployments = ofKind(await render({ set }), 'Deployment');
      return deployments.map((each) => {
        const { metadata, spec } = Deployment.parse(each);
        return [metadata.labels['app.kubernetes.io/component'], spec.template.spec];
      });
    };
    const withToken = async (set: string) =>
      (await tokensOf(set))
        .filter(([, spec]) => (spec as PodSpec).automountServiceAccountToken)
        .map(([component]) => component);
    expect(await withToken('minimal')).toEqual(['operator']);
    expect(new Set(await withToken('everything'))).toEqual(new Set(['api', 'models', 'operator']));
  });

  test('an autoscaled part does not set its replicas', async () => {
    const replicas = async (set: string) =>
      Object.fromEntries(
        ofKind(await render({ set }), 'Deployment').map((each) => {
          const { metadata, spec } = Deployment.parse(each);
          return [metadata.labels['app.kubernetes.io/component'], spec.replicas];
        }),
      );
    const fixed = { operator: 2, api: 2, workflows: 2, models: 2 };
    expect(await replicas('minimal')).toEqual(fixed);
    expect(await replicas('everything')).toEqual({ operator: 2 });
    expect(await replicas('keda')).toEqual({ operator: 2, api: 2 });
  });

  test('every Temporal task queue scales the worker that polls it', async () => {
    const scaled = ofKind(await render({ set: 'keda' }), 'ScaledObject');
    const queues = scaled.flatMap((object) => {
      const { spec } = ScaledObject.parse(object);
      expect(spec.minReplicaCount).toBeGreaterThanOrEqual(1);
      return spec.triggers.map(({ metadata }) => metadata.taskQueue);
    });
    const contracts = ['refresh/refresh-contract', 'embedding/reembed-contract'].map(
      (file) => readProjectFile(`core/${file}.ts`).text,
    );
    const known = contracts.flatMap((each) =>
      [...each.matchAll(/TASK_QUEUE = '([^']+)'/gu)].map(([, queue]) => queue),
    );
    expect(new Set(queues)).toEqual(new Set(known));
    expect(queues).toHaveLength(known.length);
  });
});

describe('how KEDA authenticates to Temporal', () => {
  const CERTIFICATE = [
    { parameter: 'cert', name: 'temporal-client', key: 'tls.crt' },
    { parameter: 'key', name: 'temporal-client', key: 'tls.key' },
    { parameter: 'ca', name: 'temporal-authority', key: 'ca.crt' },
  ];
  const KEY = [{ parameter: 'apiKey', name: 'cloud', key: 'api-key' }];

  test.each<[string, string, readonly string[], readonly object[]]>([
    ['a certificate', 'keda-certificate', [], CERTIFICATE],
    ['a key', 'keda', ['temporal.apiKeySecret.name=cloud'], KEY],
    ['nothing', 'keda', [], []],
  ])('with %s, as the workers do', async (_, set, values, references) => {
    const rendering = await render({ set, values });
    const shown = ofKind(rendering, 'TriggerAuthentication');
    expect(shown.map((each) => each['spec'])).toEqual(
      references.length === 0 ? [] : [{ secretTargetRef: references }],
    );
    const triggers = ofKind(rendering, 'ScaledObject').flatMap(
      (object) => ScaledObject.parse(object).spec.triggers,
    );
    const names = shown.map(({ metadata }) => metadata.name);
    for (const { authenticationRef, metadata } of triggers) {
      expect(authenticationRef?.name).toBe(names[0]);
      const own = set === 'keda-certificate' ? 'temporal.example.com' : undefined;
      expect(metadata.tlsServerName).toBe(own);
    }
    expect(triggers).toHaveLength(3);
  });
});

const PodSpec = z.looseObject({
  automountServiceAccountToken: z.boolean(),
  containers: z.tuple([
    z.looseObject({
      env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })),
      resources: z.looseObject({ limits: z.looseObject({ memory: z.string() }) }),
    }),
  ]),
});
type PodSpec = z.infer<typeof PodSpec>;

const Deployment = z.looseObject({
  metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }),
  spec: z.looseObject({
    replicas: z.int().optional(),
    template: z.looseObject({ spec: PodSpec }),
  }),
});

const ScaledObject = z.looseObject({
  spec: z.looseObject({
    minReplicaCount: z.int(),
    triggers: z.array(
      z.looseObject({
        authenticationRef: z.object({ name: z.string() }).optional(),
        metadata: z.looseObject({ taskQueue: z.string(), tlsServerName: z.string().optional() }),
      }),
    ),
  }),
});

function mebibytes(quantity: string): number {
  const size = Number.parseInt(quantity, 10);
  return quantity.endsWith('Gi') ? size * 1024 : size;
}

function pathsOf(value: unknown, at: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [at];
  const entries = Object.entries(value);
  if (entries.length === 0) return [at];
  return entries.flatMap(([name, inner]) => pathsOf(inner, [...at, name]));
}

type SchemaObject = Record<string, unknown>;
const isObject = (value: unknown): value is SchemaObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Follows the properties of a schema along a path; what takes any name knows every name. */
function isKnown(at: readonly string[], schema: unknown, root = schema): boolean {
  if (!isObject(schema) || !isObject(root)) return false;
  const { $ref, properties, additionalProperties } = schema;
  if (typeof $ref === 'string') {
    const definition = $ref.split('/').at(-1) ?? '';
    const { definitions } = root;
    return isObject(definitions) && isKnown(at, definitions[definition], root);
  }
  const [first, ...rest] = at;
  if (first === undefined) return true;
  if (isObject(properties) && first in properties) return isKnown(rest, properties[first], root);
  return isObject(additionalProperties) || (properties === undefined && rest.length === 0);
}

function objectsOf(value: unknown): readonly SchemaObject[] {
  if (Array.isArray(value)) return value.flatMap((each) => objectsOf(each));
  if (!isObject(value)) return [];
  return [value, ...Object.values(value).flatMap((each) => objectsOf(each))];
}
