/** Workflows in one process and model calls in another: `varve worker --role`. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { apiPortsOf, openParts } from '#cli/composition-root.ts';
import { MODEL_TASK_QUEUE } from '#core/refresh/refresh-contract.ts';
import type { PolicyModels } from '#core/records/policy.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { connectTemporal } from '#providers/temporal/client.ts';
import { startModelServer } from '#test/cluster/model-server/model-server.ts';
import { startVarve, temporaryFolder } from '#test/e2e/varve-process.ts';
import {
  CLUSTER,
  NAMESPACE,
  providerRecord,
} from '#test/unit/cli/model-providers/provider-samples.ts';
import { eventually, quickPolicy, testBundle } from './fixture.ts';
import { historiesOf, readHistory } from './history-text.ts';
import { newNamespace, testAddress } from './namespace.ts';

const KEY = 'sk-a-secret-word';
const TEXT = 'The ferry from Kiel leaves at 18:45.';

/** A store, a Temporal namespace and an endpoint, which processes of the test may share. */
async function openPlace() {
  await using held = new AsyncDisposableStack();
  const address = testAddress();
  const namespace = await newNamespace(address);
  const folder = held.use(await temporaryFolder());
  const server = held.use(await startModelServer({ models: ['large'], keys: new Set([KEY]) }));
  const open = held.use(await startModelServer({ models: ['large'] }));
  const parts = held.use(await openParts({ dataDir: folder.path, log: SILENT_LOG }));
  const temporal = held.use(await connectTemporal({ address, namespace }));
  const ports = apiPortsOf(parts, temporal, null);
  const { store, platform } = parts;
  // A process then starts within a second, whatever else the machine does.
  const bundle = path.join(folder.path, 'workflows.js');
  await writeFile(bundle, (await testBundle()).code);
  const env = {
    VARVE_WORKFLOW_BUNDLE: bundle,
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    VARVE_LOG_LEVEL: 'info',
    OPENAI_BASE_URL: server.baseUrl,
    VARVE_MODEL_STANDARD: 'large',
    VARVE_MODEL_STANDARD_INPUT_PRICE: '1',
    VARVE_MODEL_STANDARD_OUTPUT_PRICE: '2',
  };
  const kept = held.move();
  return {
    temporal,
    server,
    open,
    start: (role: string, more: Readonly<Record<string, string>> = {}) =>
      startVarve(['worker', '--role', role, '--data-dir', folder.path], {
        env: { ...env, ...more },
      }),
    /** A tenant with a memory, and who serves it. */
    tenant: async (models: PolicyModels) => {
      const tenant = `tenant-${randomUUID()}`;
      const policy = quickPolicy(tenant, { tenant: { models } });
      const owner = { cluster: CLUSTER, namespace: NAMESPACE, name: tenant, uid: tenant };
      await store.policies.put(owner, policy, { hash: tenant, now: platform.clock() });
      const identifiers = { userId: 'ann' };
      const memory = { tenant, layer: 'user', identifiers, content: TEXT } as const;
      await OPERATIONS.memory.add.call(ports, LOCAL_OPERATOR, memory);
      return tenant;
    },
    offerOpen: async () => {
      const record = providerRecord('open', { baseUrl: open.baseUrl });
      const { name, owner, provider, hash } = record;
      const write = { hash, now: platform.clock() };
      await store.modelProviders.put({ name, owner }, provider, write);
    },
    summaryOf: (tenant: string) =>
      store.summaries.get({ tenant, layer: 'user', scopeId: 'ann' }, ''),
    scopeOf: (tenant: string) => store.scopes.get({ tenant, layer: 'user', scopeId: 'ann' }),
    checkOf: async (name: string) => (await store.modelProviders.get(name))?.check,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

describe('workers with two roles', () => {
  it('claim without a key in one process, call models in the other, and stop cleanly', async () => {
    await using place = await openPlace();
    const { temporal, server, open } = place;
    await place.offerOpen();
    await using workflows = place.start('workflows');
    const own = await place.tenant({ standard: null, economy: null });
    const provided = await place.tenant({
      standard: { provider: 'open', model: 'large' },
      economy: null,
    });
    await eventually('a claim of each', async () => {
      const scopes = await Promise.all([own, provided].map((tenant) => place.scopeOf(tenant)));
      return scopes.every(({ lease }) => lease !== null);
    });
    // Nobody polls the queue of the models yet.
    expect([server.calls, open.calls]).toEqual([[], []]);
    expect(await place.checkOf('open')).toBeNull();

    await using models = place.start('models', { OPENAI_API_KEY: KEY });
    const made = (tenant: string) =>
      eventually('a summary', async () => (await place.summaryOf(tenant))?.model);
    expect(await made(own)).toBe('large');
    expect(await made(provided)).toBe('open/large');
    expect(server.calls.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${KEY}`]);
    const isAvailable = async () => (await place.checkOf('open'))?.state === 'Available';
    await eventually('a check', isAvailable);

    const told: string[] = [];
    for (const tenant of [own, provided]) {
      await temporal.settled(tenant);
      for (const { history } of await historiesOf({ temporal }, tenant)) {
        told.push(...readHistory(history).texts);
      }
    }
    expect(told).toContain(MODEL_TASK_QUEUE);
    for (const worker of [workflows, models]) {
      worker.kill('SIGTERM');
      const { status, stdout, stderr } = await worker.ended;
      expect(status).toBe(0);
      told.push(stdout, stderr);
    }
    expect(told.join('\n')).not.toContain(KEY);
  });
});
