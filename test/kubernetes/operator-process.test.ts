/** `varve operator` as a process: its probes, its end, and what happens when it stops leading. */
import { expect, test } from 'vitest';
import { MEMORY_TENANT } from '#crds/resource-types.ts';
import { LEASE } from '#operator/leader/lease.ts';
import { describeUnless } from '../cluster/needs.ts';
import { missingForKubernetes } from '../cluster/test-kubernetes.ts';
import { until } from '../e2e/until.ts';
import { runVarve, startVarve, temporaryFolder } from '../e2e/varve-process.ts';
import { openOperatorServer } from './operator-server.ts';
import { shared } from '#test/shared-fixture.ts';

const LEASE_NAME = 'varve-of-this-test';

describeUnless(await missingForKubernetes())('the operator as a process', () => {
  const server = shared(openOperatorServer);

  /** An operator of its own namespace that leads, with the address of its probes. */
  async function leading(dataDir: string) {
    const namespace = await server().cluster.createNamespace();
    const operator = startVarve(
      [
        ...['operator', '--data-dir', dataDir, '--probe-port', '0'],
        ...['--kubeconfig', server().cluster.kubeconfig, '--lease-name', LEASE_NAME],
        ...['--namespace', namespace, '--watch-namespace', namespace],
      ],
      { env: { VARVE_LOG_LEVEL: 'info' } },
    );
    await operator.untilSaid('"msg":"leading"');
    const probes = /"probes":"([^"]+)"/u.exec(operator.stdout())?.[1] ?? '';
    const place = { namespace, name: LEASE_NAME };
    return { operator, namespace, probes, place };
  }

  test('it is ready once it leads, and releases the Lease on SIGTERM', async () => {
    await using folder = await temporaryFolder();
    const { operator, namespace, probes, place } = await leading(folder.path);
    await using held = operator;
    await until('it is ready', async () => (await fetch(`${probes}/readyz`)).status === 200);
    expect((await fetch(`${probes}/healthz`)).status).toBe(200);
    await server().cluster.kubectl(['apply', '-f', '-'], {
      input: JSON.stringify({
        apiVersion: 'memory.varve.dev/v1alpha1',
        kind: 'MemoryTenant',
        metadata: { name: 'acme', namespace },
      }),
    });
    await until('the tenant has a status', async () => {
      const object = await server().api.get(MEMORY_TENANT, { namespace, name: 'acme' });
      return object?.['status'] !== undefined;
    });
    held.kill('SIGTERM');
    expect((await held.ended).status).toBe(0);
    expect((await server().api.get(LEASE, place))?.['spec']).not.toHaveProperty('holderIdentity');
  });

  test('it ends if another has the Lease, and gives the possible reasons', async () => {
    await using folder = await temporaryFolder();
    const { operator, place } = await leading(folder.path);
    await using held = operator;
    const taken = { op: 'replace', path: '/spec/holderIdentity', value: 'another' } as const;
    await server().api.patch(LEASE, place, { operations: [taken] });
    const { status, stderr } = await held.ended;
    expect(status).toBe(5);
    expect(stderr).toContain('CONFLICT: The Lease was lost: another operator leads, or the API');
  });

  test('an invalid setting is refused, and the error names its option', async () => {
    const { status, stderr } = await runVarve(['operator', '--request-rate', 'fast']);
    expect(status).toBe(2);
    expect(stderr).toContain('--request-rate');
  });
});
