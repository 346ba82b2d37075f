/** What is recorded of dreams without a result, and its effects. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  blockToSetAside,
  isSkippedByScheduledDreams,
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
    ['an ungrounded answer', USELESS, 'answers'],
    ['an unreadable answer', failed('MODEL_OUTPUT_INVALID'), 'answers'],
    ['a call that timed out', failed('TIMEOUT'), 'failures'],
    ['an unavailable provider', failed('PROVIDER_ERROR'), null],
    ['a rate limit of the provider', failed('RATE_LIMITED'), null],
    ['a request that the provider rejected', failed('PROVIDER_REJECTED'), null],
    ['an invalid key', failed('UNAUTHENTICATED'), null],
    ['an exhausted budget', { outcome: 'BudgetExhausted', oldest: OLDEST }, null],
    ['a failure before any call', { outcome: 'Failed', code: 'PROVIDER_ERROR' }, null],
  ])('counts only if it may have been paid for: %s', (_, ended, counted) => {
    const { refused } = after([ended]);
    const none = { answers: 0, failures: 0 };
    expect(refused).toEqual(
      counted === null
        ? null
        : { dreamId: 'night-0', announcedAt: NOW, ...OLDEST, ...none, [counted]: 1 },
    );
  });

  test.each([false, true])(
    'leads to a fallback, then its oldest block is set aside (a new block each day: %j)',
    (isDaily) => {
      const before = after(nightsOf(USELESS, REFUSALS_MAX - 1), { isDaily });
      expect(needsFallback(before, OLDEST)).toBe(false);
      const record = after(nightsOf(USELESS), { isDaily });
      expect(needsFallback(record, OLDEST)).toBe(true);
      expect(needsFallback(record, { ...OLDEST, version: 3 })).toBe(false);
      expect(blockToSetAside(record)).toBeNull();
      expect(isSkippedByScheduledDreams(record)).toBe(false);
      const last = after(nightsOf(USELESS, REFUSALS_MAX + 1), { isDaily });
      expect(blockToSetAside(last)).toEqual(OLDEST);
      expect(isSkippedByScheduledDreams(last)).toBe(false);
    },
  );

  test('starts a new count for another oldest block', () => {
    const other = { ...USELESS, oldest: { ...OLDEST, version: 3 } };
    const { refused } = after([...nightsOf(USELESS), other]);
    expect(refused).toMatchObject({ version: 3, answers: 1 });
  });

  test('without an answer pauses until a block arrives, and sets none aside', () => {
    const before = after(nightsOf(failed('TIMEOUT'), REFUSALS_MAX - 1));
    expect(isSkippedByScheduledDreams(before)).toBe(false);
    const record = after(nightsOf(failed('TIMEOUT')));
    expect(isSkippedByScheduledDreams(record)).toBe(true);
    expect(blockToSetAside(record)).toBeNull();
    expect(isSkippedByScheduledDreams({ ...record, announcedAt: NOW + 1 })).toBe(false);
  });

  test('does not pause dreams if an answer came between failures', () => {
    const twice = nightsOf(failed('TIMEOUT'), REFUSALS_MAX - 1);
    expect(isSkippedByScheduledDreams(after([...twice, USELESS, failed('TIMEOUT')]))).toBe(false);
  });

  test('is counted once, however often its end is reported', () => {
    const ended = { ...USELESS, dreamId: 'night-0' };
    const record = after([USELESS]);
    expect(refusedAfter(record, ended)).toEqual(record.refused);
  });

  test.each(['Dreamed', 'Unchanged', 'Waiting'] as const)(
    'is forgotten after a dream that ends as %s',
    (outcome) => {
      expect(after([...nightsOf(USELESS), { outcome }]).refused).toBeNull();
    },
  );

  test('stays counted after dreams that cost nothing', () => {
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
