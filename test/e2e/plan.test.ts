/** `varve plan` as a person runs it: its output, its exit status, and that it writes nothing. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createCalendar } from '#providers/node/calendar.ts';
import { createPlatform } from '#providers/node/platform.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';
import { reconcileFolder } from '#operator/folder/reconcile-folder.ts';
import { documents, layerPolicy, tenant } from '../unit/crds/policy-files.ts';
import { runVarve, temporaryFolder, type Ended } from './varve-process.ts';

const ACME = tenant('budget: { tokens: 5 }');
const CHANGED = documents(ACME, layerPolicy('layer: user\nupdateOnChanges: 1'));

interface Place {
  readonly folder: string;
  plan(text: string, ...more: readonly string[]): Promise<Ended>;
}

async function placeIn(folder: string): Promise<Place> {
  const file = path.join(folder, 'policy.yaml');
  const env = { VARVE_DATA_DIR: path.join(folder, 'kept') };
  return {
    folder,
    plan: async (text, ...more) => {
      await writeFile(file, text);
      return runVarve(['plan', '-f', file, ...more], { env });
    },
  };
}

/** A store in which the tenant of a policy is declared. */
async function applied(folder: string, text: string): Promise<void> {
  const platform = createPlatform();
  const kept = path.join(folder, 'kept');
  await using store = await openSqliteStore({
    file: path.join(kept, 'varve.db'),
    platform,
    analyzer: createTextAnalyzer(),
  });
  const dir = path.join(kept, 'policies');
  await mkdir(dir, { recursive: true });
  await writeFile(path.join(dir, 'a.yaml'), text);
  await reconcileFolder({ dir, store, platform, calendar: createCalendar(), clusterId: 'folder' });
}

describe.concurrent('varve plan', () => {
  test('FORECAST-6: says that every tenant is new without a store, and creates none', async () => {
    await using folder = await temporaryFolder();
    const { plan } = await placeIn(folder.path);
    const { status, stdout, stderr } = await plan(CHANGED);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('every tenant is new');
    expect(stdout).toContain('layers.user.updateOnChanges 3 → 1');
    expect(await readdir(folder.path)).toEqual(['policy.yaml']);
  });

  test('FORECAST-6: compares with the applied policies, as text or JSON', async () => {
    await using folder = await temporaryFolder();
    await applied(folder.path, ACME);
    const { plan } = await placeIn(folder.path);
    const same = await plan(ACME);
    expect(same).toMatchObject({ status: 0, stderr: '' });
    expect(same.stdout).toContain('acme (default/acme): unchanged');
    expect(same.stdout).toContain('Nothing would change.');
    const changed = await plan(CHANGED, '--json');
    expect(changed.status).toBe(0);
    const { tenants } = JSON.parse(changed.stdout) as { tenants: unknown };
    expect(tenants).toMatchObject([
      {
        tenant: 'acme',
        comparison: { kind: 'Changed', changes: 'layers.user.updateOnChanges 3 → 1' },
      },
    ]);
  });

  test('FORECAST-6: ends with the status of TENANT_CLAIMED for a tenant of another resource', async () => {
    await using folder = await temporaryFolder();
    await applied(folder.path, ACME);
    const { plan } = await placeIn(folder.path);
    const { status, stdout } = await plan(tenant('tenantId: acme', 'other'));
    expect(status).toBe(5);
    expect(stdout).toContain('the tenant belongs to MemoryTenant default/acme');
  });

  test('FORECAST-6: ends with status 2 and a report for a mistake', async () => {
    await using folder = await temporaryFolder();
    const { plan } = await placeIn(folder.path);
    const { status, stdout, stderr } = await plan(tenant('budget: { dollars: 5 }'));
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('spec.budget.dollars');
    const missing = await runVarve(['plan', '-f', path.join(folder.path, 'none.yaml')]);
    expect(missing.status).toBe(2);
    expect(missing.stderr).toContain('no file or folder of that name');
  });
});
