/** A round of which a dream never tells how it ended. */
import { describe, expect, test } from 'vitest';
import type { DreamInput } from '#core/dreams/dream-contract.ts';
import { NO_METRICS } from '#core/ports/metrics.ts';
import { ROUND_MS_MAX } from '#core/records/dream-schedule.ts';
import { dreamPolicy } from '#test/conformance/dream-samples.ts';
import { HOUR_MS, NOW, ownerOf } from '#test/conformance/samples.ts';
import { addSubjects, declareRounds, scheduleOf, THREE } from './dream-rounds.ts';
import { openDreamFixture, TENANT } from './dream-fixture.ts';

/** Three dreams were started by a round, and one has ended. */
async function openRound() {
  const begun: DreamInput[] = [];
  const counted: [unknown, number | undefined][] = [];
  const fixture = await openDreamFixture({
    runs: {
      start: async (input) => {
        begun.push(input);
        return 'Started';
      },
      apply: async () => 'Started',
    },
    metrics: { ...NO_METRICS, count: (_, labels, n) => void counted.push([labels, n]) },
  });
  await declareRounds(fixture, [dreamPolicy()]);
  await addSubjects(fixture, ['user/ann', 'user/bob', 'user/cleo']);
  const tick = () => fixture.activities().startDueDreams();
  const end = (dream: DreamInput | undefined) => {
    if (dream === undefined) throw new Error('A dream was expected.');
    return fixture.activities().endDream({ ...dream, outcome: 'Dreamed' });
  };
  const schedule = () => scheduleOf(fixture);
  fixture.advance(THREE - NOW);
  await tick();
  await end(begun[0]);
  return Object.assign(fixture, { begun, counted, tick, end, schedule });
}

describe('a round of which dreams never tell how they ended', () => {
  test('is at work until none of them can be, then they count as failed', async () => {
    await using round = await openRound();
    round.advance(ROUND_MS_MAX - 1);
    await round.tick();
    const outcomes = { Dreamed: 1 };
    expect(await round.schedule()).toMatchObject({ last: { outcomes, endedAt: null } });
    round.advance(1);
    await round.tick();
    const closed = { outcomes: { Dreamed: 1, Failed: 2 }, endedAt: THREE + ROUND_MS_MAX };
    expect(await round.schedule()).toMatchObject({ last: { started: 3, ...closed } });
    expect(round.counted).toEqual([
      [{ outcome: 'Dreamed' }, 1],
      [{ outcome: 'Failed' }, 2],
    ]);
    const { version } = await round.schedule();
    await round.tick();
    await round.end(round.begun[1]);
    expect(await round.schedule()).toMatchObject({ version, last: closed });
    expect(round.counted).toHaveLength(2);
    expect(round.begun).toHaveLength(3);
  });

  test('is closed before the next one takes its place', async () => {
    await using round = await openRound();
    round.advance(24 * HOUR_MS);
    await round.tick();
    expect(round.counted).toContainEqual([{ outcome: 'Failed' }, 2]);
    const last = { at: THREE + 24 * HOUR_MS, outcomes: {}, endedAt: null };
    expect(await round.schedule()).toMatchObject({ last });
  });

  test('that was late has its whole time from when it started', async () => {
    await using round = await openRound();
    const { dreamSchedules } = round.opened.store;
    // Two days without a tick.
    round.advance(48 * HOUR_MS + 1);
    await round.tick();
    await round.tick();
    const begun = await round.schedule();
    expect(begun).toMatchObject({ last: { at: THREE + 24 * HOUR_MS, endedAt: null } });
    expect(await dreamSchedules.due({ now: round.now(), limit: 9 })).toEqual([]);
  });

  test('of a tenant that was let go of is closed as well, and not found again', async () => {
    await using round = await openRound();
    const { policies, dreamSchedules } = round.opened.store;
    await policies.release(TENANT, ownerOf('test'), { now: NOW });
    round.advance(ROUND_MS_MAX);
    await round.tick();
    const closed = await round.schedule();
    expect(closed.last).toMatchObject({ endedAt: THREE + ROUND_MS_MAX });
    round.advance(24 * HOUR_MS);
    await round.tick();
    expect(await round.schedule()).toMatchObject({ nextAt: null });
    expect(await dreamSchedules.due({ now: round.now() * 2, limit: 9 })).toEqual([]);
  });
});
