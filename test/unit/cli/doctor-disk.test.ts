import { expect, test } from 'vitest';
import { diskFindings } from '#cli/commands/doctor.ts';

test('doctor: says how much room is left on a disk that is nearly full', () => {
  const [finding] = diskFindings(2_400_000, '/data');
  expect(finding).toMatchObject({ part: 'disk', state: 'wrong' });
  expect(finding?.text).toContain('2.4 MB free for /data');
});

test('doctor: says nothing about a disk with room', () => {
  expect(diskFindings(200_000_000, '/data')).toEqual([]);
});
