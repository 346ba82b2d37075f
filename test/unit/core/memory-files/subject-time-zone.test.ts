import { describe, expect, test } from 'vitest';
import type { DreamPolicy } from '#core/records/dream-policy.ts';
import { dreamOfSubject, zoneOfSubject } from '#core/memory-files/subject-time-zone.ts';
import { dreamPolicy } from '#test/conformance/dream-samples.ts';

function dream(name: string, differing: Partial<DreamPolicy>): DreamPolicy {
  const nobody = { agents: [], users: [] };
  return dreamPolicy({ name, ...nobody, timeZone: 'Europe/Oslo', ...differing });
}

const DREAMS = [
  dream('zebra', { users: ['*'], timeZone: 'Asia/Tokyo' }),
  dream('named', { users: ['ann'] }),
  dream('agents', { agents: ['*'], timeZone: 'America/Lima' }),
];

describe('the DeepDream of a subject', () => {
  test.each([
    ['user', 'ann', 'named', 'Europe/Oslo'],
    ['user', 'bob', 'zebra', 'Asia/Tokyo'],
    ['agent', 'ann', 'agents', 'America/Lima'],
  ] as const)('for %s %s is %s, and its days follow %s', (kind, id, name, zone) => {
    expect(dreamOfSubject(DREAMS, { kind, id })?.name).toBe(name);
    expect(zoneOfSubject(DREAMS, { kind, id })).toBe(zone);
  });

  test.each([
    ['one that names it, whatever its own name', ['ann'], ['*'], 'b'],
    ['the first by name of those that name it', ['ann'], ['bob', 'ann'], 'a'],
    ['the first by name of those for all', ['*'], ['*'], 'a'],
  ])('among several is %s', (_, usersOfB, usersOfA, name) => {
    const both = [dream('b', { users: usersOfB }), dream('a', { users: usersOfA })];
    for (const dreams of [both, both.toReversed()]) {
      expect(dreamOfSubject(dreams, { kind: 'user', id: 'ann' })?.name).toBe(name);
    }
  });

  test('sets the time zone of its days, or UTC if none covers the subject', () => {
    expect(zoneOfSubject(DREAMS, { kind: 'user', id: 'bob' })).toBe('Asia/Tokyo');
    expect(dreamOfSubject([], { kind: 'user', id: 'ann' })).toBeUndefined();
    expect(zoneOfSubject([dream('a', { users: ['bob'] })], { kind: 'user', id: 'ann' })).toBe(
      'UTC',
    );
  });
});
