/** `varve operator --from-folder`: the same resources without Kubernetes. */
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { expect, test } from 'vitest';
import { STORE_FILE } from '#cli/choose-store.ts';
import { REFRESH_TICK_SCHEDULE } from '#core/refresh/refresh-contract.ts';
import type { Store } from '#core/ports/store.ts';
import { ERASE_AFTER_MS } from '#operator/folder/removed-resources.ts';
import type { PolicyRecord } from '#core/records/policy.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';
import { changedScope, stillPlatform } from '../unit/operator/policy-store.ts';
import { startModelServer } from '../cluster/model-server/model-server.ts';
import { documents, layerPolicy, tenant } from '../unit/crds/policy-files.ts';
import { startStackOn, TENANT } from './running-stack.ts';
import { until } from './until.ts';
import { startVarve, temporaryFolder } from './varve-process.ts';

const KEY = 'sk-of-nobody';

test('the operator applies and watches a folder until it gets a signal', async () => {
  await using data = await temporaryFolder();
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, 'tenant.yaml');
  await writeFile(file, tenant('budget: { tokens: 5 }'));
  await using operator = startVarve([
    ...['operator', '--from-folder', folder.path, '--data-dir', data.path],
  ]);
  await operator.untilSaid('"msg":"ready"');
  const limit = () => limitIn(data.path);
  expect(await limit()).toBe(5);
  await writeFile(file, tenant('budget: { tokens: 7 }'));
  await until('the edit is applied', async () => (await limit()) === 7);
  operator.kill('SIGTERM');
  const { status, stderr } = await operator.ended;
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('the operator serves metrics if a port is set, and logs the address', async () => {
  await using data = await temporaryFolder();
  await using folder = await temporaryFolder();
  await writeFile(path.join(folder.path, 'tenant.yaml'), tenant('budget: { tokens: 5 }'));
  await using operator = startVarve(
    ['operator', '--from-folder', folder.path, '--data-dir', data.path],
    { env: { VARVE_METRICS_PORT: '0', VARVE_METRICS_OPEN: 'true' } },
  );
  await operator.untilSaid('"msg":"ready"');
  const [, url] = /"metrics":"([^"]+)"/u.exec(operator.stdout()) ?? [];
  const answer = await fetch(String(url));
  expect(answer.status).toBe(200);
  const page = await answer.text();
  expect(page).toContain('memory_storage_size');
  expect(page).toMatch(/controller_runtime_reconcile_total\{.*controller="folder".*\} 1$/mu);
  operator.kill('SIGTERM');
  expect((await operator.ended).status).toBe(0);
});

test('a pause holds back an edit, and a tenant whose file is deleted is released', async () => {
  await using data = await temporaryFolder();
  await using folder = await temporaryFolder();
  const [file, other] = ['acme.yaml', 'beta.yaml'].map((name) => path.join(folder.path, name));
  await writeFile(String(file), tenant('budget: { tokens: 5 }'));
  await writeFile(String(other), tenant('{}', 'beta'));
  await using operator = startVarve(
    ['operator', '--from-folder', folder.path, '--data-dir', data.path],
    { env: { VARVE_LOG_LEVEL: 'info' } },
  );
  await operator.untilSaid('"msg":"ready"');
  const paused = 'metadata:\n  annotations: { memory.varve.dev/paused: "true" }\n';
  const edited = tenant('budget: { tokens: 7 }').replace('metadata:\n', paused);
  await writeFile(String(file), edited);
  await operator.untilSaid('acme: paused.');
  expect(await limitIn(data.path)).toBe(5);
  await writeFile(String(file), tenant('budget: { tokens: 7 }'));
  await until('the edit is applied', async () => (await limitIn(data.path)) === 7);
  await rm(String(file));
  await operator.untilSaid('acme: no longer declared, so it is released');
  expect((await recordIn(data.path))?.releasedAt).not.toBeNull();
  operator.kill('SIGTERM');
  expect((await operator.ended).status).toBe(0);
});

test('an operator erases a tenant whose file a killed one saw removed', async () => {
  await using data = await temporaryFolder();
  await using folder = await temporaryFolder();
  const [file, other] = ['acme.yaml', 'beta.yaml'].map((name) => path.join(folder.path, name));
  await writeFile(String(file), tenant('reclaimPolicy: Erase'));
  await writeFile(String(other), tenant('{}', 'beta'));
  const args = ['operator', '--from-folder', folder.path, '--data-dir', data.path];
  const start = () => startVarve(args, { env: { VARVE_LOG_LEVEL: 'info' } });
  await using first = start();
  await first.untilSaid('"msg":"ready"');
  await using store = await storeIn(data.path);
  const acme = { tenant: 'acme', layer: 'user', scopeId: 'dana' } as const;
  for (const scope of [acme, { ...acme, tenant: 'beta' }]) await changedScope(store, scope, 1);
  const before = Date.now();
  await rm(String(file));
  await first.untilSaid('then Varve erases them');
  first.kill('SIGKILL');
  await first.ended;
  const record = await store.policies.get('acme');
  expect(record?.erasesAt).toBeGreaterThanOrEqual(before + ERASE_AFTER_MS);

  await using second = start();
  await second.untilSaid('then Varve erases them');
  expect(await store.scopes.list('acme', 9)).toHaveLength(1);
  second.kill('SIGKILL');
  await second.ended;
  // Ten minutes later.
  const owner = record?.owner;
  if (owner === undefined) throw new Error('The tenant has no owner.');
  await store.policies.release('acme', owner, { now: Date.now(), erasesAt: Date.now() });
  await using third = start();
  await third.untilSaid('everything of the tenant was deleted');
  expect(await store.policies.get('acme')).toBeNull();
  expect(await store.scopes.list('acme', 9)).toEqual([]);
  expect(await store.scopes.list('beta', 9)).toHaveLength(1);
  third.kill('SIGTERM');
  expect((await third.ended).status).toBe(0);
});

test('a provider of the folder is called with its key, and deleted schedules come back', async () => {
  await using server = await startModelServer({ models: ['a-model'], keys: new Set([KEY]) });
  await using data = await temporaryFolder();
  await using folder = await temporaryFolder();
  const others = provider(server.baseUrl).replace('gateway }', 'elsewhere, namespace: other }');
  const all = documents(QUICK, provider(server.baseUrl), others);
  await writeFile(path.join(folder.path, 'all.yaml'), all);
  const env = { VARVE_SECRET_GATEWAY__API_KEY: KEY };
  const args = ['--policy-dir', folder.path];
  await using stack = await startStackOn(data.path, { env, args });
  expect(stack.process.stdout()).toMatch(/look at .*elsewhere: refused \(WrongNamespace\)/u);
  const { temporalAddress: address, temporalNamespace: namespace } = stack.addresses;
  const project = { layer: 'project', identifiers: { projectId: 'voyage' } } as const;
  await stack.api.memory.add({ tenant: TENANT, ...project, content: 'The ferry leaves at 18:45.' });
  const model = await until('the project has a fresh summary', async () => {
    const summary = await stack.api.summary.get({ tenant: TENANT, ...project });
    return summary?.freshness.stale === false ? summary.model : null;
  });
  expect(model).toContain('a-model');
  expect(server.calls.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`]);

  const connection = await Connection.connect({ address });
  await using _ = { [Symbol.asyncDispose]: () => connection.close() };
  const schedule = new Client({ connection, namespace }).schedule.getHandle(REFRESH_TICK_SCHEDULE);
  await schedule.delete();
  await using other = await temporaryFolder();
  await using operator = startVarve(
    ['operator', '--from-folder', folder.path, '--data-dir', other.path],
    { env: { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } },
  );
  await operator.untilSaid('"msg":"ready"');
  await until('the schedule is there again', () =>
    schedule.describe().then(
      () => true,
      () => false,
    ),
  );
});

const QUICK = [
  tenant('tenantId: demo\nrefresh: { batchWindow: 1s }'),
  layerPolicy('layer: project\nupdateOnChanges: 1'),
].join('\n---\n');

function provider(baseUrl: string): string {
  const model =
    '{ name: a-model, classes: [economy, standard], inputPrice: "1", outputPrice: "2" }';
  const secretRef = '{ name: gateway, key: api-key }';
  return [
    'apiVersion: memory.varve.dev/v1alpha1',
    'kind: ModelProvider',
    'metadata: { name: gateway }',
    'spec:',
    '  allowedNamespaces: ["*"]',
    `  openai: { baseUrl: "${baseUrl}", secretRef: ${secretRef}, models: [${model}] }`,
  ].join('\n');
}

async function limitIn(dataDir: string): Promise<number | null | undefined> {
  return (await recordIn(dataDir))?.policy.budget.limitTokens;
}

async function recordIn(dataDir: string): Promise<PolicyRecord | null> {
  await using store = await storeIn(dataDir);
  return await store.policies.get('acme');
}

function storeIn(dataDir: string): Promise<Store> {
  const options = { platform: stillPlatform(), analyzer: createTextAnalyzer() };
  return openSqliteStore({ file: path.join(dataDir, STORE_FILE), ...options });
}
