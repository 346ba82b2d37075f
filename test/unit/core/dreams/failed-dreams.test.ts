/** What is remembered of dreams that came to nothing, and what follows from it. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  blockToSetAside,
  isPaused,
  needsFallback,
  refusedAfter,
  REFUSALS_MAX,
  type TriedDream,
} from '#core/dreams/failed-dreams.ts';
import type { ErrorCode } from '#core/error-codes.ts';
import type { SubjectRecord } from '#core/records/subject-record.ts';
import { NOW } from '#test/conformance/samples.ts';

type Refused = SubjectRecord['refused'];
type Ended = Omit<TriedDream, 'dreamId'>;

const OLDEST = { path: 'memory/2026-11-01.md', version: 2 };
const USELESS: Ended = { outcome: 'LowGrounding', oldest: OLDEST };
const failed = (code: ErrorCode): Ended => ({ outcome: 'Failed', code, oldest: OLDEST });

/** After nights that each end so; a block comes before each of them where `isDaily` is true. */
function after(nights: readonly Ended[], { isDaily = false, refused = null as Refused } = {}) {
  let record = { refused, announcedAt: NOW };
  for (const [night, ended] of nights.entries()) {
    const dreamId = `night-${String(night)}`;
    const before = { ...record, announcedAt: isDaily ? NOW + night : NOW };
    record = { ...before, refused: refusedAfter(before, { ...ended, dreamId }) };
  }
  return record;
}

const nightsOf = (ended: Ended, count = REFUSALS_MAX) => Array.from({ length: count }, () => ended);

describe('a dream that came to nothing', () => {
  test.each<[string, Ended, 'answers' | 'failures' | null]>([
    ['an answer without grounds', USELESS, 'answers'],
    ['an answer that cannot be read', failed('MODEL_OUTPUT_INVALID'), 'answers'],
    ['a call that took too long', failed('TIMEOUT'), 'failures'],
    ['a provider that is away', failed('PROVIDER_ERROR'), null],
    ['a provider that refused for its rate', failed('RATE_LIMITED'), null],
    ['a provider that refused', failed('PROVIDER_REJECTED'), null],
    ['a key that is none', failed('UNAUTHENTICATED'), null],
    ['a budget that ended', { outcome: 'BudgetExhausted', oldest: OLDEST }, null],
    ['a failure before any call', { outcome: 'Failed', code: 'PROVIDER_ERROR' }, null],
  ])('counts as it may have been paid for: %s', (_, ended, counted) => {
    const { refused } = after([ended]);
    const none = { answers: 0, failures: 0 };
    expect(refused).toEqual(
      counted === null
        ? null
        : { dreamId: 'night-0', announcedAt: NOW, ...OLDEST, ...none, [counted]: 1 },
    );
  });

  test.each([false, true])(
    'has a fixture-in, then its oldest block is set aside, with a block a day: %j',
    (isDaily) => {
      const before = after(nightsOf(USELESS, REFUSALS_MAX - 1), { isDaily });
      expect(needsFallback(before, OLDEST)).toBe(false);
      const record = after(nightsOf(USELESS), { isDaily });
      expect(needsFallback(record, OLDEST)).toBe(true);
      expect(needsFallback(record, { ...OLDEST, version: 3 })).toBe(false);
      expect(blockToSetAside(record)).toBeNull();
      expect(isPaused(record)).toBe(false);
      const last = after(nightsOf(USELESS, REFUSALS_MAX + 1), { isDaily });
      expect(blockToSetAside(last)).toEqual(OLDEST);
      expect(isPaused(last)).toBe(false);
    },
  );

  test('of another oldest block is counted again', () => {
    const other = { ...USELESS, oldest: { ...OLDEST, version: 3 } };
    const { refused } = after([...nightsOf(USELESS), other]);
    expect(refused).toMatchObject({ version: 3, answers: 1 });
  });

  test('for want of an answer pauses until a block comes, and sets none aside', () => {
    const before = after(nightsOf(failed('TIMEOUT'), REFUSALS_MAX - 1));
    expect(isPaused(before)).toBe(false);
    const record = after(nightsOf(failed('TIMEOUT')));
    expect(isPaused(record)).toBe(true);
    expect(blockToSetAside(record)).toBeNull();
    expect(isPaused({ ...record, announcedAt: NOW + 1 })).toBe(false);
  });

  test('an answer ends a row of failures', () => {
    const twice = nightsOf(failed('TIMEOUT'), REFUSALS_MAX - 1);
    expect(isPaused(after([...twice, USELESS, failed('TIMEOUT')]))).toBe(false);
  });

  test('is counted once, however often its end is told', () => {
    const ended = { ...USELESS, dreamId: 'night-0' };
    const record = after([USELESS]);
    expect(refusedAfter(record, ended)).toEqual(record.refused);
  });

  test.each(['Dreamed', 'Unchanged', 'Waiting'] as const)(
    'is forgotten after one that ends as %s',
    (outcome) => {
      expect(after([...nightsOf(USELESS), { outcome }]).refused).toBeNull();
    },
  );

  test('what costs nothing changes nothing', () => {
    const free = fc.constantFrom<Ended>(
      failed('RATE_LIMITED'),
      { outcome: 'NothingNew' },
      { outcome: 'SameContent' },
      { outcome: 'DeadLettered' },
    );
    const { refused } = after([USELESS]);
    fc.assert(
      fc.property(fc.array(free, { maxLength: 9 }), (nights) => {
        expect(after(nights, { refused }).refused).toEqual(refused);
      }),
    );
  });
});
