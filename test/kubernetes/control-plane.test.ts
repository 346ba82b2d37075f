/** The API server that the other tests of this folder use: its parts come back after a kill. */
import { expect, test } from 'vitest';

import { startControlPlane } from '../cluster/control-plane.ts';
import { missingForControlPlane } from '../cluster/control-plane/programs.ts';
import { describeUnless } from '../cluster/needs.ts';
import { shared } from '#test/shared-fixture.ts';

describeUnless(await missingForControlPlane())('a local control plane', () => {
  const plane = shared(startControlPlane);

  const run = (...args: readonly string[]) => plane().run(args);

  test('it reports its version', async () => {
    expect(JSON.parse(await run('get', '--raw', '/version'))).toMatchObject({
      major: '1',
      minor: '36',
      gitVersion: 'v1.36.3',
    });
  });

  test('kubectl explains a resource', async () => {
    expect(await run('explain', 'lease.spec.leaseTransitions')).toContain(
      'FIELD: leaseTransitions',
    );
  });

  test('a user without permissions is refused, and one with a role is allowed', async () => {
    await run('create', 'namespace', 'rights');
    const kubeconfig = await plane().userKubeconfig('reader', ['readers']);
    const read = ['get', 'configmaps', '--namespace=rights', '--output=name'];
    const refused = await plane().kubectl(read, { kubeconfig });
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain('User "reader" cannot list resource "configmaps"');

    const scope = ['--namespace=rights'];
    await run('create', 'role', 'reader', '--verb=list', '--resource=configmaps', ...scope);
    await run('create', 'rolebinding', 'reader', '--role=reader', '--group=readers', ...scope);
    // A rule is there a moment later: the authorizer watches.
    await expect
      .poll(() => plane().kubectl(read, { kubeconfig }), { timeout: 30_000 })
      .toMatchObject({ status: 0 });
    expect((await plane().kubectl(['get', 'secrets', ...scope], { kubeconfig })).status).toBe(1);
  });

  test('a ServiceAccount has its own name and a token', async () => {
    await run('create', 'namespace', 'accounts');
    await run('create', 'serviceaccount', 'worker', '--namespace=accounts');
    const kubeconfig = await plane().serviceAccountKubeconfig('accounts', 'worker');
    const who = await plane().kubectl(['auth', 'whoami', '--output=json'], { kubeconfig });
    expect(JSON.parse(who.stdout)).toMatchObject({
      status: { userInfo: { username: 'system:serviceaccount:accounts:worker' } },
    });
  });

  test('a deleted object takes its dependents with it, and a deleted namespace is gone', async () => {
    await run('create', 'namespace', 'passing');
    await run('create', 'configmap', 'owner', '--namespace=passing');
    const place = ['configmap', 'owner', '--namespace=passing'];
    const uid = await run('get', ...place, '--output=jsonpath={.metadata.uid}');
    const owned = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'owned',
        namespace: 'passing',
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }],
      },
    };
    const made = await plane().kubectl(['create', '-f', '-'], { input: JSON.stringify(owned) });
    expect(made.status).toBe(0);
    await run('delete', ...place);
    await run('wait', '--for=delete', 'configmap/owned', '--namespace=passing', '--timeout=60s');
    await run('delete', 'namespace', 'passing', '--timeout=60s');
    expect((await plane().kubectl(['get', 'namespace', 'passing'])).stderr).toContain('NotFound');
  });

  test('data is still there after the API server and etcd were killed', async () => {
    await run('create', 'configmap', 'kept', '--from-literal=key=value');
    await plane().kill('kube-apiserver');
    expect((await plane().kubectl(['get', 'configmap', 'kept'])).status).toBe(1);
    await plane().kill('etcd');
    await plane().start('etcd');
    await plane().start('kube-apiserver');
    expect(await run('get', 'configmap', 'kept', '--output=jsonpath={.data.key}')).toBe('value');
  });

  test('a frozen API server does not answer until it is resumed', async () => {
    await plane().kill('kube-apiserver', 'SIGSTOP');
    const asked = plane().kubectl(['get', '--raw', '/version', '--request-timeout=2s']);
    expect((await asked).status).toBe(1);
    await plane().kill('kube-apiserver', 'SIGCONT');
    expect(await run('get', '--raw', '/readyz')).toBe('ok');
  });

  test('a controller manager that starts later does the pending work', async () => {
    await plane().kill('kube-controller-manager');
    await run('create', 'namespace', 'waiting');
    await run('delete', 'namespace', 'waiting', '--wait=false');
    const phase = ['get', 'namespace', 'waiting', '--output=jsonpath={.status.phase}'];
    expect(await run(...phase)).toBe('Terminating');
    await plane().start('kube-controller-manager');
    await run('wait', '--for=delete', 'namespace/waiting', '--timeout=60s');
  });
});
