/** The next time of a dream under the platform's minimum interval. */
import { describe, expect, test } from 'vitest';
import type { DreamSchedule } from '#core/records/dream-schedule.ts';
import { scheduleChanges } from '#core/dreams/schedule-changes.ts';
import { dreamPolicy, newSchedule } from '#test/conformance/dream-samples.ts';
import { calendar, NOW } from '../../operator/policy-store.ts';
import { digest } from '#test/conformance/samples.ts';

const MINUTE_MS = 60_000;
const LEAST_MS = 45 * MINUTE_MS;
const DREAM = dreamPolicy({ cron: '* * * * *' });

/** Its last time was a minute ago. */
function stored(nextAt: number | null): DreamSchedule {
  const at = NOW - MINUTE_MS;
  const round = { at, started: 0, outcomes: {}, counted: [], startedAt: at, endedAt: at };
  return { ...newSchedule('acme', DREAM, NOW), nextAt, last: round };
}

function nextAfter(record: DreamSchedule, leastIntervalMs: number | undefined): number | null {
  const declared = {
    tenant: 'acme',
    dreams: [DREAM],
    generation: record.policyGeneration,
    leastIntervalMs,
  };
  const [change] = scheduleChanges(declared, [record], { now: NOW, calendar, digest });
  return change?.kind === 'Put' ? change.schedule.nextAt : record.nextAt;
}

describe('the schedule of a dream under the least interval', () => {
  test.each<[string, number | null, number | undefined, number]>([
    ['a due dream waits for the interval', NOW, LEAST_MS, NOW - MINUTE_MS + LEAST_MS],
    [
      'a dream that comes too soon is postponed',
      NOW + MINUTE_MS,
      LEAST_MS,
      NOW - MINUTE_MS + LEAST_MS,
    ],
    [
      'a dream that was already postponed stays',
      NOW - MINUTE_MS + LEAST_MS,
      LEAST_MS,
      NOW - MINUTE_MS + LEAST_MS,
    ],
    [
      'a dream that was postponed too far is corrected',
      NOW + 2 * LEAST_MS,
      LEAST_MS,
      NOW - MINUTE_MS + LEAST_MS,
    ],
    ['without an interval the next time follows cron', NOW + LEAST_MS, undefined, NOW + MINUTE_MS],
    ['without an interval a due dream is left to be started', NOW, undefined, NOW],
  ])('%s', (_, nextAt, leastMs, expected) => {
    expect(nextAfter(stored(nextAt), leastMs)).toBe(expected);
  });

  test('a dream does not wait before its first time', () => {
    const fresh = newSchedule('acme', DREAM, NOW + MINUTE_MS);
    expect(nextAfter(fresh, LEAST_MS)).toBe(NOW + MINUTE_MS);
  });
});
