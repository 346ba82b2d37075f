/**
 * The schedules of an installation on a real server: created, kept, repaired, and who owns them.
 */
import { Client, Connection } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { REFRESH_TICK_SCHEDULE } from '#core/refresh/refresh-contract.ts';
import { RETENTION_TICK_SCHEDULE } from '#core/retention/retention-contract.ts';
import type { InstallationSchedules } from '#core/ports/installation-schedules.ts';
import { declaredSchedules } from '#providers/temporal/schedule-definitions.ts';
import { createInstallationSchedules } from '#providers/temporal/keep-schedules.ts';
import { SEARCH_ATTRIBUTES } from '#providers/temporal/search-attributes.ts';
import { HOUR_MS } from '#test/conformance/samples.ts';
import { newNamespace, testAddress } from './namespace.ts';

const OURS = 'cluster-1/varve';

interface Fixture extends AsyncDisposable {
  readonly client: Client;
  readonly connection: Connection;
  readonly schedules: (options?: { owner?: string; everyMs?: number }) => InstallationSchedules;
  readonly outcomes: (options?: {
    owner?: string;
    everyMs?: number;
  }) => Promise<readonly unknown[]>;
}

async function fixture(): Promise<Fixture> {
  const namespace = await newNamespace(testAddress());
  const connection = await Connection.connect({ address: testAddress() });
  const client = new Client({ connection, namespace });
  const schedules = ({ owner = OURS, everyMs = HOUR_MS } = {}) =>
    createInstallationSchedules({
      connection,
      namespace,
      owner,
      schedules: declaredSchedules(everyMs),
      searchAttributes: SEARCH_ATTRIBUTES,
    });
  return {
    client,
    connection,
    schedules,
    outcomes: async (options) => {
      const outcomes = (await schedules(options).ensure()).schedules;
      return outcomes.filter(({ schedule }) => schedule === REFRESH_TICK_SCHEDULE);
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

const TICK = { schedule: REFRESH_TICK_SCHEDULE };
const handleOf = ({ client }: Fixture) => client.schedule.getHandle(REFRESH_TICK_SCHEDULE);

async function everyOf(stood: Fixture): Promise<unknown> {
  return (await handleOf(stood).describe()).spec.intervals?.map(({ every }) => every);
}

/** Changes with every write. */
async function versionOf(stood: Fixture): Promise<string> {
  const { raw } = await handleOf(stood).describe();
  return Buffer.from(raw.conflictToken ?? []).toString('hex');
}

describe('the schedules of an installation', () => {
  it('are created with their owner, and then nothing more is written', async () => {
    await using stood = await fixture();
    expect(await stood.outcomes()).toEqual([{ ...TICK, kind: 'Created' }]);
    const { memo, action } = await handleOf(stood).describe();
    expect(memo).toMatchObject({ varveOwner: OURS });
    expect(action).toMatchObject({ workflowType: 'refreshTick', taskQueue: 'varve' });
    const version = await versionOf(stood);
    for (let n = 0; n < 3; n += 1) {
      expect(await stood.outcomes()).toEqual([{ ...TICK, kind: 'Kept', isPaused: false }]);
    }
    expect(await versionOf(stood)).toBe(version);
  });

  it('include an hourly search for old turns', async () => {
    await using stood = await fixture();
    await stood.schedules().ensure();
    const handle = stood.client.schedule.getHandle(RETENTION_TICK_SCHEDULE);
    const { spec, action } = await handle.describe();
    expect(spec.intervals?.map(({ every }) => every)).toEqual([HOUR_MS]);
    expect(action).toMatchObject({ workflowType: 'retentionTick', taskQueue: 'varve' });
  });

  it('are corrected after drift, which is told apart from a new declaration', async () => {
    await using stood = await fixture();
    await stood.outcomes();
    await handleOf(stood).update((found) => ({
      ...found,
      spec: { intervals: [{ every: '7 days' }] },
    }));
    expect(await stood.outcomes()).toEqual([{ ...TICK, kind: 'Corrected', cause: 'Drift' }]);
    expect(await everyOf(stood)).toEqual([HOUR_MS]);
    const twice = { everyMs: 2 * HOUR_MS };
    expect(await stood.outcomes(twice)).toEqual([
      { ...TICK, kind: 'Corrected', cause: 'Declaration' },
    ]);
    expect(await everyOf(stood)).toEqual([2 * HOUR_MS]);
    expect(await stood.outcomes(twice)).toEqual([{ ...TICK, kind: 'Kept', isPaused: false }]);
  });

  it('are created again after a deletion', async () => {
    await using stood = await fixture();
    await stood.outcomes();
    await handleOf(stood).delete();
    await expect
      .poll(() => stood.outcomes(), { timeout: 30_000 })
      .toEqual([{ ...TICK, kind: 'Created' }]);
  });

  it('stay paused if a person paused them, even when corrected', async () => {
    await using stood = await fixture();
    await stood.outcomes();
    await handleOf(stood).pause('maintenance');
    expect(await stood.outcomes()).toEqual([{ ...TICK, kind: 'Kept', isPaused: true }]);
    await stood.outcomes({ everyMs: 2 * HOUR_MS });
    const { state } = await handleOf(stood).describe();
    expect(state).toMatchObject({ paused: true, note: 'maintenance' });
    expect(await everyOf(stood)).toEqual([2 * HOUR_MS]);
  });

  it('of another installation are left alone', async () => {
    await using stood = await fixture();
    await stood.outcomes({ owner: 'cluster-2/varve' });
    const before = await versionOf(stood);
    expect(await stood.outcomes({ everyMs: 2 * HOUR_MS })).toEqual([
      { ...TICK, kind: 'Foreign', owner: 'cluster-2/varve' },
    ]);
    expect([await everyOf(stood), await versionOf(stood)]).toEqual([[HOUR_MS], before]);
  });

  it('without an owner are taken over', async () => {
    await using stood = await fixture();
    await stood.client.schedule.create({
      scheduleId: REFRESH_TICK_SCHEDULE,
      spec: { intervals: [{ every: HOUR_MS }] },
      action: { type: 'startWorkflow', workflowType: 'refreshTick', taskQueue: 'varve', args: [] },
    });
    expect(await stood.outcomes()).toEqual([{ ...TICK, kind: 'Corrected', cause: 'Declaration' }]);
    expect(await stood.outcomes()).toEqual([{ ...TICK, kind: 'Kept', isPaused: false }]);
    expect(await stood.outcomes({ owner: 'cluster-2/varve' })).toEqual([
      { ...TICK, kind: 'Foreign', owner: OURS },
    ]);
  });

  it('are created once by several concurrent starts', async () => {
    await using stood = await fixture();
    const kinds = (await Promise.all([1, 2, 3].map(() => stood.outcomes())))
      .flat()
      .map((outcome) => (outcome as { kind: string }).kind);
    expect(kinds.toSorted()).toEqual(['Created', 'Kept', 'Kept']);
  });

  it('register missing search attributes and report one of another type', async () => {
    await using stood = await fixture();
    const { searchAttributes } = await stood.schedules().ensure();
    expect(searchAttributes).toEqual({ added: [], conflicting: [] });
    const wrong = createInstallationSchedules({
      connection: stood.connection,
      namespace: stood.client.options.namespace,
      owner: OURS,
      schedules: [],
      searchAttributes: { ...SEARCH_ATTRIBUTES, Phase: 'Int', Wing: 'Keyword' },
    });
    expect((await wrong.ensure()).searchAttributes).toEqual({
      added: ['Wing'],
      conflicting: ['Phase is there, but not of type Int'],
    });
  });
});
