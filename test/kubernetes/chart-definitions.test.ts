/** The resource definitions in the chart: as printed, and kept when the chart is uninstalled. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { missingForHelm } from '../cluster/helm.ts';
import { describeUnless } from '../cluster/needs.ts';
import { readProjectFile, ROOT } from '../tidy/source-file.ts';
import { ofKind, render } from './chart.ts';

const RESOURCES = 'charts/varve/resources';
const PRINTED = readdirSync(path.join(ROOT, RESOURCES));
/** Not kinds, and behind a switch of their own. */
const LIMITS = 'platform-limits.yaml';

describeUnless(await missingForHelm())('resource definitions', () => {
  test('each definition is rendered as generated, and kept when the chart is uninstalled', async () => {
    const rendered = ofKind(await render(), 'CustomResourceDefinition');
    const keep = { annotations: { 'helm.sh/resource-policy': 'keep' } };
    const kinds = PRINTED.filter((file) => file !== LIMITS);
    const expected = kinds.map((file) => {
      const printed = parse(readProjectFile(`${RESOURCES}/${file}`).text) as { metadata: object };
      return { ...printed, metadata: { ...printed.metadata, ...keep } };
    });
    expect(rendered).toHaveLength(kinds.length);
    expect(rendered).toEqual(expect.arrayContaining(expected));
  });

  test('the chart can be installed without them', async () => {
    const rendered = await render({ values: ['crds.enabled=false'] });
    expect(ofKind(rendered, 'CustomResourceDefinition')).toEqual([]);
  });
});

describeUnless(await missingForHelm())('the limits of the platform', () => {
  test('they read their values from a ConfigMap in the namespace of the release', async () => {
    const rendering = await render({ set: 'everything', namespace: 'somewhere' });
    const bindings = ofKind(rendering, 'ValidatingAdmissionPolicyBinding');
    const map = ofKind(rendering, 'ConfigMap').find(({ metadata }) =>
      metadata.name.endsWith('limits'),
    );
    expect(map?.metadata.namespace).toBe('somewhere');
    expect(map?.['data']).toEqual({
      largestBudgetDollars: '500.00',
      leastInterval: '5m',
      modelClasses: 'economy standard',
      models: 'gpt-4o gpt-4o-mini',
    });
    expect(bindings).toHaveLength(4);
    for (const binding of bindings) {
      const { name, namespace } = map?.metadata ?? {};
      expect(binding['spec']).toMatchObject({ paramRef: { name, namespace } });
    }
  });

  test('nothing is limited by default', async () => {
    const { objects } = await render();
    expect(objects.filter(({ kind }) => kind.startsWith('ValidatingAdmission'))).toEqual([]);
  });
});
