/**
 * The example in a cluster, by the programs that a person runs: `kubectl apply` → `varve operator`
 * → `varve worker` on a real Temporal server → summaries by tRPC → status → `kubectl delete`.
 */
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectApi } from '#cli/api-client.ts';
import { stackPaths } from '#cli/installation-files.ts';
import { DEEP_DREAM, LAYER_SUMMARY_POLICY, MEMORY_TENANT } from '#crds/resource-types.ts';
import { describeUnless } from '../cluster/needs.ts';
import { missingForKubernetes } from '../cluster/test-kubernetes.ts';
import { startTestTemporal, type TestTemporal } from '../cluster/test-temporal.ts';
import { until } from '../e2e/until.ts';
import { ROOT, runVarve, startVarve, type VarveProcess } from '../e2e/varve-process.ts';
import { newNamespace } from '../workflows/namespace.ts';
import { conditionsIn } from '#operator/tenant/metadata-and-conditions.ts';
import { openOperatorServer, type OperatorServer } from './operator-server.ts';

/** Four programs start one after the other, on two cores that others use too. */
const TEST_MS_MAX = 300_000;
const EXAMPLE = path.join(ROOT, 'examples', 'acme');

describeUnless(await missingForKubernetes())('the example in a cluster', () => {
  let server: OperatorServer;
  let temporal: TestTemporal;
  beforeAll(async () => {
    [server, temporal] = await Promise.all([openOperatorServer(), startTestTemporal()]);
  });
  afterAll(async () => {
    await Promise.all([server[Symbol.asyncDispose](), temporal[Symbol.asyncDispose]()]);
  });

  test(
    'is enforced, refreshed, and fresh once it is applied, and gone once it is deleted',
    async () => {
      await using held = new AsyncDisposableStack();
      const namespace = await server.cluster.createNamespace();
      const { dataDir, env } = await installation(temporal.address, held);
      const start = (...args: string[]): VarveProcess => held.use(startVarve(args, { env }));
      const kubectl = (...args: string[]) => server.cluster.run([...args, '-n', namespace]);
      const status = async (type: typeof MEMORY_TENANT, name: string, condition: string) => {
        const object = await server.api.get(type, { namespace, name });
        const conditions = object === null ? [] : conditionsIn(object);
        return conditions.find((one) => one.type === condition)?.status;
      };

      await kubectl('apply', '-f', EXAMPLE);
      const operator = start(
        'operator',
        ...['--kubeconfig', server.cluster.kubeconfig],
        ...['--namespace', namespace, '--watch-namespace', namespace],
      );
      await operator.untilSaid('"msg":"ready"');
      await until('the tenant is ready', async () => {
        return (await status(MEMORY_TENANT, 'acme', 'Ready')) === 'True';
      });
      await until('its layer policies are ready', async () => {
        return (await status(LAYER_SUMMARY_POLICY, 'acme-team', 'Ready')) === 'True';
      });

      await until('its dream is scheduled', async () => {
        return (await status(DEEP_DREAM, 'acme-nightly', 'Ready')) === 'True';
      });

      const worker = start('worker');
      const api = start('api');
      await api.untilSaid('"msg":"ready"');
      const token = (await readFile(stackPaths(dataDir).token, 'utf8')).trim();
      const varve = connectApi({ url: urlOf(api.stdout()), token });
      const asked = {
        tenant: 'acme',
        layer: 'project',
        identifiers: { projectId: 'checkout' },
      } as const;
      await varve.memory.add({ ...asked, content: 'The checkout service moved to port 8443.' });
      const summary = await until('the project is summarized', async () => {
        const found = await varve.summary.get({ ...asked, depth: 'detailed' });
        return found !== null && !found.freshness.stale ? found : null;
      });
      expect(summary.text).toContain('8443');
      // By itself it would look again within a minute; any change has it look at once.
      await kubectl('annotate', 'memorytenant', 'acme', 'example.com/seen=true');
      await until('the status says so', async () => {
        const object = await server.api.get(MEMORY_TENANT, { namespace, name: 'acme' });
        const { freshness } = (object?.['status'] ?? {}) as { freshness?: { summary: string } };
        const isFresh = (await status(MEMORY_TENANT, 'acme', 'Fresh')) === 'True';
        return isFresh && freshness?.summary === '1/1';
      });
      expect(await kubectl('get', 'mt')).toMatch(/acme\s+acme\s+True\s.*InForce\s+1\/1\s/u);

      await kubectl('delete', '--timeout=60s', '-f', EXAMPLE);
      expect(await server.api.get(MEMORY_TENANT, { namespace, name: 'acme' })).toBeNull();
      expect((await varve.summary.get({ ...asked, depth: 'detailed' }))?.text).toContain('8443');

      for (const program of [operator, worker, api]) program.kill('SIGTERM');
      expect((await operator.ended).status).toBe(0);
      expect((await api.ended).status).toBe(0);
      expect((await worker.ended).status).toBe(0);
    },
    TEST_MS_MAX,
  );
});

/** A folder for everything, removed in the end, and what all parts are told. */
async function installation(temporalAddress: string, held: AsyncDisposableStack) {
  const dataDir = await realpath(await mkdtemp(path.join(tmpdir(), 'varve-acme-')));
  held.defer(() => rm(dataDir, { recursive: true, force: true }));
  // As in the image: a worker that bundles while it connects may be too slow for both.
  const bundle = path.join(dataDir, 'workflows.js');
  const bundled = await runVarve(['bundle', bundle]);
  if (bundled.status !== 0) throw new Error(bundled.stderr);
  const env = {
    VARVE_DATA_DIR: dataDir,
    VARVE_WORKFLOW_BUNDLE: bundle,
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: await newNamespace(temporalAddress),
    VARVE_LOG_LEVEL: 'info',
  };
  return { dataDir, env };
}

/** The address in the line that says that the API is ready. */
function urlOf(said: string): string {
  const url = /"url":"([^"]+)"/u.exec(said)?.[1];
  if (url === undefined) throw new Error(`It named no address:\n${said}`);
  return url;
}
