/** docs/operating/versions.md matches what the code requires and what the tests run with. */
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { SERVER_VERSION_MIN } from '#providers/temporal/server-version.ts';
import { readProjectFile } from '../../tidy/source-file.ts';

const { text } = readProjectFile('docs/operating/versions.md');
const rows = new Map(
  [...text.matchAll(/^\| (\w[\w ]*?) +\| (.+?) +\| (.+?) +\|$/gmu)].map(
    ([, of = '', supported = '', tested = '']) => [of, { supported, tested }],
  ),
);
const file = (path: string): string => readProjectFile(path).text;
const manifest = z
  .object({
    engines: z.object({ node: z.string() }),
    devDependencies: z.object({ node: z.string() }),
  })
  .parse(JSON.parse(file('package.json')));

test('the page has the minimum versions of chart, program and package', () => {
  const chart = z
    .object({ kubeVersion: z.string() })
    .parse(parse(file('charts/varve/Chart.yaml')) as unknown);
  const [, kubernetes = ''] = /^>=(\d+\.\d+)\.0-0$/u.exec(chart.kubeVersion) ?? [];
  expect(rows.get('Kubernetes')?.supported).toBe(`${kubernetes} and newer`);
  expect(rows.get('Temporal server')?.supported).toBe(`${SERVER_VERSION_MIN} and newer`);
  const node = manifest.engines.node.replace('>=', '');
  expect(rows.get('Node')?.supported).toContain(`${node} and newer`);
});

test('the page has the versions that the tests use', () => {
  const tested = (of: string) => rows.get(of)?.tested ?? 'no row';
  expect(file('test/cluster/control-plane/programs.ts')).toContain(
    tested('Kubernetes').replace('API server ', "'v"),
  );
  expect(file('test/cluster/helm.ts')).toContain(`'v${tested('Helm')}'`);
  expect(file('providers/temporal/server-version.ts')).toContain(
    `it contains server ${tested('Temporal server')} `,
  );
  expect(tested('Node')).toBe(manifest.devDependencies.node);
});
