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
  test('are created once, and then nothing more is written', async () => {
    const server = scheduleServer();
    expect(await ensure(server)).toEqual({ ...TICK, kind: 'Created' });
    expect([await ensure(server), await ensure(server)]).toEqual([KEPT, KEPT]);
    expect(server.state.writes).toBe(1);
  });

  test.each<[string, (server: ScheduleServer) => void]>([
    ['the interval', (server) => server.change((found) => ({ ...found, spec: { interval: [] } }))],
    [
      'an added cron line',
      (server) =>
        server.change((found) => ({ ...found, spec: { ...found.spec, cronString: ['@hourly'] } })),
    ],
    [
      'the workflow',
      (server) =>
        server.change((found) => ({
          ...found,
          action: {
            startWorkflow: { ...found.action?.startWorkflow, workflowType: { name: 'another' } },
          },
        })),
    ],
    [
      'the overlap policy',
      (server) =>
        server.change((found) => ({
          ...found,
          policies: { ...found.policies, overlapPolicy: ALLOW_ALL },
        })),
    ],
  ])('are corrected after drift of %s', async (_, drift) => {
    const server = scheduleServer();
    await ensure(server);
    const made = server.state.schedule;
    drift(server);
    expect(await ensure(server)).toEqual({ ...TICK, kind: 'Corrected', cause: 'Drift' });
    expect({ ...server.state.schedule, state: null }).toEqual({ ...made, state: null });
    expect(await ensure(server)).toEqual(KEPT);
  });

  test('do not count a new declaration as drift', async () => {
    const server = scheduleServer();
    await ensure(server);
    const corrected = { ...TICK, kind: 'Corrected', cause: 'Declaration' };
    expect(await ensure(server, { everyMs: 2 * HOUR_MS })).toEqual(corrected);
  });

  test('stay paused by a person, even when corrected', async () => {
    const server = scheduleServer();
    await ensure(server);
    pausedBy(server, 'maintenance');
    expect(await ensure(server)).toEqual({ ...KEPT, isPaused: true });
    await ensure(server, { everyMs: 2 * HOUR_MS });
    expect(server.state.schedule?.state).toEqual({ paused: true, notes: 'maintenance' });
  });

  test('record the term of each leader once, which is no change', async () => {
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
  ])('are not changed by a leader of an earlier term that %s', async (_, everyMs) => {
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

  test('are not changed by a leader that stood still until a later term', async () => {
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

  test('have no term if someone overwrote it with text', async () => {
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

  test('of another installation are reported and left alone', async () => {
    const server = scheduleServer();
    await ensure(server, { owner: 'b' });
    const version = server.state.version;
    const foreign = { ...TICK, kind: 'Foreign', owner: 'b' };
    expect(await ensure(server, { everyMs: 2 * HOUR_MS })).toEqual(foreign);
    expect(server.state.version).toBe(version);
  });

  test('stay paused if a person pauses one during a correction', async () => {
    const server = scheduleServer();
    await ensure(server);
    server.meanwhile.push(() => pausedBy(server, 'stop'));
    await ensure(server, { everyMs: 2 * HOUR_MS });
    expect(server.state.schedule?.state).toEqual({ paused: true, notes: 'stop' });
    expect(await ensure(server, { everyMs: 2 * HOUR_MS })).toEqual({ ...KEPT, isPaused: true });
  });

  test('are kept as created first if two leaders create them at once', async () => {
    const server = scheduleServer();
    const both = await Promise.all([ensure(server), ensure(server)]);
    expect(both).toEqual([{ ...TICK, kind: 'Created' }, KEPT]);
  });

  test('fail with a conflict if someone keeps changing one', async () => {
    const server = scheduleServer();
    await ensure(server);
    const noise = () => pausedBy(server, 'again');
    server.meanwhile.push(noise, noise, noise, noise);
    await expect(ensure(server, { everyMs: 2 * HOUR_MS })).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { schedule: REFRESH_TICK_SCHEDULE },
    });
  });

  test('are still created if someone keeps changing another one', async () => {
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
  ])('are created even if search attributes are %s', async (...row) => {
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
