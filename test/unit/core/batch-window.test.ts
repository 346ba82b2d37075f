import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HORIZON_MS } from '#core/refresh/refresh-contract.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { selectScopesPastWindow, readWindowOf } from '#core/refresh/batch-window.ts';
import { HOUR_MS, MINUTE_MS, NOW, SECOND_MS } from '#test/conformance/samples.ts';
import { heldUntil, settledScope } from './scope-records.ts';

const policy = defaultPolicy('acme');

function read(scopes: readonly Partial<ScopeRecord>[], now = NOW) {
  return readWindowOf(scopes.map(settledScope), { policy, wanted: 4, now });
}

const due = (at: number, differing: Partial<ScopeRecord> = {}): Partial<ScopeRecord> => ({
  dueAt: NOW + at,
  dueTrigger: 'Changes',
  ...differing,
});

describe('the batch window', () => {
  test.each<[string, Partial<ScopeRecord>[], closesInMs: number | null]>([
    ['is idle if nothing is due', [], null],
    ['is open for five minutes for a scope due now', [due(0)], 5 * MINUTE_MS],
    ['closes for a scope whose window is over', [due(-5 * MINUTE_MS)], 0],
    ['closes for a scope due long ago', [due(-HOUR_MS)], 0],
    ['is idle for a scope whose window ends beyond the horizon', [due(MINUTE_MS)], null],
    ['is idle for a scope due beyond the horizon', [due(HOUR_MS)], null],
    [
      'closes when an urgent scope becomes due',
      [due(15 * SECOND_MS, { dueTrigger: 'Urgent' })],
      15 * SECOND_MS,
    ],
    ['closes at once for a requested scope', [due(0, { dueTrigger: 'Requested' })], 0],
    ['closes at once for an urgent scope due now', [due(0, { dueTrigger: 'Urgent' })], 0],
    ['is short for a session', [due(0, { layer: 'session' })], 10 * SECOND_MS],
    ['closes for both scopes with the first of them', [due(-MINUTE_MS), due(0)], 4 * MINUTE_MS],
    [
      'closes for all scopes with an urgent one',
      [due(0), due(15 * SECOND_MS, { dueTrigger: 'Urgent' })],
      15 * SECOND_MS,
    ],
    ['closes for an ended source without a write', [{ nextExpiryAt: NOW - 5 * MINUTE_MS }], 0],
    [
      'waits for the next try if a source ended and an attempt failed',
      [due(0, { nextExpiryAt: NOW - HOUR_MS, hold: heldUntil(NOW) })],
      5 * MINUTE_MS,
    ],
  ])('%s', (_, scopes, closesInMs) => {
    const window = read(scopes);
    const expected = closesInMs === null ? { kind: 'Idle' } : { kind: 'Open', closesInMs };
    expect(window).toMatchObject({ ...expected, wanted: 4 });
  });

  test('is tumbling: scopes due later never move its end', () => {
    const later = fc.array(fc.integer({ min: 0, max: 5 * MINUTE_MS }), { maxLength: 20 });
    fc.assert(
      fc.property(later, fc.nat({ max: 4 * MINUTE_MS }), (delays, passed) => {
        const scopes = [0, ...delays.filter((delay) => delay <= passed)].map((at) => due(at));
        const window = read(scopes, NOW + passed);
        expect(window).toMatchObject({ kind: 'Open', closesInMs: 5 * MINUTE_MS - passed });
      }),
    );
  });

  test('reports how many scopes wait, of which layers, and whether one is urgent', () => {
    const team = due(0, { layer: 'team', dueTrigger: 'Urgent' });
    expect(read([due(0), due(0), team])).toMatchObject({
      pending: 3,
      layers: ['user', 'team'],
      urgent: true,
    });
    expect(read([due(0)])).toMatchObject({ urgent: false });
  });

  test('is open if it closes within the horizon', () => {
    const session = (at: number) => read([due(at, { layer: 'session' })]).kind;
    expect(session(HORIZON_MS - 10 * SECOND_MS)).toBe('Open');
    expect(session(HORIZON_MS - 10 * SECOND_MS + 1)).toBe('Idle');
  });
});

describe('the scopes claimed when a window closes', () => {
  const named = (scopeId: string, at: number, differing: Partial<ScopeRecord>) =>
    settledScope({ ...due(at, differing), scopeId });
  const project = { layer: 'project' as const };
  const user = { layer: 'user' as const };
  const session = { layer: 'session' as const };
  const urgent = { dueTrigger: 'Urgent' as const };

  test.each<[string, ScopeRecord[], string[]]>([
    ['exclude those whose window is still open', [named('a', 0, user), named('b', 0, project)], []],
    [
      'include a session, and no scope whose window is open',
      [named('s', -10 * SECOND_MS, session), named('a', 0, user), named('b', 0, project)],
      ['s'],
    ],
    [
      'include, with a project, every scope that may share its call',
      [
        named('b', -5 * MINUTE_MS, project),
        named('c', 0, project),
        named('d', 0, { layer: 'team' }),
        named('a', 0, user),
      ],
      ['b', 'c', 'd'],
    ],
    [
      'include only an urgent user',
      [named('u', 0, { ...user, ...urgent }), named('a', 0, user), named('b', 0, project)],
      ['u'],
    ],
    [
      'include one whose window is over except for the difference of two clocks',
      [named('s', 1 - 10 * SECOND_MS, session)],
      ['s'],
    ],
  ])('%s', (_, scopes, claimed) => {
    const closed = selectScopesPastWindow(scopes, { policy, now: NOW });
    expect(closed.map(({ scopeId }) => scopeId)).toEqual(claimed);
  });

  test('are never empty when the awaited window is over', () => {
    const scope = fc
      .record({
        layer: fc.constantFrom('session' as const, 'user' as const, 'project' as const),
        at: fc.integer({ min: -10 * MINUTE_MS, max: 0 }),
        trigger: fc.constantFrom('Urgent' as const, 'Changes' as const),
      })
      .map(({ layer, at, trigger }) => settledScope(due(at, { layer, dueTrigger: trigger })));
    fc.assert(
      fc.property(fc.array(scope, { minLength: 1, maxLength: 10 }), (scopes) => {
        const window = readWindowOf(scopes, { policy, wanted: 4, now: NOW });
        fc.pre(window.kind === 'Open');
        if (window.kind !== 'Open') return;
        const now = NOW + window.closesInMs;
        expect(selectScopesPastWindow(scopes, { policy, now })).not.toEqual([]);
      }),
    );
  });
});
