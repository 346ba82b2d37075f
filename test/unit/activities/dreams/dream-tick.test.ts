/** The tick: which subjects a round makes dream, how often, and how the round reports its end. */
import { describe, expect, test } from 'vitest';
import type { DreamInput } from '#core/dreams/dream-contract.ts';
import type { DreamRuns } from '#core/ports/dream-runs.ts';
import { NO_METRICS } from '#core/ports/metrics.ts';
import type { DreamOutcome } from '#core/records/dream-outcome.ts';
import { ALL_SUBJECTS, type DreamPolicy } from '#core/records/dream-policy.ts';
import { ROUND_MS_MAX, type DreamSchedule } from '#core/records/dream-schedule.ts';
import { subjectIdOf, subjectOf } from '../../../conformance/document-samples.ts';
import { dreamPolicy, newSchedule } from '../../../conformance/dream-samples.ts';
import { DAY_MS, HOUR_MS, NOW, ownerOf, MINUTE_MS } from '../../../conformance/samples.ts';
import { openDreamFixture, TENANT, type DreamFixture } from './dream-fixture.ts';

/** What one tick starts of one round. */
const PER_TICK = 200;
/** Two pages of a round. */
const ALL = 55;
const STEPS_MAX = 200;

/** Runs that end when a test says so; one open for a subject, as in Temporal. */
function openRuns(refused: ReadonlySet<string> = new Set()) {
  const open = new Map<string, DreamInput>();
  const begun: DreamInput[] = [];
  const runs: DreamRuns = {
    start: async (input) => {
      if (refused.has(input.subjectId)) throw new Error('No run for this subject.');
      const there = open.get(input.subjectId);
      if (there !== undefined) return there.dreamId === input.dreamId ? 'Started' : 'Running';
      open.set(input.subjectId, input);
      begun.push(input);
      return 'Started';
    },
    apply: async () => 'Started',
  };
  return { runs, open, begun };
}

async function openTick(
  dreams: readonly Partial<DreamPolicy>[] = [{}],
  refused?: ReadonlySet<string>,
) {
  const runs = openRuns(refused);
  const fixture = await openDreamFixture({ runs: runs.runs });
  await declareRounds(fixture, dreams.map(dreamPolicy));
  const tick = async (): Promise<number> => (await fixture.activities().startDueDreams()).started;
  return Object.assign(fixture, { ...runs, tick });
}

type Tick = Awaited<ReturnType<typeof openTick>>;

function endOf(tick: Tick, dream: DreamInput, outcome: DreamOutcome): Promise<void> {
  return tick.activities().endDream({ ...dream, outcome });
}

const keysOf = (count: number) =>
  Array.from({ length: count }, (_, n) => `user/${String(n).padStart(4, '0')}`);

describe('the tick of dreams', () => {
  test('starts nothing early, and starts each subject with something new on time', async () => {
    await using tick = await openTick();
    await addSubjects(tick, ['agent/bot', 'user/ann']);
    tick.advance(THREE - NOW - 1);
    expect(await tick.tick()).toBe(0);
    tick.advance(1);
    expect(await tick.tick()).toBe(2);
    expect(tick.begun.map(({ subjectId }) => subjectId)).toEqual([subjectIdOf(0), subjectIdOf(1)]);
    expect(tick.begun[0]).toMatchObject({
      tenant: TENANT,
      round: { dream: 'nightly', at: THREE },
      lookbackDays: null,
    });
    expect(await scheduleOf(tick)).toMatchObject({
      nextAt: THREE + DAY_MS,
      startedAfter: null,
      last: { at: THREE, started: 2, endedAt: null },
    });
    expect(await tick.tick()).toBe(0);
    expect(tick.begun).toHaveLength(2);
  });

  test('makes up for one of several missed times and schedules the next', async () => {
    await using tick = await openTick();
    await addSubjects(tick, ['user/ann']);
    tick.advance(5 * DAY_MS);
    expect(await tick.tick()).toBe(1);
    expect(await tick.tick()).toBe(0);
    expect((await scheduleOf(tick)).nextAt).toBe(THREE + 5 * DAY_MS);
  });

  test('ends a round at once if no subject has anything new', async () => {
    await using tick = await openTick();
    tick.advance(THREE - NOW);
    expect(await tick.tick()).toBe(0);
    expect(await scheduleOf(tick)).toMatchObject({
      startedAfter: null,
      last: { at: THREE, started: 0, outcomes: {}, endedAt: THREE },
    });
  });

  test.each<[string, Partial<DreamPolicy>, readonly string[]]>([
    ['all', {}, ['agent/bot', 'user/ann', 'user/bob']],
    ['all users', { agents: [] }, ['user/ann', 'user/bob']],
    ['one user', { agents: [], users: ['bob'] }, ['user/bob']],
    ['agents', { users: [] }, ['agent/bot']],
    ['nobody', { agents: [], users: [] }, []],
  ])('starts the subjects that the DeepDream names: %s', async (_, dream, expected) => {
    await using tick = await openTick([dream]);
    const keys = ['agent/bot', 'user/ann', 'user/bob'];
    await addSubjects(tick, keys);
    tick.advance(THREE - NOW);
    await tick.tick();
    const started = tick.begun.map(
      ({ subjectId }) => keys[keys.findIndex((__, n) => subjectIdOf(n) === subjectId)],
    );
    expect(started).toEqual(expected);
  });

  test('starts one dream for a subject that two DeepDreams name', async () => {
    await using tick = await openTick([{ name: 'a' }, { name: 'b', users: [ALL_SUBJECTS] }]);
    await addSubjects(tick, ['user/ann']);
    const later = { ...(await scheduleOf(tick, 'a')), nextAt: THREE + HOUR_MS, version: 2 };
    await tick.opened.store.dreamSchedules.put(later);
    tick.advance(THREE - NOW);
    expect(await tick.tick()).toBe(0);
    tick.advance(HOUR_MS);
    expect(await tick.tick()).toBe(1);
    expect(tick.begun).toMatchObject([{ round: { dream: 'a' } }]);
  });

  test('starts a limited number per tick and the rest with later ticks, each once', async () => {
    await using tick = await openTick();
    await addSubjects(tick, keysOf(PER_TICK + 30));
    tick.advance(THREE - NOW);
    expect(await tick.tick()).toBe(PER_TICK);
    expect((await scheduleOf(tick)).startedAfter).toBe(keysOf(PER_TICK).at(-1));
    expect(await tick.tick()).toBe(30);
    expect(await tick.tick()).toBe(0);
    expect(new Set(tick.begun.map(({ subjectId }) => subjectId)).size).toBe(PER_TICK + 30);
    expect(await scheduleOf(tick)).toMatchObject({
      startedAfter: null,
      last: { started: PER_TICK + 30 },
    });
  });

  test('starts the other subjects if one cannot be started', async () => {
    await using tick = await openTick([{}], new Set([subjectIdOf(0)]));
    await addSubjects(tick, ['user/ann', 'user/bob']);
    tick.advance(THREE - NOW);
    expect(await tick.tick()).toBe(1);
    expect(await scheduleOf(tick)).toMatchObject({ startedAfter: null, last: { started: 1 } });
  });

  test('runs the other DeepDreams if the schedule of one is invalid', async () => {
    await using tick = await openTick([
      { name: 'a', users: [], cron: 'at night' },
      { name: 'b', agents: [] },
    ]);
    await addSubjects(tick, ['user/ann']);
    tick.advance(THREE - NOW);
    expect(await tick.tick()).toBe(1);
  });

  test('does not count a dream started on request as part of the round', async () => {
    await using tick = await openTick();
    await addSubjects(tick, ['user/ann']);
    const asked = { tenant: TENANT, subjectId: subjectIdOf(0), dreamId: 'asked' };
    await tick.runs.start({ ...asked, round: null, lookbackDays: 7 });
    tick.advance(THREE - NOW);
    expect(await tick.tick()).toBe(0);
    expect(await scheduleOf(tick)).toMatchObject({ last: { started: 0, endedAt: THREE } });
  });

  test.each(['released', 'no longer declared'])(
    'starts nothing for a tenant or DeepDream that is %s, and does not look at it again',
    async (how) => {
      await using tick = await openTick();
      await addSubjects(tick, ['user/ann']);
      const { policies, dreamSchedules } = tick.opened.store;
      if (how === 'released') await policies.release(TENANT, ownerOf('test'), { now: NOW });
      else await tick.declare({ dreams: [] });
      tick.advance(THREE - NOW);
      expect(await tick.tick()).toBe(0);
      expect(tick.begun).toEqual([]);
      expect(await dreamSchedules.due({ now: tick.now() + DAY_MS, limit: 9 })).toEqual([]);
    },
  );
});

describe('a round', () => {
  test('counts the outcome of each dream once and ends with the last', async () => {
    await using tick = await openTick();
    await addSubjects(tick, ['user/ann', 'user/bob']);
    tick.advance(THREE - NOW);
    await tick.tick();
    const [ann, bob] = tick.begun;
    if (ann === undefined || bob === undefined) throw new Error('Two dreams were expected.');
    await endOf(tick, ann, 'Dreamed');
    await endOf(tick, ann, 'Dreamed');
    const outcomes = { Dreamed: 1 };
    expect(await scheduleOf(tick)).toMatchObject({ last: { outcomes, endedAt: null } });
    tick.advance(1);
    await endOf(tick, bob, 'Failed');
    await endOf(tick, ann, 'Dreamed');
    expect(await scheduleOf(tick)).toMatchObject({
      last: { started: 2, outcomes: { Dreamed: 1, Failed: 1 }, endedAt: THREE + 1 },
    });
  });

  test('does not count a dream of the previous round or of none', async () => {
    await using tick = await openTick();
    await addSubjects(tick, ['user/ann']);
    tick.advance(THREE - NOW);
    await tick.tick();
    const [ann] = tick.begun;
    if (ann === undefined) throw new Error('A dream was expected.');
    tick.advance(DAY_MS);
    await tick.tick();
    await endOf(tick, ann, 'Failed');
    await endOf(tick, { ...ann, dreamId: 'asked', round: null }, 'Dreamed');
    expect((await scheduleOf(tick)).last?.outcomes).toEqual({});
    const subject = await tick.opened.store.subjects.byId(TENANT, ann.subjectId);
    expect(subject?.last).toMatchObject({ outcome: 'Dreamed', dreamId: 'asked' });
  });

  test('starts each subject once after a tick that died at any write', async () => {
    let deaths = 0;
    for (let step = 0; step < STEPS_MAX; step += 1) {
      await using tick = await openTick();
      await addSubjects(tick, keysOf(ALL));
      tick.advance(THREE - NOW);
      tick.opened.crashAt(step);
      await tick.tick().catch(() => undefined);
      const hasCrashed = tick.opened.hasCrashed();
      await tick.opened.reopen();
      // Some end before the next tick, with something new left or not.
      const ended = tick.begun.slice(0, 2);
      for (const dream of ended) {
        await endOf(tick, dream, 'Dreamed');
        tick.open.delete(dream.subjectId);
      }
      const [quiet] = ended;
      const subject = quiet && (await tick.opened.store.subjects.byId(TENANT, quiet.subjectId));
      if (subject) {
        await tick.opened.store.subjects.put({
          ...subject,
          hasNew: false,
          version: subject.version + 1,
        });
      }
      await tick.tick();
      const ids = tick.begun.map(({ dreamId }) => dreamId);
      expect(new Set(ids).size, `death at step ${String(step)}`).toBe(ids.length);
      expect(ids.length).toBe(ALL);
      for (const dream of tick.begun.slice(ended.length)) await endOf(tick, dream, 'Dreamed');
      const last = { started: ALL, outcomes: { Dreamed: ALL }, endedAt: THREE };
      expect(await scheduleOf(tick), `death at step ${String(step)}`).toMatchObject({ last });
      if (!hasCrashed) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(4);
    expect(deaths).toBeLessThan(STEPS_MAX);
  });
});

const LEAST_MS = 45 * MINUTE_MS;
const FIRST = NOW + MINUTE_MS;
const RUNS: DreamRuns = { start: async () => 'Started', apply: async () => 'Started' };

test('a dream scheduled every minute runs no more often than the platform allows', async () => {
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

describe('a round whose dreams never report their outcome', () => {
  test('stays open until none can still be running, then counts them as failed', async () => {
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

  test('is closed before the next round replaces it', async () => {
    await using round = await openRound();
    round.advance(24 * HOUR_MS);
    await round.tick();
    expect(round.counted).toContainEqual([{ outcome: 'Failed' }, 2]);
    const last = { at: THREE + 24 * HOUR_MS, outcomes: {}, endedAt: null };
    expect(await round.schedule()).toMatchObject({ last });
  });

  test('has its full time from its actual start if it started late', async () => {
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

  test('is closed for a released tenant too, and not found again', async () => {
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

/** Rounds of dreams on a fixture: declared, due at three in the morning of its first day. */
export const THREE = NOW + 3 * HOUR_MS;

async function declareRounds(fixture: DreamFixture, dreams: readonly DreamPolicy[]): Promise<void> {
  await fixture.declare({ dreams: [...dreams] });
  const { dreamSchedules } = fixture.opened.store;
  for (const dream of dreams) await dreamSchedules.put(newSchedule(TENANT, dream, THREE));
}

/** Subjects with something new, and one besides that has nothing. */
async function addSubjects({ opened }: DreamFixture, subjects: readonly string[]): Promise<void> {
  const records = opened.store.subjects;
  for (const [n, subject] of subjects.entries()) {
    await records.put(subjectOf(TENANT, { subject, subjectId: subjectIdOf(n) }));
  }
  const none = { subject: 'user/zoe', subjectId: subjectIdOf(999), hasNew: false };
  await records.put(subjectOf(TENANT, none));
}

export async function scheduleOf(
  { opened }: DreamFixture,
  name = 'nightly',
): Promise<DreamSchedule> {
  const schedule = await opened.store.dreamSchedules.get(TENANT, name);
  if (schedule === null) throw new Error('There is no schedule.');
  return schedule;
}
