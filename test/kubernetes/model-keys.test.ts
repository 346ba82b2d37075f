/** Model keys from Secrets, as a worker's own account reads them. */
import { expect, test } from 'vitest';
import { clusterSecrets } from '#cli/model-providers/provider-key.ts';
import { startModelServer } from '#test/cluster/model-server/model-server.ts';
import { describeUnless } from '#test/cluster/needs.ts';
import { missingForKubernetes, openTestKubernetes } from '#test/cluster/test-kubernetes.ts';
import { MINUTE_MS } from '#test/conformance/samples.ts';
import { choose, keptLog, MODELS, offer, TENANT } from '#test/unit/activities/provided-fixture.ts';
import { openFixture } from '#test/unit/activities/refresh-fixture.ts';
import { shared } from '#test/shared-fixture.ts';

const REFERENCE = { name: 'model-key', key: 'token' };
const FIRST = 'sk-first-secret-word';
const SECOND = 'sk-second-secret-word';
const RULES_MS = 30_000;

describeUnless(await missingForKubernetes())('model keys', () => {
  const kubernetes = shared(openTestKubernetes);

  /** A namespace with two Secrets, and an account that may get one of them by its name. */
  async function release() {
    const namespace = await kubernetes().createNamespace();
    const apply = async (...objects: readonly object[]) => {
      const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
      await kubernetes().run(['apply', '-n', namespace, '-f', '-'], { input });
    };
    const put = (value: string, name = REFERENCE.name) =>
      apply({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name },
        stringData: { [REFERENCE.key]: value },
      });
    const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'models' } };
    await put(`${FIRST}\n`);
    await put('sk-of-somebody-else', 'other-key');
    await apply(
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'models' } },
      {
        ...rbac,
        kind: 'Role',
        rules: [
          { apiGroups: [''], resources: ['secrets'], resourceNames: ['model-key'], verbs: ['get'] },
        ],
      },
      {
        ...rbac,
        kind: 'RoleBinding',
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'models' },
        subjects: [{ kind: 'ServiceAccount', name: 'models', namespace }],
      },
    );
    const kubeconfig = await kubernetes().serviceAccountKubeconfig(namespace, 'models');
    const secrets = clusterSecrets(namespace, kubeconfig);
    // A rule is there a moment later: the authorizer watches.
    await expect
      .poll(
        () =>
          secrets.read(REFERENCE).then(
            (secret) => secret !== null,
            () => false,
          ),
        {
          timeout: RULES_MS,
        },
      )
      .toBe(true);
    return { secrets, put };
  }

  test('a worker reads only the Secret that it is allowed to read', async () => {
    const { secrets, put } = await release();
    await using _ = secrets;
    const first = await secrets.read(REFERENCE);
    expect(first?.value).toBe(FIRST);
    expect(await secrets.read({ ...REFERENCE, key: 'another' })).toBeNull();
    const other = secrets.read({ ...REFERENCE, name: 'other-key' });
    await expect(other).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await put(SECOND);
    const second = await secrets.read(REFERENCE);
    expect(second?.value).toBe(SECOND);
    expect(second?.version).not.toBe(first?.version);
  });

  test('a changed key is used without a restart and never logged', async () => {
    const { secrets, put } = await release();
    await using _ = secrets;
    const keys = new Set([FIRST]);
    await using server = await startModelServer({ keys });
    const { lines, log } = keptLog();
    await using fixture = await openFixture({ secrets, log });
    await offer(fixture, server, { openai: { secretRef: REFERENCE } });
    await choose(fixture, MODELS);
    await fixture.add(TENANT, 'Ann signed the contract with Blue Harbour on 3 May 2026.');
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1 });

    keys.clear();
    keys.add(SECOND);
    await fixture.add(TENANT, 'Bob pays invoices.', { identifiers: { userId: 'bob' } });
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 0 });
    expect(await fixture.scope(TENANT, 'bob')).toMatchObject({ hold: { code: 'UNAUTHENTICATED' } });

    await put(SECOND);
    fixture.advance(MINUTE_MS / 2);
    await fixture.add(TENANT, 'Cy sells tulips.', { identifiers: { userId: 'cy' } });
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1 });
    const sent = server.calls.map(({ headers }) => headers.authorization);
    expect(sent).toEqual([FIRST, FIRST, FIRST, SECOND].map((key) => `Bearer ${key}`));
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join('\n')).not.toMatch(/secret-word/u);
  });
});
