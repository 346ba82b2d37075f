/** Rounds of dreams under the least interval of the platform. */
import { expect, test } from 'vitest';
import type { DreamRuns } from '#core/ports/dream-runs.ts';
import { dreamPolicy, newSchedule } from '#test/conformance/dream-samples.ts';
import { MINUTE_MS, NOW } from '#test/conformance/samples.ts';
import { scheduleOf } from './dream-rounds.ts';
import { openDreamFixture, TENANT } from './dream-fixture.ts';

const LEAST_MS = 45 * MINUTE_MS;
const FIRST = NOW + MINUTE_MS;
const RUNS: DreamRuns = { start: async () => 'Started', apply: async () => 'Started' };

test('a dream of every minute comes no more often than the platform allows', async () => {
  await using fixture = await openDreamFixture({ runs: RUNS });
  const dream = dreamPolicy({ cron: '* * * * *' });
  await fixture.declare({ dreams: [dream], leastIntervalMs: LEAST_MS });
  await fixture.opened.store.dreamSchedules.put(newSchedule(TENANT, dream, FIRST));
  const rounds: (number | undefined)[] = [];
  for (let minute = 1; minute <= 92; minute += 1) {
    fixture.advance(MINUTE_MS);
    await fixture.activities().startDueDreams();
    const { last } = await scheduleOf(fixture);
    if (rounds.at(-1) !== last?.at) rounds.push(last?.at);
  }
  expect(rounds).toEqual([FIRST, FIRST + LEAST_MS, FIRST + 2 * LEAST_MS]);
});
