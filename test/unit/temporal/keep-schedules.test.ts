import { defaultPayloadConverter } from '@temporalio/common';
import protocol from '@temporalio/proto';
import { describe, expect, test } from 'vitest';
import { REFRESH_TICK_SCHEDULE } from '#core/refresh/refresh-contract.ts';
import { declaredSchedules } from '#providers/temporal/schedule-definitions.ts';
import { createInstallationSchedules } from '#providers/temporal/keep-schedules.ts';
import { scheduleServer, type ScheduleServer } from './schedule-server.ts';

const { SCHEDULE_OVERLAP_POLICY_ALLOW_ALL: ALLOW_ALL } =
  protocol.temporal.api.enums.v1.ScheduleOverlapPolicy;
const HOUR_MS = 3_600_000;
const TICK = { schedule: REFRESH_TICK_SCHEDULE };
const KEPT = { ...TICK, kind: 'Kept', isPaused: false };

/** One schedule: the server of these tests has no more. */
function refreshTick(everyMs = HOUR_MS) {
  return declaredSchedules(everyMs).filter(({ id }) => id === REFRESH_TICK_SCHEDULE);
}

interface Asking {
  readonly owner?: string;
  readonly everyMs?: number;
  readonly term?: number;
}

async function ensure(server: ScheduleServer, { owner = 'a', everyMs, term }: Asking = {}) {
  const { connection } = server;
  const schedules = refreshTick(everyMs);
  const options = { connection, namespace: 'default', owner, schedules, searchAttributes: {} };
  const [outcome] = (await createInstallationSchedules(options).ensure(term)).schedules;
  return outcome;
}

function pausedBy(server: ScheduleServer, note: string): void {
  server.change((schedule) => ({ ...schedule, state: { paused: true, notes: note } }));
}

describe('the schedules of an installation', () => {
  test('made once, and then nothing is written any more', async () => {
    const server = scheduleServer();
    expect(await ensure(server)).toEqual({ ...TICK, kind: 'Created' });
    expect([await ensure(server), await ensure(server)]).toEqual([KEPT, KEPT]);
    expect(server.state.writes).toBe(1);
  });

  test.each<[string, (server: ScheduleServer) => void]>([
    ['its interval', (server) => server.change((found) => ({ ...found, spec: { interval: [] } }))],
    [
      'a cron line beside it',
      (server) =>
        server.change((found) => ({ ...found, spec: { ...found.spec, cronString: ['@hourly'] } })),
    ],
    [
      'its workflow',
      (server) =>
        server.change((found) => ({
          ...found,
          action: {
            startWorkflow: { ...found.action?.startWorkflow, workflowType: { name: 'another' } },
          },
        })),
    ],
    [
      'what it does when it meets itself',
      (server) =>
        server.change((found) => ({
          ...found,
          policies: { ...found.policies, overlapPolicy: ALLOW_ALL },
        })),
    ],
  ])('drift is fixed: %s', async (_, drift) => {
    const server = scheduleServer();
    await ensure(server);
    const made = server.state.schedule;
    drift(server);
    expect(await ensure(server)).toEqual({ ...TICK, kind: 'Corrected', cause: 'Drift' });
    expect({ ...server.state.schedule, state: null }).toEqual({ ...made, state: null });
    expect(await ensure(server)).toEqual(KEPT);
  });

  test('what is declared again is no drift', async () => {
    const server = scheduleServer();
    await ensure(server);
    const corrected = { ...TICK, kind: 'Corrected', cause: 'Declaration' };
    expect(await ensure(server, { everyMs: 2 * HOUR_MS })).toEqual(corrected);
  });

  test('what a person paused stays paused, also when it is fixed', async () => {
    const server = scheduleServer();
    await ensure(server);
    pausedBy(server, 'maintenance');
    expect(await ensure(server)).toEqual({ ...KEPT, isPaused: true });
    await ensure(server, { everyMs: 2 * HOUR_MS });
    expect(server.state.schedule?.state).toEqual({ paused: true, notes: 'maintenance' });
  });

  test('each leader notes its term once, and that is no change of what is declared', async () => {
    const server = scheduleServer();
    await ensure(server, { term: 3 });
    pausedBy(server, 'maintenance');
    const kept = { ...KEPT, isPaused: true };
    for (const term of [4, 4, 4]) expect(await ensure(server, { term })).toEqual(kept);
    expect(server.state.writes).toBe(2);
  });

  test.each([
    ['declares something else', 2 * HOUR_MS],
    ['declares the same', HOUR_MS],
  ])('a leader of an earlier term that %s changes nothing', async (_, everyMs) => {
    const server = scheduleServer();
    await ensure(server, { term: 3 });
    await ensure(server, { term: 4 });
    const before = server.state.schedule;
    const fenced = { ...TICK, kind: 'Fenced', term: 4 };
    for (const term of [3, undefined]) {
      expect(await ensure(server, { everyMs, ...(term && { term }) })).toEqual(fenced);
    }
    expect([server.state.schedule, server.state.writes]).toEqual([before, 2]);
  });

  test('a leader that stood still before its write changes nothing of a later one', async () => {
    const server = scheduleServer();
    await ensure(server, { term: 3 });
    const later: unknown[] = [];
    server.meanwhile.push(async () => {
      later.push(await ensure(server, { term: 4 }));
    });
    const earlier = await ensure(server, { term: 3, everyMs: 2 * HOUR_MS });
    expect([...later, earlier]).toEqual([KEPT, { ...TICK, kind: 'Fenced', term: 4 }]);
    expect(await ensure(server, { term: 4 })).toEqual(KEPT);
  });

  test('a term that someone wrote over with words counts as none', async () => {
    const server = scheduleServer();
    await ensure(server, { term: 3 });
    const words = defaultPayloadConverter.toPayload('soon');
    server.change((found) => {
      const startWorkflow = found.action?.startWorkflow;
      const fields = { ...startWorkflow?.memo?.fields, varveTerm: words };
      return { ...found, action: { startWorkflow: { ...startWorkflow, memo: { fields } } } };
    });
    expect(await ensure(server, { term: 1 })).toEqual(KEPT);
  });

  test('the schedule of another installation is told of and not touched', async () => {
    const server = scheduleServer();
    await ensure(server, { owner: 'b' });
    const version = server.state.version;
    const foreign = { ...TICK, kind: 'Foreign', owner: 'b' };
    expect(await ensure(server, { everyMs: 2 * HOUR_MS })).toEqual(foreign);
    expect(server.state.version).toBe(version);
  });

  test('a person who pauses it while it is fixed is not overruled', async () => {
    const server = scheduleServer();
    await ensure(server);
    server.meanwhile.push(() => pausedBy(server, 'stop'));
    await ensure(server, { everyMs: 2 * HOUR_MS });
    expect(server.state.schedule?.state).toEqual({ paused: true, notes: 'stop' });
    expect(await ensure(server, { everyMs: 2 * HOUR_MS })).toEqual({ ...KEPT, isPaused: true });
  });

  test('of two that make it at once, the second keeps what the first made', async () => {
    const server = scheduleServer();
    const both = await Promise.all([ensure(server), ensure(server)]);
    expect(both).toEqual([{ ...TICK, kind: 'Created' }, KEPT]);
  });

  test('what someone keeps changing is a conflict, tried again later', async () => {
    const server = scheduleServer();
    await ensure(server);
    const noise = () => pausedBy(server, 'again');
    server.meanwhile.push(noise, noise, noise, noise);
    await expect(ensure(server, { everyMs: 2 * HOUR_MS })).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { schedule: REFRESH_TICK_SCHEDULE },
    });
  });

  test('one that someone keeps changing holds up none of the others', async () => {
    const server = scheduleServer();
    await ensure(server);
    const noise = () => pausedBy(server, 'again');
    server.meanwhile.push(noise, noise, noise);
    const { connection } = server;
    const schedules = declaredSchedules(2 * HOUR_MS).slice(0, 2);
    const options = { connection, namespace: 'default', owner: 'a', schedules };
    const ensured = createInstallationSchedules({ ...options, searchAttributes: {} }).ensure();
    await expect(ensured).rejects.toMatchObject({ details: { schedule: REFRESH_TICK_SCHEDULE } });
    // The server of these tests has one place, which the second schedule has now.
    expect(server.state.schedule?.action?.startWorkflow?.workflowType?.name).toBe('dreamTick');
  });

  test.each<[string, number, string]>([
    ['not allowed', 7, 'outcome'],
    ['not offered', 12, 'outcome'],
    ['not reached', 14, 'PROVIDER_ERROR'],
    ['too busy', 8, 'RATE_LIMITED'],
  ])('search attributes are %s: the schedules stand all the same', async (...row) => {
    const [, code, expected] = row;
    const server = scheduleServer(code);
    const searchAttributes = { Tenant: 'Keyword', PendingCount: 'Int' };
    const { connection } = server;
    const options = {
      connection,
      namespace: 'default',
      owner: 'a',
      schedules: refreshTick(),
    };
    const ensured = createInstallationSchedules({ ...options, searchAttributes }).ensure();
    if (expected === 'outcome') {
      expect((await ensured).searchAttributes.conflicting).toEqual([
        expect.stringContaining('Tenant (Keyword), PendingCount (Int)'),
      ]);
    } else await expect(ensured).rejects.toMatchObject({ code: expected });
    expect(server.state.schedule).not.toBeNull();
  });
});
