/** How an installation is named in the store. */
import { expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import { clusterIdOf, releaseNamespaceIn } from '#operator/cluster/cluster-id.ts';

const UID = '3f6c1f5e-5d3a-4a57-9d0b-0c7f1b8b6a11';

function apiWith(uid: string | null) {
  const metadata = { name: 'kube-system', ...(uid === null ? {} : { uid }) };
  return { get: async () => ({ apiVersion: 'v1', kind: 'Namespace', metadata }) };
}

test('two releases in one cluster have different ids, so neither fences the other', async () => {
  expect(await clusterIdOf(apiWith(UID), 'varve')).toBe(`${UID}.varve`);
  expect(await clusterIdOf(apiWith(UID), 'team-b')).toBe(`${UID}.team-b`);
});

test('an unreadable cluster causes an error that names --cluster-id', async () => {
  const refused = () =>
    Promise.reject(new VarveError('FORBIDDEN', 'No.', { details: { httpStatus: 403 } }));
  await expect(clusterIdOf({ get: refused }, 'varve')).rejects.toThrow('--cluster-id');
  await expect(clusterIdOf(apiWith(null), 'varve')).rejects.toThrow('--cluster-id');
});

test.each([
  [`${UID}.varve`, 'varve'],
  [`${UID}.team-b`, 'team-b'],
  [UID, null],
  ['prod.varve', null],
  [`${UID}.team.b`, null],
  ['folder', null],
])('FORECAST-4: the id %s belongs to the namespace %s', (id, namespace) => {
  expect(releaseNamespaceIn(id)).toBe(namespace);
});
