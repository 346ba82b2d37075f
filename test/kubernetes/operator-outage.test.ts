/** What the probes and metrics of a replica report before, during and after an outage. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { OPERATOR_METRICS } from '#core/metrics/operator-metric-definitions.ts';
import { LEASE } from '#operator/leader/lease.ts';
import { microTime } from '#operator/timers.ts';
import { startApiProxy } from '../cluster/api-proxy.ts';
import { describeUnless } from '../cluster/needs.ts';
import { missingForKubernetes } from '../cluster/test-kubernetes.ts';
import { freePort } from '../e2e/ports.ts';
import { until } from '../e2e/until.ts';
import { startVarve, temporaryFolder } from '../e2e/varve-process.ts';
import { openOperatorServer } from './operator-server.ts';
import { shared } from '#test/shared-fixture.ts';

const LEASE_NAME = 'varve-of-the-outage';
const LEASE_SECONDS = 10;
const SEED = 1;
/** No leader is known after three times the Lease of 30 s, on a machine that may be slow. */
const UNTIL_UNREADY = { timeout: 240_000, interval: 500 };
const TEST_MS_MAX = 420_000;

describeUnless(await missingForKubernetes())('a replica in an outage of the API server', () => {
  const server = shared(openOperatorServer);

  test(
    'is live but not ready, gives the reason, and is ready once the server is back',
    async () => {
      await using folder = await temporaryFolder();
      const namespace = await server().cluster.createNamespace();
      const { kubeconfig } = server().cluster;
      const keys = path.dirname(kubeconfig);
      await using proxy = await startApiProxy({ kubeconfig, keys, seed: SEED });
      await server().api.create(LEASE, leaseOfAnother(namespace));
      const port = await freePort();
      await using operator = startVarve(
        [
          ...['operator', '--data-dir', folder.path, '--probe-port', '0'],
          ...['--kubeconfig', proxy.kubeconfig, '--lease-name', LEASE_NAME],
          ...['--namespace', namespace, '--watch-namespace', namespace],
        ],
        { env: { VARVE_LOG_LEVEL: 'info', VARVE_METRICS_PORT: port, VARVE_METRICS_OPEN: 'true' } },
      );
      await operator.untilSaid('"probes":"');
      const probes = /"probes":"([^"]+)"/u.exec(operator.stdout())?.[1] ?? '';
      const page = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const isReady = async () => (await fetch(`${probes}/readyz`)).status === 200;
      await until('the standby is ready', isReady);
      expect(await page()).toMatch(/^leader_election_master_status\{[^}]*\} 0$/mu);

      proxy.setFaults({ broken: 1 });
      proxy.cutWatches();
      await expect.poll(isReady, UNTIL_UNREADY).toBe(false);
      const refused = await fetch(`${probes}/readyz`);
      expect(refused.status).toBe(503);
      expect(await refused.text()).toContain('no leader is known');
      expect((await fetch(`${probes}/healthz`)).status).toBe(200);

      proxy.setFaults({ broken: 0 });
      await operator.untilSaid('"msg":"leading"');
      await until('the leader is ready', isReady);
      const told = await page();
      expect(told).toMatch(/^leader_election_master_status\{[^}]*\} 1$/mu);
      expect(told).toMatch(/^watch_reconnects_total\{[^}]*\} [1-9]/mu);
      expect(told).toMatch(/^rest_client_requests_total\{[^}]*code="200"[^}]*\} [1-9]/mu);
      const missing = Object.keys(OPERATOR_METRICS).filter(
        (name) => !told.includes(`# TYPE ${name} `),
      );
      expect(missing).toEqual([]);
    },
    TEST_MS_MAX,
  );
});

/** Held by somebody who renews it no more, so that it may be taken once its time has passed. */
function leaseOfAnother(namespace: string) {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace, name: LEASE_NAME },
    spec: {
      holderIdentity: 'another',
      leaseDurationSeconds: LEASE_SECONDS,
      leaseTransitions: 1,
      acquireTime: microTime(Date.now()),
      renewTime: microTime(Date.now()),
    },
  };
}
