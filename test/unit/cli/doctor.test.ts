import { expect, test } from 'vitest';
import { diskFindings, noPolicyFolderText } from '#cli/commands/doctor.ts';

test('doctor: says how much room is left on a disk that is nearly full', () => {
  const [finding] = diskFindings(2_400_000, '/data');
  expect(finding).toMatchObject({ part: 'disk', state: 'wrong' });
  expect(finding?.text).toContain('2.4 MB free for /data');
});

test('doctor: says nothing about a disk with room', () => {
  expect(diskFindings(200_000_000, '/data')).toEqual([]);
});

test('doctor: without a policy folder, says where the tenants of a cluster are declared', () => {
  const policyDir = '/data/policies';
  const alone = noPolicyFolderText({ policyDir, settings: {} });
  expect(alone).toContain('Put YAML into /data/policies');
  const mongodb = { uri: 'mongodb://127.0.0.1', database: 'varve' };
  const shared = noPolicyFolderText({ policyDir, settings: { mongodb } });
  expect(shared).toContain('kubectl get mt --all-namespaces');
  expect(shared).not.toContain(policyDir);
});
