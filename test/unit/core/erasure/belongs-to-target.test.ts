import { describe, expect, test } from 'vitest';
import {
  isOfErasedUser,
  isTurnToErase,
  namesAny,
  namesTurn,
  turnToErase,
} from '#core/erasure/belongs-to-target.ts';

describe('an erased person', () => {
  test.each<[boolean, string, unknown]>([
    [true, 'is the name', 'ann'],
    [true, 'contains it at any depth', { at: 1, by: ['cleo', { user: 'ann' }] }],
    [false, 'contains it only within a longer text', ['annabel', 'to ann']],
    [false, 'contains it only as the name of a field', { ann: 1 }],
    [false, 'is null', null],
    [false, 'contains no texts', { by: [1, true, undefined, null] }],
  ])('is named (%s) by a value that %s', (expected, _, value) => {
    expect(namesAny(value, new Set(['ann', 'ben']))).toBe(expected);
  });

  test('has a session with their id, and another target has none', () => {
    expect(isOfErasedUser({ kind: 'User', id: 'ann' }, { userId: 'ann', agentId: 'x' })).toBe(true);
    expect(isOfErasedUser({ kind: 'User', id: 'ann' }, { userId: 'ben' })).toBe(false);
    expect(isOfErasedUser({ kind: 'User', id: 'ann' }, {})).toBe(false);
    expect(isOfErasedUser({ kind: 'Memory', id: 'ann' }, { userId: 'ann' })).toBe(false);
    expect(isOfErasedUser({ kind: 'Tenant' }, { userId: 'ann' })).toBe(false);
  });
});

describe('an erased turn', () => {
  const turn = turnToErase({ kind: 'Turn', sessionId: 's-1', id: 'm1' });

  test.each<[boolean, sessionId: string | null, id: string | null]>([
    [true, 's-1', 'm1'],
    [true, 's-1', 'm1/part-2'],
    [false, 's-2', 'm1'],
    [false, 's-1', 'm10'],
    [false, 's-1', 'm2/part-2'],
    [false, 's-1', null],
    [false, null, 'm1'],
  ])('is or has as a part (%s) in session %s the turn %s', (expected, sessionId, id) => {
    expect(isTurnToErase(turn, { sessionId, id })).toBe(expected);
  });

  test('is named only with its session, and there is none for another target', () => {
    expect(namesTurn({ sessionId: ['s-1'], turnIds: ['m0', 'm1'] }, turn)).toBe(true);
    expect(namesTurn({ sessionId: ['s-2'], turnIds: ['m1'] }, turn)).toBe(false);
    expect(namesTurn({ sessionId: ['s-1'], turnIds: ['m2'] }, turn)).toBe(false);
    const none = turnToErase({ kind: 'Session', id: 's-1' });
    expect(none).toBeNull();
    expect(namesTurn(['s-1', 'm1'], none)).toBe(false);
    expect(isTurnToErase(none, { sessionId: 's-1', id: 'm1' })).toBe(false);
  });
});
