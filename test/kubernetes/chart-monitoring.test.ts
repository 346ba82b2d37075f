/** Alerts and the dashboard use only existing metrics, and the page lists every alert. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { METRICS } from '#core/metrics/metric-definitions.ts';
import { OPERATOR_METRICS } from '#core/metrics/operator-metric-definitions.ts';
import { missingForHelm } from '../cluster/helm.ts';
import { describeUnless } from '../cluster/needs.ts';
import { readProjectFile } from '../tidy/source-file.ts';
import { ofKind, render } from './chart.ts';

/** Words of the query language that stand where a name of a metric could. */
const WORDS = new Set([
  ...['sum', 'max', 'by', 'rate', 'increase', 'or', 'vector', 'histogram_quantile', 'le', 'e'],
  ...['h', 'm', 's'],
]);

const Rule = z.looseObject({
  spec: z.looseObject({
    groups: z.array(
      z.looseObject({
        rules: z.array(
          z.looseObject({
            alert: z.string(),
            expr: z.string(),
            labels: z.looseObject({ severity: z.enum(['critical', 'warning', 'info']) }),
            annotations: z.looseObject({
              summary: z.string(),
              description: z.string(),
              runbook: z.string(),
              runbook_url: z.url(),
            }),
          }),
        ),
      }),
    ),
  }),
});

const Dashboard = z.looseObject({
  uid: z.string(),
  panels: z.array(
    z.looseObject({
      id: z.int(),
      title: z.string(),
      targets: z.array(z.looseObject({ expr: z.string() })),
    }),
  ),
});

/** Of kube-state-metrics, by the file of the chart. */
const OF_RESOURCES = [
  'varve_resource_condition',
  ['customresource_kind', 'name', 'type', 'reason'],
] as const;

const exported = (): ReadonlyMap<string, readonly string[]> => {
  const specs = Object.entries({ ...METRICS, ...OPERATOR_METRICS });
  return new Map<string, readonly string[]>([
    OF_RESOURCES,
    ...specs.flatMap(([name, { kind, labels }]): [string, readonly string[]][] =>
      kind === 'histogram'
        ? ['_bucket', '_sum', '_count'].map((end) => [`${name}${end}`, [...labels, 'le']])
        : [[name, labels]],
    ),
  ]);
};

describeUnless(await missingForHelm())('the alerts', async () => {
  const rendering = await render({ set: 'everything' });
  const [rule] = ofKind(rendering, 'PrometheusRule');
  const alerts = Rule.parse(rule).spec.groups.flatMap(({ rules }) => rules);

  test.each(alerts.map(({ alert, expr }) => [alert, expr]))(
    'K8S-05: the query of %s uses only existing metrics and labels',
    (_, expr) => {
      expect(unknownNames(expr)).toEqual([]);
      expect(namesOf(expr).length).toBeGreaterThan(0);
    },
  );

  test('each alert has a heading in docs/operating/alerts.md, and each heading an alert', () => {
    const { text } = readProjectFile('docs/operating/alerts.md');
    const rows = [...text.matchAll(/^## (Varve[A-Za-z]+)$/gmu)].map(([, name]) => name);
    expect(new Set(rows)).toEqual(new Set(alerts.map(({ alert }) => alert)));
    expect(rows).toHaveLength(alerts.length);
    for (const { alert, annotations } of alerts) {
      expect(annotations.runbook).toBe(`docs/operating/alerts.md, ${alert}`);
      const page = 'https://docs.example.com/varve/operating/alerts';
      expect(annotations.runbook_url).toBe(`${page}#${alert.toLowerCase()}`);
    }
  });

  test('the alerts query the job that collects the metrics', () => {
    const service = ofKind(rendering, 'Service').find(({ metadata }) =>
      metadata.name.endsWith('-metrics'),
    );
    for (const { expr } of alerts.filter(({ alert }) => !alert.startsWith('VarveResource')))
      expect(expr).toContain(`job="${String(service?.metadata.name)}"`);
  });
});

describe('the dashboard', () => {
  const { text } = readProjectFile('charts/varve/dashboards/varve.json');
  const { panels } = Dashboard.parse(JSON.parse(text));

  test('every panel has a unique id', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });

  test.each(panels.map(({ title, targets }) => [title, targets.map(({ expr }) => expr)] as const))(
    'the queries of "%s" use only existing metrics and labels',
    (_, exprs) => {
      expect(exprs.flatMap((expr) => unknownNames(expr))).toEqual([]);
    },
  );
});

describe('the check of the queries', () => {
  test.each([
    ['sum(rate(memory_operations_total{a="b"}[5m]))', ['label a']],
    ['sum by (flavour) (memory_storage_size)', ['label flavour']],
    ['max(memory_operation_total) > 0', ['metric memory_operation_total']],
    ['memory_operations_latency', ['metric memory_operations_latency']],
  ])('finds in %s the unknown %j', (expr, problems) => {
    expect(unknownNames(expr)).toEqual(problems);
  });
});

function namesOf(expr: string): readonly string[] {
  const bare = expr
    .replaceAll(/\{[^}]*\}/gu, '')
    .replaceAll(/\bby \([^)]*\)/gu, '')
    .replaceAll(/\[[^\]]*\]/gu, '');
  return [...bare.matchAll(/[a-z_]\w*/gu)].map(([name]) => name).filter((name) => !WORDS.has(name));
}

/** Labels that come from where a page was read are on everything. */
const SCRAPE_LABELS = ['job', 'namespace', 'pod', 'instance'];

function unknownNames(expr: string): readonly string[] {
  const known = exported();
  const names = namesOf(expr);
  const labels = new Set([...SCRAPE_LABELS, ...names.flatMap((name) => known.get(name) ?? [])]);
  const asked = [
    ...[...expr.matchAll(/\{([^}]*)\}/gu)].flatMap(([, inside = '']) =>
      [...inside.matchAll(/(\w+)\s*[=!]/gu)].map(([, label = '']) => label),
    ),
    ...[...expr.matchAll(/\bby \(([^)]*)\)/gu)].flatMap(([, inside = '']) => inside.split(/,\s*/u)),
  ];
  return [
    ...names.filter((name) => !known.has(name)).map((name) => `metric ${name}`),
    ...asked.filter((label) => !labels.has(label)).map((label) => `label ${label}`),
  ];
}
