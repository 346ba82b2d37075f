/** What single values change in the objects of the chart. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { missingForHelm } from '../cluster/helm.ts';
import { describeUnless } from '../cluster/needs.ts';
import { FULL_NAME, ofKind, render, type RenderOptions, type Rendering } from './chart.ts';

const NetworkPolicy = z.looseObject({
  spec: z.looseObject({
    ingress: z.array(z.looseObject({ from: z.array(z.unknown()).optional() })).default([]),
    egress: z
      .array(z.looseObject({ ports: z.array(z.looseObject({ port: z.unknown() })) }))
      .default([]),
  }),
});

const Pod = z.looseObject({
  securityContext: z.looseObject({}),
  volumes: z.array(z.looseObject({ name: z.string() })).default([]),
  containers: z.tuple([
    z.looseObject({
      args: z.array(z.string()).default([]),
      env: z.array(z.looseObject({ name: z.string(), value: z.string().optional() })).default([]),
      volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })).default([]),
    }),
  ]),
});

const Role = z.looseObject({
  rules: z.array(z.looseObject({ apiGroups: z.array(z.string()), resources: z.array(z.string()) })),
});

describeUnless(await missingForHelm())('chart values', () => {
  const callers = (type: string, from?: string): RenderOptions => ({
    values: [
      `api.service.type=${type}`,
      ...(from === undefined ? [] : [`networkPolicy.api.from[0].ipBlock.cidr=${from}`]),
    ],
  });
  const everyPod = [{ namespaceSelector: {} }];
  const office = [{ ipBlock: { cidr: '192.0.2.0/24' } }];

  test.each([
    ['ClusterIP', undefined, everyPod],
    ['NodePort', undefined, undefined],
    ['LoadBalancer', undefined, undefined],
    ['ClusterIP', '192.0.2.0/24', office],
    ['LoadBalancer', '192.0.2.0/24', office],
  ])('a %s Service with the callers %s admits %j', async (type, from, peers) => {
    const policy = named(await render(callers(type, from)), 'NetworkPolicy', 'api-calls');
    expect(NetworkPolicy.parse(policy).spec.ingress.map((rule) => rule.from)).toEqual([peers]);
  });

  test.each([
    ['minimal', [53, 53]],
    ['own-authority', [5353, 5353]],
  ])('the network policy of %s allows DNS on the ports %j', async (set, ports) => {
    const policies = ofKind(await render({ set }), 'NetworkPolicy');
    const whole = policies.find(({ metadata }) => metadata.name === FULL_NAME);
    const [lookup] = NetworkPolicy.parse(whole).spec.egress;
    expect(lookup?.ports.map(({ port }) => port)).toEqual(ports);
  });

  test('custom certificate authorities are mounted into every part', async () => {
    const pods = podsOf(await render({ set: 'own-authority' }));
    expect(pods).toHaveLength(4);
    for (const { containers, volumes } of pods) {
      const [{ env, volumeMounts }] = containers;
      const file = env.find(({ name }) => name === 'NODE_EXTRA_CA_CERTS')?.value;
      expect(file).toBe('/etc/varve/ca/authorities.pem');
      const mount = volumeMounts.find(({ mountPath }) => file?.startsWith(`${mountPath}/`));
      expect(volumes).toContainEqual({
        name: mount?.name,
        configMap: {
          name: 'own-authority',
          items: [{ key: 'authorities.pem', path: 'authorities.pem' }],
        },
      });
    }
    for (const { containers } of podsOf(await render())) {
      expect(containers[0].env.map(({ name }) => name)).not.toContain('NODE_EXTRA_CA_CERTS');
    }
  });

  test('every part has the collector settings, and those that trace may reach it', async () => {
    const rendering = await render({ set: 'everything' });
    for (const { containers } of podsOf(rendering)) {
      const [{ env }] = containers;
      const value = (wanted: string) => env.find(({ name }) => name === wanted)?.value;
      expect(value('OTEL_EXPORTER_OTLP_ENDPOINT')).toBe('http://otel-collector.monitoring:4318');
      expect(value('OTEL_TRACES_SAMPLER_ARG')).toBe('0.1');
      expect(env).toContainEqual({
        name: 'OTEL_EXPORTER_OTLP_HEADERS',
        valueFrom: { secretKeyRef: { name: 'collector', key: 'headers' } },
      });
    }
    const reaching = ofKind(rendering, 'NetworkPolicy').filter((policy) =>
      NetworkPolicy.parse(policy).spec.egress.some(({ ports }) =>
        ports.some(({ port }) => port === 4318),
      ),
    );
    const parts = ['api', 'models', 'workflows'];
    const names = reaching.map(({ metadata }) => metadata.name);
    expect(names).toHaveLength(parts.length);
    for (const part of parts) expect(names).toContainEqual(expect.stringMatching(`-${part}$`));
    expect((await render()).text).not.toMatch(/OTEL_|4318/u);
  });

  test('the API reads keys of ModelProviders only if its values name them', async () => {
    const apiOf = async (...values: string[]) => {
      const rendering = await render({ values });
      const pod = podsOf(rendering).find(({ containers: [{ args }] }) => args[0] === 'api');
      const role = ofKind(rendering, 'Role').find(({ metadata }) => metadata.name.endsWith('-api'));
      const isPlaced = pod?.containers[0].env.some(({ name }) => name === 'VARVE_POD_NAMESPACE');
      const [rule] = Role.parse(role ?? { rules: [] }).rules;
      return [rule?.['resourceNames'], isPlaced, pod?.['automountServiceAccountToken'] ?? false];
    };
    expect(await apiOf()).toEqual([undefined, false, false]);
    expect(await apiOf('api.secretNames={embedding}')).toEqual([['embedding'], true, true]);
  });

  test.each([
    [[], false],
    [['api.secretNames={embedding}'], true],
    [['settings.VARVE_EMBEDDING_URL=https://embed.example/v1'], true],
    [['networkPolicy.models.to[0].namespaceSelector.matchLabels.name=models'], true],
  ])('with the values %j, the API reaches endpoints of models: %s', async (values, expected) => {
    const policies = ofKind(await render({ values }), 'NetworkPolicy');
    const ofApi = policies.find(({ metadata }) => metadata.name.endsWith('-api'));
    const { egress } = NetworkPolicy.parse(ofApi).spec;
    expect(egress.some(({ ports }) => ports.some(({ port }) => port === 443))).toBe(expected);
  });

  test('a certificate is mounted only into the API, whose probes then use TLS', async () => {
    const pods = podsOf(await render({ values: ['api.tls.secretName=own-certificate'] }));
    const secret = { name: 'tls', secret: { secretName: 'own-certificate' } };
    const mounting = pods.filter(({ volumes }) => volumes.some(({ name }) => name === 'tls'));
    expect(mounting.map(({ volumes }) => volumes)).toEqual([
      expect.arrayContaining([secret]) as unknown,
    ]);
    const asked = { httpGet: { port: 'http', scheme: 'HTTPS' } };
    const probes = { startupProbe: asked, livenessProbe: asked, readinessProbe: asked };
    expect(mounting[0]?.containers[0]).toMatchObject(probes);
  });

  test.each(['operator', 'api', 'workers.workflows', 'workers.models'])(
    'extra files are mounted only into %s',
    async (part) => {
      const values = [
        `${part}.extraVolumes[0].name=files,${part}.extraVolumes[0].configMap.name=files`,
        `${part}.extraVolumeMounts[0].name=files,${part}.extraVolumeMounts[0].mountPath=/files`,
      ];
      const pods = podsOf(await render({ values }));
      const names = pods.map(({ volumes }) => volumes.map(({ name }) => name));
      expect(names.filter((each) => each.includes('files'))).toEqual([['scratch', 'files']]);
      const mounts = pods.flatMap(({ containers }) => containers[0].volumeMounts);
      const mounted = mounts.filter(({ name }) => name === 'files');
      expect(mounted).toEqual([{ name: 'files', mountPath: '/files' }]);
    },
  );

  test('a cluster that assigns users gets pods without a user id', async () => {
    for (const { securityContext } of podsOf(await render({ set: 'own-authority' }))) {
      const seccompProfile = { type: 'RuntimeDefault' };
      expect(securityContext).toEqual({ runAsNonRoot: true, seccompProfile });
    }
    for (const { securityContext } of podsOf(await render())) {
      expect(securityContext).toMatchObject({ runAsUser: 65_532, fsGroup: 65_532 });
    }
  });

  test('the pod of `helm test` has the pull secrets, node selector, and tolerations of the parts', async () => {
    const { spec } = z
      .looseObject({ spec: Pod })
      .parse(named(await render({ set: 'own-authority' }), 'Pod', 'api-ready'));
    expect(spec).toMatchObject({
      imagePullSecrets: [{ name: 'registry-login' }],
      nodeSelector: { 'kubernetes.io/os': 'linux' },
      tolerations: [{ key: 'memory', operator: 'Exists', effect: 'NoSchedule' }],
    });
  });

  test('alerts query the job that collects the metrics', async () => {
    const { text } = await render({ set: 'own-authority' });
    expect(text).toContain('leader_election_master_status{job="team/memory",');
  });

  test.each([
    ['memory', ['modelproviders', 'modelproviders/status', 'events']],
    ['default', ['memorytenants', 'memorytenants/status', 'deepdreams']],
  ])('if one namespace is watched, the Role in %s includes %j', async (namespace, some) => {
    const resources = resourcesOf(await render({ set: 'scoped' }), namespace);
    expect(resources).toEqual(expect.arrayContaining(some));
    const isWatched = namespace === 'default';
    expect(resources.some((each) => each.startsWith('memorytenants'))).toBe(isWatched);
    expect(resources.some((each) => each.startsWith('layersummarypolicies'))).toBe(isWatched);
    expect(resources.some((each) => each.startsWith('deepdreams'))).toBe(isWatched);
  });

  test('the namespace of the release gets both Roles if it is watched too', async () => {
    const watched = await render({ set: 'scoped', namespace: 'default' });
    expect(resourcesOf(watched, 'default')).toContain('memorytenants/status');
    const roles = ofKind(watched, 'Role').map(({ metadata }) => metadata);
    expect(roles.filter(({ name }) => name === `${FULL_NAME}-operator`)).toHaveLength(2);
  });
});

function named(rendering: Rendering, kind: string, end: string) {
  return ofKind(rendering, kind).find(({ metadata }) => metadata.name === `${FULL_NAME}-${end}`);
}

function podsOf(rendering: Rendering) {
  const Deployment = z.looseObject({
    spec: z.looseObject({ template: z.looseObject({ spec: Pod }) }),
  });
  return ofKind(rendering, 'Deployment').map((each) => Deployment.parse(each).spec.template.spec);
}

/** What the operator may do anything with in one namespace. */
function resourcesOf(rendering: Rendering, namespace: string): readonly string[] {
  const role = ofKind(rendering, 'Role').find(
    ({ metadata }) => metadata.name === `${FULL_NAME}-operator` && metadata.namespace === namespace,
  );
  return Role.parse(role).rules.flatMap(({ resources }) => resources);
}
