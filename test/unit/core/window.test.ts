import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HORIZON_MS } from '#core/contract.ts';
import { defaultPolicy } from '#core/policy.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { readWindowOf } from '#core/window.ts';
import { HOUR_MS, MINUTE_MS, NOW, SECOND_MS } from '#test/conformance/samples.ts';
import { settledScope } from './scope-records.ts';

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
      [due(0, { nextExpiryAt: NOW - HOUR_MS, attempts: 1 })],
      5 * MINUTE_MS,
    ],
  ])('SUM-16: %s', (_, scopes, closesInMs) => {
    const window = read(scopes);
    const expected = closesInMs === null ? { kind: 'Idle' } : { kind: 'Open', closesInMs };
    expect(window).toMatchObject({ ...expected, wanted: 4 });
  });

  test('SUM-16: it is tumbling: scopes that become due later never move its end', () => {
    const later = fc.array(fc.integer({ min: 0, max: 5 * MINUTE_MS }), { maxLength: 20 });
    fc.assert(
      fc.property(later, fc.nat({ max: 4 * MINUTE_MS }), (delays, passed) => {
        const scopes = [0, ...delays.filter((delay) => delay <= passed)].map((at) => due(at));
        const window = read(scopes, NOW + passed);
        expect(window).toMatchObject({ kind: 'Open', closesInMs: 5 * MINUTE_MS - passed });
      }),
    );
  });

  test('TMP-03: it tells how many wait, of which layers, and whether one is urgent', () => {
    const team = due(0, { layer: 'team', dueTrigger: 'Urgent' });
    expect(read([due(0), due(0), team])).toMatchObject({
      pending: 3,
      layers: ['user', 'team'],
      urgent: true,
    });
    expect(read([due(0)])).toMatchObject({ urgent: false });
  });

  test('SUM-16: what closes within the horizon is waited for in an open run', () => {
    const session = (at: number) => read([due(at, { layer: 'session' })]).kind;
    expect(session(HORIZON_MS - 10 * SECOND_MS)).toBe('Open');
    expect(session(HORIZON_MS - 10 * SECOND_MS + 1)).toBe('Idle');
  });
});
