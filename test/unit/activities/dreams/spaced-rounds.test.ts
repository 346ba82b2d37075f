/** Rounds of dreams under the least interval of the platform. */
import { expect, test } from 'vitest';
import type { DreamRuns } from '#core/ports/dream-runs.ts';
import { dreamPolicy, newSchedule } from '#test/conformance/dream-samples.ts';
import { MINUTE_MS, NOW } from '#test/conformance/samples.ts';
import { scheduleOf } from './dream-rounds.ts';
import { openDreamStand, TENANT } from './dream-stand.ts';

const LEAST_MS = 45 * MINUTE_MS;
const FIRST = NOW + MINUTE_MS;
const RUNS: DreamRuns = { start: async () => 'Started', apply: async () => 'Started' };

test('a dream of every minute comes no more often than the platform allows', async () => {
  await using stand = await openDreamStand({ runs: RUNS });
  const dream = dreamPolicy({ cron: '* * * * *' });
  await stand.declare({ dreams: [dream], leastIntervalMs: LEAST_MS });
  await stand.opened.store.dreamSchedules.put(newSchedule(TENANT, dream, FIRST));
  const rounds: (number | undefined)[] = [];
  for (let minute = 1; minute <= 92; minute += 1) {
    stand.advance(MINUTE_MS);
    await stand.activities().startDueDreams();
    const { last } = await scheduleOf(stand);
    if (rounds.at(-1) !== last?.at) rounds.push(last?.at);
  }
  expect(rounds).toEqual([FIRST, FIRST + LEAST_MS, FIRST + 2 * LEAST_MS]);
});
