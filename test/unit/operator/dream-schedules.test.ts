/** Dream schedules in the store: created, moved, removed, repaired, and otherwise left alone. */
import { describe, expect, test } from 'vitest';
import type { DreamPolicy } from '#core/records/dream-policy.ts';
import { VarveError } from '#core/errors.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { DreamScheduleRecords, Store } from '#core/ports/store.ts';
import { enforcePolicy } from '#operator/tenant/enforce-policy.ts';
import { reconcileFolder } from '#operator/folder/reconcile-folder.ts';
import { keepDreamSchedules } from '#operator/tenant/enforce-policy.ts';
import { dreamPolicy } from '#test/conformance/dream-samples.ts';
import { ownerOf } from '#test/conformance/samples.ts';
import { deepDream, documents, tenant } from '../crds/policy-files.ts';
import { calendar, folderWith, openStore, stillPlatform } from './policy-store.ts';

const NIGHTLY = dreamPolicy({ users: [], cron: '30 3 * * *' });
/** The clock of the tests stands at noon of the day before. */
const NEXT = Date.UTC(2026, 10, 22, 3, 30);

const having = (...dreams: readonly DreamPolicy[]): TenantPolicy => {
  return { ...defaultPolicy('acme'), dreams: [...dreams] };
};

async function fixture() {
  const platform = stillPlatform();
  const store = await openStore(platform);
  const writes: string[] = [];
  const watched = countingWrites(store, writes);
  const keep = (policy: TenantPolicy, generation = 1, requireLeading = () => undefined as void) =>
    keepDreamSchedules(
      { policy, generation },
      { store: watched, platform, calendar, requireLeading },
    );
  const times = async () => {
    const listed = await store.dreamSchedules.list('acme');
    return listed.map(({ name, nextAt }) => [name, nextAt]);
  };
  return { platform, store, watched, writes, keep, times };
}

/** `before` does what others do between a read and a write. */
function countingWrites(
  store: Store,
  writes: string[],
  before: () => Promise<unknown> = () => Promise.resolve(),
): Store {
  const records = store.dreamSchedules;
  const dreamSchedules: DreamScheduleRecords = {
    get: (name, id) => records.get(name, id),
    list: (name) => records.list(name),
    due: (query) => records.due(query),
    put: async (schedule) => {
      await before();
      writes.push(`put ${schedule.name}`);
      return records.put(schedule);
    },
    remove: async (...at) => {
      writes.push(`remove ${at[1]}`);
      return records.remove(...at);
    },
  };
  return { ...store, dreamSchedules };
}

describe('the schedules of a tenant’s dreams', () => {
  test('are created once, and then nothing more is written', async () => {
    const { keep, times, writes } = await fixture();
    const weekly = { ...NIGHTLY, name: 'weekly', cron: '0 4 * * SUN' };
    expect(await keep(having(NIGHTLY, weekly))).toEqual({ changed: 2, isComplete: true });
    expect(await times()).toEqual([
      ['nightly', NEXT],
      ['weekly', Date.UTC(2026, 10, 22, 4)],
    ]);
    writes.length = 0;
    for (let round = 0; round < 3; round += 1) {
      expect(await keep(having(NIGHTLY, weekly))).toEqual({ changed: 0, isComplete: true });
    }
    expect(writes).toEqual([]);
  });

  test('move with a changed cron and go with a removed dream', async () => {
    const { keep, times } = await fixture();
    await keep(having(NIGHTLY));
    const later = { ...NIGHTLY, cron: '0 6 * * *' };
    expect(await keep(having(later), 2)).toMatchObject({ changed: 1 });
    expect(await times()).toEqual([['nightly', Date.UTC(2026, 10, 22, 6)]]);
    expect(await keep(defaultPolicy('acme'), 3)).toMatchObject({ changed: 1 });
    expect(await times()).toEqual([]);
  });

  test('record a later generation with equal content without a change', async () => {
    const { keep, store } = await fixture();
    await keep(having(NIGHTLY), 1);
    expect(await keep(having(NIGHTLY), 2)).toEqual({ changed: 0, isComplete: true });
    const [record] = await store.dreamSchedules.list('acme');
    expect(record).toMatchObject({ policyGeneration: 2, nextAt: NEXT });
  });

  test('ignore an earlier generation', async () => {
    const { keep, times, writes } = await fixture();
    await keep(having(NIGHTLY), 5);
    writes.length = 0;
    await keep(having({ ...NIGHTLY, cron: '0 6 * * *' }), 4);
    await keep(defaultPolicy('acme'), 4);
    expect(await times()).toEqual([['nightly', NEXT]]);
    expect(writes).toEqual([]);
  });

  test.each<[string, (records: DreamScheduleRecords) => Promise<unknown>]>([
    ['deleted one', (records) => records.remove('acme', 'nightly', 1)],
    ['postponed one', (records) => changed(records, { nextAt: NEXT + 864e5 })],
    ['stopped one', (records) => changed(records, { nextAt: null })],
    ['gave one the hash of another cron', (records) => changed(records, { cronHash: 'x' })],
  ])('are corrected if someone %s', async (_, interfere) => {
    const { keep, store, times } = await fixture();
    await keep(having(NIGHTLY));
    await interfere(store.dreamSchedules);
    expect(await keep(having(NIGHTLY))).toEqual({ changed: 1, isComplete: true });
    expect(await times()).toEqual([['nightly', NEXT]]);
  });

  test('keep what a round writes at the same time, without an error', async () => {
    const { keep, platform, store } = await fixture();
    await keep(having(NIGHTLY));
    let isFirst = true;
    const meanwhile = async (): Promise<void> => {
      if (isFirst) await changed(store.dreamSchedules, { startedAfter: 'agent:scout' });
      isFirst = false;
    };
    const raced = countingWrites(store, [], meanwhile);
    const later = having({ ...NIGHTLY, cron: '0 6 * * *' });
    const context = { store: raced, platform, calendar };
    const kept = await keepDreamSchedules({ policy: later, generation: 2 }, context);
    expect(kept).toEqual({ changed: 1, isComplete: true });
    const [record] = await store.dreamSchedules.list('acme');
    expect(record).toMatchObject({
      startedAfter: 'agent:scout',
      nextAt: Date.UTC(2026, 10, 22, 6),
    });
  });

  test('are reported as incomplete after losing every race', async () => {
    const { keep, platform, store } = await fixture();
    await keep(having(NIGHTLY));
    const writes: string[] = [];
    const always = () => changed(store.dreamSchedules, { startedAfter: null });
    const context = { store: countingWrites(store, writes, always), platform, calendar };
    const later = having({ ...NIGHTLY, cron: '0 6 * * *' });
    const kept = await keepDreamSchedules({ policy: later, generation: 2 }, context);
    expect(kept).toEqual({ changed: 0, isComplete: false });
    expect(writes).toHaveLength(5);
  });

  test('are not written by a process that no longer leads', async () => {
    const { keep, writes } = await fixture();
    const refuse = (): void => {
      throw new VarveError('CANCELLED', 'This process leads no more.');
    };
    await expect(keep(having(NIGHTLY), 1, refuse)).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(writes).toEqual([]);
  });
});

async function changed(
  records: DreamScheduleRecords,
  differing: Partial<Awaited<ReturnType<DreamScheduleRecords['list']>>[number]>,
): Promise<void> {
  const record = await records.get('acme', 'nightly');
  if (record === null) throw new Error('There is no such schedule.');
  await records.put({ ...record, ...differing, version: record.version + 1 });
}

describe('enforcing a policy', () => {
  test('creates no dream schedule from a policy no longer in force', async () => {
    const { platform, store, times } = await fixture();
    const put = { hash: 'h', now: platform.clock() };
    await store.policies.put(ownerOf('a'), defaultPolicy('acme'), put);
    await store.policies.put(ownerOf('a'), defaultPolicy('acme'), { ...put, hash: 'h-2' });
    const inForce = { policy: having(NIGHTLY), generation: 1 };
    const carried = await enforcePolicy(inForce, { store, platform, calendar });
    expect(carried).toMatchObject({ dreamsMoved: 0, isComplete: false });
    expect(await times()).toEqual([]);
  });

  test('keeps the dreams of a folder as an operator does', async () => {
    const { platform, store, times } = await fixture();
    const apply = async (...texts: string[]) => {
      const dir = await folderWith({ 'a.yaml': documents(tenant('{}'), ...texts) });
      await reconcileFolder({ dir, store, platform, calendar, clusterId: 'folder' });
      return times();
    };
    expect(await apply(deepDream('{}'))).toEqual([['nightly', NEXT]]);
    const berlin = deepDream('timeZone: Europe/Berlin');
    expect(await apply(berlin)).toEqual([['nightly', NEXT - 3_600_000]]);
    await expect(apply(deepDream('timeZone: Moon/Sea'))).rejects.toThrow(/timeZone/u);
    expect(await times()).toEqual([['nightly', NEXT - 3_600_000]]);
    expect(await apply()).toEqual([]);
  });
});
