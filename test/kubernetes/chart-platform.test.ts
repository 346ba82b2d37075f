/** What a platform's policies require of a chart: labels, identities, priorities, entry points. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { missingForHelm } from '../cluster/helm.ts';
import { describeUnless } from '../cluster/needs.ts';
import { FULL_NAME, ofKind, render, type Rendered } from './chart.ts';

const Probe = z.looseObject({ httpGet: z.looseObject({ path: z.string() }) });
const Deployment = z.looseObject({
  spec: z.looseObject({
    template: z.looseObject({
      metadata: z.looseObject({
        labels: z.record(z.string(), z.string()),
        annotations: z.record(z.string(), z.string()).optional(),
      }),
      spec: z.looseObject({
        priorityClassName: z.string().optional(),
        containers: z.tuple([
          z.looseObject({ startupProbe: Probe, livenessProbe: Probe, readinessProbe: Probe }),
        ]),
      }),
    }),
  }),
});
/** Where the values of one part are, and the end of its name. */
const PARTS = [
  ['operator', 'operator'],
  ['api', 'api'],
  ['workers.workflows', 'workflows'],
  ['workers.models', 'models'],
] as const;

describeUnless(await missingForHelm())('platform settings', () => {
  test('common labels are added to every object next to those of the chart', async () => {
    const { objects } = await render({ set: 'everything' });
    const own = objects.filter(({ kind, metadata }) => {
      const isMadeByHelm = metadata.annotations?.['helm.sh/hook'] !== undefined;
      const isGiven = metadata.name === 'acme-own';
      // Definitions and limits are the cluster's, as they are printed from the schemas.
      const isOfCluster = /^(?:CustomResourceDefinition|ValidatingAdmission)/u.test(kind);
      return !isOfCluster && !isMadeByHelm && !isGiven;
    });
    expect(own.length).toBeGreaterThan(30);
    for (const { metadata } of own) {
      const labels = { 'example.com/team': 'memory', 'app.kubernetes.io/instance': 'acme' };
      expect(metadata.labels).toMatchObject(labels);
    }
  });

  test.each(PARTS)('labels, priority, and annotations of %s apply only to it', async (at, end) => {
    const values = [
      `${at}.podLabels.example\\.com/mesh=off`,
      `${at}.podAnnotations.example\\.com/scrape=no`,
      `${at}.deploymentAnnotations.example\\.com/reload=yes`,
      `${at}.priorityClassName=memory`,
      `${at}.serviceAccount.annotations.example\\.com/role=arn`,
    ];
    const rendering = await render({ values });
    const name = `${FULL_NAME}-${end}`;
    for (const object of ofKind(rendering, 'Deployment')) {
      const isIt = object.metadata.name === name;
      const { metadata, spec } = Deployment.parse(object).spec.template;
      expect(metadata.labels['example.com/mesh']).toBe(isIt ? 'off' : undefined);
      expect(metadata.annotations).toEqual(isIt ? { 'example.com/scrape': 'no' } : undefined);
      expect(spec.priorityClassName).toBe(isIt ? 'memory' : undefined);
      const annotations = isIt ? { 'example.com/reload': 'yes' } : undefined;
      expect(object.metadata.annotations).toEqual(annotations);
    }
    for (const { metadata } of ofKind(rendering, 'ServiceAccount')) {
      const annotations = metadata.name === name ? { 'example.com/role': 'arn' } : undefined;
      expect(metadata.annotations).toEqual(annotations);
    }
  });

  test('further fields of the pod are set in every part', async () => {
    // The API server of other tests knows no runtime class.
    const values = ['podSpec.runtimeClassName=gvisor'];
    const pods = ofKind(await render({ set: 'everything', values }), 'Deployment');
    expect(pods).toHaveLength(PARTS.length);
    for (const object of pods) {
      expect(Deployment.parse(object).spec.template.spec).toMatchObject({
        initContainers: [{ name: 'mesh', restartPolicy: 'Always' }],
        dnsConfig: { options: [{ name: 'ndots', value: '2' }] },
        hostAliases: [{ ip: '192.0.2.7', hostnames: ['models.example.com'] }],
        schedulerName: 'packing',
        runtimeClassName: 'gvisor',
      });
    }
  });

  test.each(PARTS)('only the timings of the probes of %s can be changed', async (at, end) => {
    const timing = `${at}.probes.startup.failureThreshold=90`;
    const rendering = await render({ values: [timing, `${at}.probes.readiness.periodSeconds=7`] });
    const object = ofKind(rendering, 'Deployment').find(
      ({ metadata }) => metadata.name === `${FULL_NAME}-${end}`,
    );
    const [container] = Deployment.parse(object).spec.template.spec.containers;
    expect(container.startupProbe).toMatchObject({ periodSeconds: 2, failureThreshold: 90 });
    expect(container.livenessProbe).toMatchObject({ periodSeconds: 10, failureThreshold: 6 });
    expect(container.readinessProbe).toMatchObject({ periodSeconds: 7, failureThreshold: 2 });
    const { startupProbe, livenessProbe, readinessProbe } = container;
    const paths = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet.path);
    expect(paths).toEqual(['/healthz', '/healthz', '/readyz']);
  });

  test('extra objects are templated and installed with the release', async () => {
    const given = (await render({ set: 'everything' })).objects.find(
      ({ metadata }) => metadata.name === 'acme-own',
    );
    expect(given).toMatchObject({ kind: 'ConfigMap', data: { release: 'acme' } });
  });
});

describeUnless(await missingForHelm())('a route to the API', () => {
  test('leads from the host to the Service, by ingress and by gateway', async () => {
    const rendering = await render({ set: 'everything' });
    const name = 'acme-memory-api';
    expect(specOf(ofKind(rendering, 'Ingress'))).toEqual([
      {
        ingressClassName: 'public',
        tls: [{ hosts: ['memory.example.com'], secretName: 'memory-example-com' }],
        rules: [
          {
            host: 'memory.example.com',
            http: {
              paths: [
                {
                  path: '/',
                  pathType: 'Prefix',
                  backend: { service: { name, port: { name: 'http' } } },
                },
              ],
            },
          },
        ],
      },
    ]);
    expect(specOf(ofKind(rendering, 'HTTPRoute'))).toEqual([
      {
        parentRefs: [{ name: 'public', namespace: 'gateways', sectionName: 'https' }],
        hostnames: ['memory.example.com'],
        rules: [{ backendRefs: [{ name, port: 443 }] }],
      },
    ]);
    expect(ofKind(rendering, 'Service').map(({ metadata }) => metadata.name)).toContain(name);
  });

  test('exists only on request', async () => {
    const rendering = await render();
    expect(ofKind(rendering, 'Ingress')).toEqual([]);
    expect(ofKind(rendering, 'HTTPRoute')).toEqual([]);
  });
});

function specOf(objects: readonly Rendered[]): readonly unknown[] {
  return objects.map((object) => object['spec']);
}
