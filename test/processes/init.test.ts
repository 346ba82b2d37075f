/** `varve init` in other people's folders. */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readResources } from '#crds/read-resources.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { runVarve } from '#test/e2e/varve-process.ts';
import { file } from '#test/unit/crds/policy-files.ts';

let cwd = '';
let held: AsyncDisposableStack;
beforeEach(async () => {
  held = new AsyncDisposableStack();
  ({ folder: cwd } = held.use(await temporaryFolder()));
});
afterEach(() => held.disposeAsync());

const textOf = (...names: string[]) => readFile(path.join(cwd, ...names), 'utf8');

test('init writes a valid policy and suggests next steps for what it finds', async () => {
  const manifest = { name: '@acme/Web Shop', dependencies: { ai: '7' } };
  await writeFile(path.join(cwd, 'package.json'), JSON.stringify(manifest));
  await mkdir(path.join(cwd, 'docs'));
  await mkdir(path.join(cwd, '.cursor'));
  const { status, stdout } = await runVarve(['init', '--tenant', '42'], { cwd });
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: [
      'wrote  .varve/policies/tenant.yaml',
      'wrote  .varve/.gitignore',
      '',
      'Next:',
      '  check          varve doctor',
      '  start          varve start',
      '  remember docs  varve import docs --tenant 42 --project acme-web-shop',
      '  serve cursor   varve mcp --tenant 42 --project acme-web-shop --print-config cursor',
      "  with ai        import { memoryMiddleware } from 'varve/ai-sdk'",
      '',
    ].join('\n'),
  });
  const { mode } = await stat(path.join(cwd, '.varve'));
  expect(mode & 0o777).toBe(0o700);
  const text = await textOf('.varve', 'policies', 'tenant.yaml');
  const { tenants } = readResources([file('tenant.yaml', text)]);
  expect(tenants.map((tenant) => JSON.stringify(tenant))).toEqual([
    expect.stringContaining('"42"'),
  ]);
  const doctor = await runVarve(['doctor'], { cwd });
  expect(doctor).toMatchObject({ status: 0, stdout: expect.stringContaining('1 tenant') });
});

test('init refuses if there are policies, and changes nothing', async () => {
  expect(await runVarve(['init'], { cwd })).toMatchObject({ status: 0 });
  const before = await textOf('.varve', 'policies', 'tenant.yaml');
  const again = await runVarve(['init', '--tenant', 'acme'], { cwd });
  expect(again).toMatchObject({ status: 5, stdout: '' });
  expect(again.stderr).toContain('tenant.yaml already exists');
  expect(await textOf('.varve', 'policies', 'tenant.yaml')).toBe(before);
});

test('init refuses an invalid tenant id, and writes nothing', async () => {
  const { status, stderr } = await runVarve(['init', '--tenant', 'A b'], { cwd });
  expect({ status, stderr }).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('tenant'),
  });
  await expect(textOf('.varve', 'policies', 'tenant.yaml')).rejects.toThrow('ENOENT');
});
