/** All schedules of an installation, kept by an operator on a real server. */
import { Client, Connection } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { createTemporalPart } from '#cli/operator/temporal-part.ts';
import { REFRESH_TICK_SCHEDULE } from '#core/refresh/refresh-contract.ts';
import { DREAM_TICK_SCHEDULE } from '#core/dreams/dream-contract.ts';
import { FLUSH_TICK_SCHEDULE } from '#core/flush/flush-contract.ts';
import { RETENTION_TICK_SCHEDULE } from '#core/retention/retention-contract.ts';
import { connectTemporal } from '#providers/temporal/client.ts';
import { declaredSchedules } from '#providers/temporal/schedule-definitions.ts';
import { createInstallationSchedules } from '#providers/temporal/keep-schedules.ts';
import { SEARCH_ATTRIBUTES } from '#providers/temporal/search-attributes.ts';
import { HOUR_MS } from '#test/conformance/samples.ts';
import { newNamespace, testAddress } from './namespace.ts';

const OURS = 'cluster-1/varve';
const PATIENCE = { timeout: 30_000 };
/** Of the one leader. */
const TERM = 7;
const ALL = [
  REFRESH_TICK_SCHEDULE,
  DREAM_TICK_SCHEDULE,
  FLUSH_TICK_SCHEDULE,
  RETENTION_TICK_SCHEDULE,
];

/** An operator over a namespace of its own, what it counts, and what it tells. */
async function fixture({ owner = OURS } = {}) {
  const held = new AsyncDisposableStack();
  const address = testAddress();
  const namespace = await newNamespace(address);
  const connection = held.adopt(await Connection.connect({ address }), (it) => it.close());
  const client = new Client({ connection, namespace });
  const counted: string[] = [];
  const told: string[] = [];
  const tell = (fields: object, message: string): void => {
    told.push(`${'schedule' in fields ? String(fields.schedule) : ''}: ${message}`);
  };
  const part = held.use(
    createTemporalPart({
      connect: () => connectTemporal({ address, namespace, owner, tickEveryMs: HOUR_MS }),
      metrics: {
        count: (name, labels) => void counted.push([name, ...Object.values(labels)].join(' ')),
        observe: () => undefined,
        set: () => undefined,
      },
      log: { debug: tell, info: tell, warn: tell, error: tell },
    }),
  );
  const kinds = async (declared = declaredSchedules(HOUR_MS), by = OURS) => {
    const options = { connection, namespace, owner: by, searchAttributes: SEARCH_ATTRIBUTES };
    const { schedules } = await createInstallationSchedules({
      ...options,
      schedules: declared,
    }).ensure(TERM);
    return schedules.map(({ schedule, kind }) => `${schedule} ${kind}`);
  };
  const handleOf = (id: string) => client.schedule.getHandle(id);
  const everyOf = async (id: string) =>
    (await handleOf(id).describe()).spec.intervals?.map(({ every }) => every);
  return {
    client,
    part,
    counted,
    told,
    kinds,
    handleOf,
    everyOf,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

const each = (kind: string) => ALL.map((id) => `${id} ${kind}`);

describe('the schedules of an installation', () => {
  it('are all created by the operator and then left alone', async () => {
    await using stood = await fixture();
    await stood.part.ensureInstallation(TERM);
    expect(stood.told).toEqual(ALL.map((id) => `${id}: schedule matches its declaration`));
    expect(await stood.kinds()).toEqual(each('Kept'));
    await stood.part.ensureInstallation(TERM);
    expect([stood.told.length, stood.counted]).toEqual([ALL.length, []]);
  });

  it('are all created after an upgrade from a version that had only the first', async () => {
    await using stood = await fixture();
    const [first] = declaredSchedules(HOUR_MS);
    if (first === undefined) throw new Error('Nothing is declared.');
    expect(await stood.kinds([first])).toEqual([`${first.id} Created`]);
    const [, ...added] = ALL;
    expect(await stood.kinds()).toEqual([
      `${REFRESH_TICK_SCHEDULE} Kept`,
      ...added.map((id) => `${id} Created`),
    ]);
    // Going back: an older version knows nothing of the others and leaves them.
    expect(await stood.kinds([first])).toEqual([`${first.id} Kept`]);
    expect(await stood.kinds()).toEqual(each('Kept'));
  });

  it.each(ALL)('%s is corrected and counted after a change', async (id) => {
    await using stood = await fixture();
    await stood.part.ensureInstallation(TERM);
    await stood.handleOf(id).update((found) => ({
      ...found,
      spec: { intervals: [{ every: '7 days' }] },
    }));
    await stood.part.ensureInstallation(TERM);
    expect(await stood.everyOf(id)).toEqual([HOUR_MS]);
    expect(stood.counted).toEqual(['drift_corrected_total schedule']);
    expect(await stood.kinds()).toEqual(each('Kept'));
  });

  it.each(ALL)('%s is created again and counted after a deletion', async (id) => {
    await using stood = await fixture();
    await stood.part.ensureInstallation(TERM);
    await stood.handleOf(id).delete();
    // The server goes on describing a deleted schedule for a moment.
    await expect
      .poll(async () => {
        await stood.part.ensureInstallation(TERM);
        return stood.counted;
      }, PATIENCE)
      .toEqual(['drift_corrected_total schedule']);
    expect(await stood.kinds()).toEqual(each('Kept'));
  });

  it('get a removed search attribute registered again and counted', async () => {
    await using stood = await fixture();
    await stood.part.ensureInstallation(TERM);
    const { connection, options } = stood.client;
    await (connection as Connection).operatorService.removeSearchAttributes({
      namespace: options.namespace,
      searchAttributes: ['PendingCount'],
    });
    await expect
      .poll(async () => {
        await stood.part.ensureInstallation(TERM);
        return stood.counted;
      }, PATIENCE)
      .toEqual(['drift_corrected_total searchAttribute']);
  });

  it('are abandoned midway once the operator stops', async () => {
    await using stood = await fixture();
    const stopped = stood.part.ensureInstallation(TERM, AbortSignal.abort());
    await expect(stopped).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(stood.told).toEqual([]);
    const stop = new AbortController();
    const stopping = stood.part.ensureInstallation(TERM, stop.signal);
    // By then the first call is under way: the connection stands, and answers take longer.
    setImmediate(() => stop.abort());
    await expect(stopping).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
    expect(stood.told).toEqual([]);
  });

  it.each(ALL)('%s stays paused if a person paused it', async (id) => {
    await using stood = await fixture();
    await stood.part.ensureInstallation(TERM);
    await stood.handleOf(id).pause('maintenance');
    await stood.part.ensureInstallation(TERM);
    const { state } = await stood.handleOf(id).describe();
    expect(state).toMatchObject({ paused: true, note: 'maintenance' });
    expect(stood.counted).toEqual([]);
  });

  it('are left alone by a leader of an earlier term, which ends', async () => {
    await using stood = await fixture();
    await stood.part.ensureInstallation(TERM);
    await expect(stood.part.ensureInstallation(TERM - 1)).rejects.toMatchObject({
      code: 'CANCELLED',
      details: { reason: 'Fenced' },
    });
    expect(await stood.kinds()).toEqual(each('Kept'));
  });

  it('of another installation are reported and left alone', async () => {
    await using stood = await fixture({ owner: 'cluster-2/varve' });
    expect(await stood.kinds()).toEqual(each('Created'));
    await stood.part.ensureInstallation(TERM);
    expect(stood.told).toEqual(
      ALL.map((id) => `${id}: schedule belongs to another installation; left alone`),
    );
    expect(await stood.kinds()).toEqual(each('Kept'));
  });
});
