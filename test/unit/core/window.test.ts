import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HORIZON_MS } from '#core/refresh/refresh-contract.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { closedOf, readWindowOf } from '#core/refresh/batch-window.ts';
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

describe('batch window', () => {
  test.each<[string, Partial<ScopeRecord>[], closesInMs: number | null]>([
    ['nothing is due', [], null],
    ['due, and its window has just opened', [due(0)], 5 * MINUTE_MS],
    ['due, and its window is over', [due(-5 * MINUTE_MS)], 0],
    ['due long ago', [due(-HOUR_MS)], 0],
    ['due soon, with a window that ends beyond the horizon', [due(MINUTE_MS)], null],
    ['due beyond the horizon', [due(HOUR_MS)], null],
    ['urgent, due soon', [due(15 * SECOND_MS, { dueTrigger: 'Urgent' })], 15 * SECOND_MS],
    ['asked for by somebody', [due(0, { dueTrigger: 'Requested' })], 0],
    ['urgent, due now', [due(0, { dueTrigger: 'Urgent' })], 0],
    ['a session, whose window is short', [due(0, { layer: 'session' })], 10 * SECOND_MS],
    ['the first of two closes it for both', [due(-MINUTE_MS), due(0)], 4 * MINUTE_MS],
    [
      'an urgent one closes it for all',
      [due(0), due(15 * SECOND_MS, { dueTrigger: 'Urgent' })],
      15 * SECOND_MS,
    ],
    ['a source ended and nobody wrote', [{ nextExpiryAt: NOW - 5 * MINUTE_MS }], 0],
    [
      'a source ended, and the attempt failed: when it is tried again',
      [due(0, { nextExpiryAt: NOW - HOUR_MS, hold: heldUntil(NOW) })],
      5 * MINUTE_MS,
    ],
  ])('%s', (_, scopes, closesInMs) => {
    const window = read(scopes);
    const expected = closesInMs === null ? { kind: 'Idle' } : { kind: 'Open', closesInMs };
    expect(window).toMatchObject({ ...expected, wanted: 4 });
  });

  test('it is tumbling: scopes that become due later never move its end', () => {
    const later = fc.array(fc.integer({ min: 0, max: 5 * MINUTE_MS }), { maxLength: 20 });
    fc.assert(
      fc.property(later, fc.nat({ max: 4 * MINUTE_MS }), (delays, passed) => {
        const scopes = [0, ...delays.filter((delay) => delay <= passed)].map((at) => due(at));
        const window = read(scopes, NOW + passed);
        expect(window).toMatchObject({ kind: 'Open', closesInMs: 5 * MINUTE_MS - passed });
      }),
    );
  });

  test('it tells how many wait, of which layers, and whether one is urgent', () => {
    const team = due(0, { layer: 'team', dueTrigger: 'Urgent' });
    expect(read([due(0), due(0), team])).toMatchObject({
      pending: 3,
      layers: ['user', 'team'],
      urgent: true,
    });
    expect(read([due(0)])).toMatchObject({ urgent: false });
  });

  test('what closes within the horizon is waited for in an open run', () => {
    const session = (at: number) => read([due(at, { layer: 'session' })]).kind;
    expect(session(HORIZON_MS - 10 * SECOND_MS)).toBe('Open');
    expect(session(HORIZON_MS - 10 * SECOND_MS + 1)).toBe('Idle');
  });
});

describe('what is claimed when a window closes', () => {
  const named = (scopeId: string, at: number, differing: Partial<ScopeRecord>) =>
    settledScope({ ...due(at, differing), scopeId });
  const project = { layer: 'project' as const };
  const user = { layer: 'user' as const };
  const session = { layer: 'session' as const };
  const urgent = { dueTrigger: 'Urgent' as const };

  test.each<[string, ScopeRecord[], string[]]>([
    ['nothing whose window is open', [named('a', 0, user), named('b', 0, project)], []],
    [
      'a session, and nobody who waits for company',
      [named('s', -10 * SECOND_MS, session), named('a', 0, user), named('b', 0, project)],
      ['s'],
    ],
    [
      'with a project every scope that may share its call',
      [
        named('b', -5 * MINUTE_MS, project),
        named('c', 0, project),
        named('d', 0, { layer: 'team' }),
        named('a', 0, user),
      ],
      ['b', 'c', 'd'],
    ],
    [
      'an urgent person alone',
      [named('u', 0, { ...user, ...urgent }), named('a', 0, user), named('b', 0, project)],
      ['u'],
    ],
    [
      'a window that is over but for the difference of two clocks',
      [named('s', 1 - 10 * SECOND_MS, session)],
      ['s'],
    ],
  ])('%s', (_, scopes, claimed) => {
    const closed = closedOf(scopes, { policy, now: NOW });
    expect(closed.map(({ scopeId }) => scopeId)).toEqual(claimed);
  });

  test('is never nothing when the window that a run waits for is over', () => {
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
        expect(closedOf(scopes, { policy, now })).not.toEqual([]);
      }),
    );
  });
});
