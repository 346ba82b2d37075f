/** `varve doctor` says what is wrong and how to fix it, and changes nothing. */
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openVarve } from '#cli/open-varve.ts';
import { startTestTemporal } from '../cluster/test-temporal.ts';
import { takenPort } from './ports.ts';
import { runVarve, temporaryFolder } from './varve-process.ts';

describe.concurrent('varve doctor', () => {
  test('DOCTOR-1: without an installation, says how to begin and creates nothing', async () => {
    await using folder = await temporaryFolder();
    const { status, stdout } = await runVarve(['doctor'], { cwd: folder.path });
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ok {5}runtime .*Node .*SQLite/mu);
    expect(stdout).toMatch(/^note {3}policies .*defaults apply/mu);
    expect(stdout).toMatch(/^note {3}store .*varve import or varve start/mu);
    expect(stdout).toMatch(/^note {3}embedder .*--embedder local finds by meaning/mu);
    expect(stdout).toMatch(/^note {3}temporal .*varve start/mu);
    expect(await readdir(folder.path)).toEqual([]);
  });

  test('DOCTOR-2: reports a wrong policy and a data folder that is a file', async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'file');
    await writeFile(file, '');
    await writeFile(path.join(folder.path, 'tenant.yaml'), 'kind: Cat\n');
    const places = ['--data-dir', path.join(file, 'data'), '--policy-dir', folder.path];
    const { status, stdout } = await runVarve(['doctor', ...places]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^WRONG {2}policies .*INVALID_INPUT[^]*tenant\.yaml:1/mu);
    expect(stdout).toMatch(/^WRONG {2}store .*--data-dir/mu);
  });

  test('names a stored tenant without a policy, if another tenant has one', async () => {
    await using folder = await temporaryFolder();
    const dataDir = path.join(folder.path, 'data');
    const add = async (tenant: string, policy: { tenant: string } | null) => {
      await using varve = await openVarve({ dataDir, environment: {}, policy });
      const about = { tenant, layer: 'user', identifiers: { userId: 'ann' } } as const;
      await varve.memory.add({ ...about, content: 'Ann sings.' });
    };
    const doctor = async () => (await runVarve(['doctor', '--data-dir', dataDir])).stdout;
    await add('acne', null);
    expect(await doctor()).not.toContain('acne');
    await add('acme', { tenant: 'acme' });
    expect(await doctor()).toMatch(/^note {3}tenants +no policy for acne, /mu);
  });

  test('DOCTOR-3: reports a server without a worker and a server that does not answer', async () => {
    await using folder = await temporaryFolder();
    await using server = await startTestTemporal();
    const withAddress = (address: string) =>
      runVarve(['doctor'], { cwd: folder.path, env: { TEMPORAL_ADDRESS: address } });
    const idle = await withAddress(server.address);
    expect(idle.status).toBe(1);
    expect(idle.stdout).toMatch(/^WRONG {2}temporal .*no worker polls.*varve worker/mu);
    await using taken = await takenPort();
    const silent = await withAddress(`127.0.0.1:${String(taken.port)}`);
    expect(silent.status).toBe(1);
    expect(silent.stdout).toMatch(/^WRONG {2}temporal .*No Temporal server answers/mu);
  });
});
