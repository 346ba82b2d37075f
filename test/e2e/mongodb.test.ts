/** A whole installation on MongoDB by one setting: import, search, summaries. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { dropDatabase } from '../conformance/mongodb-adapter.ts';
import { describeUnless } from '../cluster/needs.ts';
import { missingForMongodb, startTestMongodb, type TestMongodb } from '../cluster/test-mongodb.ts';
import { tenant } from '../unit/crds/policy-files.ts';
import { startStackOn, TENANT, untilSummarized } from './running-stack.ts';
import { runVarve, temporaryFolder } from './varve-process.ts';

const DATABASE = `varve-e2e-${String(process.pid)}`;
/** A first build fetches its parts. */
const START_MS_MAX = 10 * 60 * 1_000;

describeUnless(await missingForMongodb())('an installation over MongoDB', () => {
  let server: TestMongodb | null = null;
  beforeAll(async () => {
    server = await startTestMongodb();
  }, START_MS_MAX);
  afterAll(async () => {
    if (server === null) return;
    await dropDatabase(server.uri, DATABASE);
    await server[Symbol.asyncDispose]();
  });

  test('E2E-STORE-5: one process finds what another imports and summarizes', async () => {
    await using folder = await temporaryFolder();
    const notes = path.join(folder.path, 'notes');
    await mkdir(notes);
    await writeFile(path.join(notes, 'boat.md'), '# Boat\n\nThe trip to Malmö takes 4 days.\n');
    const env = { MONGODB_URI: server?.uri ?? '', VARVE_MONGODB_DATABASE: DATABASE };
    const dataDir = path.join(folder.path, 'data');
    const shared = ['--data-dir', dataDir];

    const first = await runVarve(['import', notes, ...shared, '--project', 'boat'], { env });
    expect(first).toMatchObject({ status: 0, stdout: expect.stringContaining('1 summary') });
    const again = await runVarve(['import', notes, ...shared, '--project', 'boat'], { env });
    expect(again).toMatchObject({ status: 0, stdout: expect.stringContaining('1 unchanged') });

    const question = 'How long is the trip to Malmö?';
    const found = await runVarve(['search', question, ...shared, '--project', 'boat'], { env });
    expect(found.stdout).toContain('The trip to Malmö takes 4 days.');
    const context = await runVarve(['context', question, ...shared, '--project', 'boat'], { env });
    expect(context.stdout).toContain('The trip to Malmö takes 4 days.');

    const doctor = await runVarve(['doctor', ...shared], { env });
    expect(doctor.stdout).toMatch(/^ok .* store .* MongoDB .* sound$/mu);
    expect(doctor.stdout).not.toContain(server?.uri);
  });

  test('varve plan compares files with the stored policies', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'policy.yaml');
    await writeFile(file, tenant('budget: { tokens: 5 }'));
    const env = { MONGODB_URI: server?.uri ?? '', VARVE_MONGODB_DATABASE: `${DATABASE}-plan` };
    try {
      const plan = await runVarve(['plan', '-f', file], { env });
      expect(plan).toMatchObject({ status: 0, stderr: '' });
      expect(plan.stdout).toContain('acme (default/acme)');
    } finally {
      await dropDatabase(env.MONGODB_URI, env.VARVE_MONGODB_DATABASE);
    }
  });

  test('E2E-STORE-6: the worker refreshes what callers write through the API', async () => {
    await using folder = await temporaryFolder();
    const env = { MONGODB_URI: server?.uri ?? '', VARVE_MONGODB_DATABASE: DATABASE };
    await using stack = await startStackOn(path.join(folder.path, 'data'), { env });
    const about = { tenant: TENANT, identifiers: { projectId: 'boat' } };
    const content = 'Ben cooks on the trip to Malmö.';
    await stack.api.memory.add({ ...about, layer: 'project', content });
    expect(await untilSummarized(stack.api, 'boat', 'Ben cooks')).toContain('Malmö');
    const { hits } = await stack.api.memory.search({ ...about, query: 'Who cooks on the trip?' });
    expect(hits.map(({ text }) => text)).toEqual([content]);
  });
});
