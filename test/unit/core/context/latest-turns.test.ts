import { describe, expect, test } from 'vitest';
import { turnsAndPassages } from '#core/context/latest-turns.ts';
import type { Turn } from '#core/records/turn.ts';
import { turnOf } from '#test/conformance/samples.ts';
import { pastOf } from '../context-input.ts';

const LIMIT = 100;

function turns(...given: readonly (readonly [Turn['role'], number])[]): readonly Turn[] {
  return given.map(([role, tokenCount], at) => ({
    ...turnOf('acme', at + 1, { role, tokenCount }),
    sequence: at + 1,
  }));
}

describe('turnsAndPassages', () => {
  test.each([
    ['shows short turns whole', turns(['user', 10], ['assistant', 10]), ['turn-1', 'turn-2']],
    ['leaves out a turn longer than its share', turns(['user', 10], ['user', 41]), ['turn-1']],
    [
      'leaves out the results of a call that is left out',
      turns(['user', 10], ['assistant', 41], ['tool', 5], ['tool', 5], ['assistant', 5]),
      ['turn-1', 'turn-5'],
    ],
    [
      'shows a call whose result is left out',
      turns(['assistant', 5], ['tool', 41], ['assistant', 5]),
      ['turn-1', 'turn-3'],
    ],
  ])('%s', (_, latest, shown) => {
    const own = { limit: LIMIT, ownSessionId: 'call', ownSession: true };
    expect(turnsAndPassages(latest, [], own).turns.map(({ id }) => id)).toEqual(shown);
  });

  test.each([
    ['a turn shown whole that fits', 10, true, []],
    ['a turn shown whole that may be trimmed', 40, true, [{ isOfLatest: true }]],
    ['a turn left out', 41, true, [{}]],
    ['any turn, if the caller shows its session itself', 41, false, []],
  ])('passages of %s', (_, tokens, ownSession, expected) => {
    const latest = turns(['user', tokens], ['user', 20]);
    const passage = { ...pastOf(0, 'Hello there.'), sessionId: 'call', turnId: 'turn-1' };
    const own = { limit: LIMIT, ownSessionId: 'call', ownSession };
    expect(turnsAndPassages(latest, [passage], own).passages).toEqual(
      expected.map((more) => ({ ...passage, ...more })),
    );
  });
});
