/** Dreams under the least interval of the platform: when their next time is. */
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
    ['one that is due waits for it', NOW, LEAST_MS, NOW - MINUTE_MS + LEAST_MS],
    ['one that comes too soon is moved', NOW + MINUTE_MS, LEAST_MS, NOW - MINUTE_MS + LEAST_MS],
    ['one that it moved stays', NOW - MINUTE_MS + LEAST_MS, LEAST_MS, NOW - MINUTE_MS + LEAST_MS],
    [
      'one that somebody put off is put right',
      NOW + 2 * LEAST_MS,
      LEAST_MS,
      NOW - MINUTE_MS + LEAST_MS,
    ],
    ['without it the next time is that of cron', NOW + LEAST_MS, undefined, NOW + MINUTE_MS],
    ['without it one that is due is left to who starts it', NOW, undefined, NOW],
  ])('%s', (_, nextAt, leastMs, expected) => {
    expect(nextAfter(stored(nextAt), leastMs)).toBe(expected);
  });

  test('before its first time a dream waits for nothing', () => {
    const fresh = newSchedule('acme', DREAM, NOW + MINUTE_MS);
    expect(nextAfter(fresh, LEAST_MS)).toBe(NOW + MINUTE_MS);
  });
});
