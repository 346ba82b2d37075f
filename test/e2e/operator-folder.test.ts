/** `varve operator --from-folder`: the same declarations without Kubernetes. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { STORE_FILE } from '#cli/compose.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';
import { stillPlatform } from '../unit/operator/policy-store.ts';
import { tenant } from '../unit/crds/policy-files.ts';
import { until } from './until.ts';
import { startVarve, temporaryFolder } from './varve-process.ts';

test('K8S-02: a folder is applied and watched until the signal', async () => {
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

test('K8S-02: it serves its metrics where a port is set, and says where', async () => {
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
  expect(await answer.text()).toContain('memory_storage_size');
  operator.kill('SIGTERM');
  expect((await operator.ended).status).toBe(0);
});

async function limitIn(dataDir: string): Promise<number | null | undefined> {
  const options = { platform: stillPlatform(), analyzer: createTextAnalyzer() };
  await using store = await openSqliteStore({ file: path.join(dataDir, STORE_FILE), ...options });
  return (await store.policies.get('acme'))?.policy.budget.limitTokens;
}
