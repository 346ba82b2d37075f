/** The release workflow, as far as tests can check it without running it. */
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readProjectFile } from '../../tidy/source-file.ts';

const Step = z.strictObject({
  id: z.string().optional(),
  name: z.string().optional(),
  uses: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  run: z.string().optional(),
});
const Job = z.looseObject({
  permissions: z.record(z.string(), z.enum(['read', 'write'])),
  'timeout-minutes': z.int(),
  strategy: z
    .object({
      matrix: z.object({
        include: z.array(z.object({ architecture: z.string(), machine: z.string() })),
      }),
    })
    .optional(),
  steps: z.array(Step),
});
const Workflow = z.looseObject({
  permissions: z.strictObject({}),
  jobs: z.strictObject({ check: Job, image: Job, publish: Job }),
});

const { text } = readProjectFile('.github/workflows/release.yml');
const { jobs } = Workflow.parse(parse(text) as unknown);
const steps = Object.values(jobs).flatMap((job) => job.steps);
const script = (job: z.infer<typeof Job>) => job.steps.map(({ run = '' }) => run).join('\n');

test('every action of the release is pinned to a commit and names its version', () => {
  const used = steps.flatMap(({ uses }) => (uses === undefined ? [] : [uses]));
  expect(used.length).toBeGreaterThan(0);
  expect(used.filter((each) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/u.test(each))).toEqual([]);
  expect(text.match(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/gmu)).toHaveLength(used.length);
});

test('each release job has only the permissions that it needs, and only publish signs', () => {
  expect(jobs.check.permissions).toEqual({ contents: 'read' });
  expect(jobs.image.permissions).toEqual({ contents: 'read', packages: 'write' });
  const signing = { contents: 'read', packages: 'write', 'id-token': 'write' };
  expect(jobs.publish.permissions).toEqual(signing);
});

test('no script of the release expands an expression', () => {
  for (const { run = '' } of steps) expect(run).not.toContain('${{');
});

test('both architectures are built from the base image by digest, with SBOM and provenance', () => {
  const built = jobs.image.strategy?.matrix.include.map(({ architecture }) => architecture);
  expect(built).toEqual(['amd64', 'arm64']);
  const build = script(jobs.image);
  expect(build).toContain('--build-context "$BASE=docker-image://$BASE@$BASE_DIGEST"');
  expect(build).toContain('--sbom=true --provenance=mode=max');
  const publish = script(jobs.publish);
  for (const name of built ?? []) expect(publish).toContain(`"$IMAGE:$VERSION-${name}"`);
});

test('image and chart are signed by digest', () => {
  const signed = script(jobs.publish).match(/cosign sign .+$/gmu) ?? [];
  expect(signed).toHaveLength(2);
  for (const command of signed) expect(command).toMatch(/@\$(?:digest|\(sed -n)/u);
});

test('the files have what the release reads from them', () => {
  const dockerfile = readProjectFile('Dockerfile').text;
  const bases = new Set(
    [...dockerfile.matchAll(/^FROM (node:[^ \n]*)/gmu)].map(([, base]) => base),
  );
  expect(bases.size).toBe(1);
  const { version } = JSON.parse(readProjectFile('package.json').text) as { version: string };
  const chart = readProjectFile('charts/varve/Chart.yaml').text.split('\n');
  expect(chart).toContain(`version: ${version}`);
  expect(chart).toContain(`appVersion: ${version}`);
  const values = readProjectFile('charts/varve/values.yaml').text.split('\n');
  expect(values.filter((line) => line === '  repository: varve')).toHaveLength(1);
  const scripts = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readProjectFile('package.json').text)).scripts;
  const called = [...text.matchAll(/npm run ([\w:]+)/gu)].map(([, name = '']) => name);
  for (const name of called) expect(Object.keys(scripts)).toContain(name);
});
