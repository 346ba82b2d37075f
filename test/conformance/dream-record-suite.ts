/** The suites of `DreamScheduleRecords` and `ProposalRecords`: the pending work of dreams. */
import { describe, expect, it } from 'vitest';

import type { Store } from '#core/ports/store.ts';
import { DreamSchedule, ROUND_MS_MAX } from '#core/records/dream-schedule.ts';
import { Proposal } from '#core/records/proposal.ts';

import { sharedStore, type Open } from './adapter.ts';
import { ANN, lineOf, proposalOf, roundOf, scheduleOf } from './document-samples.ts';
import { idOf, NOW } from './samples.ts';

export function dreamRecordSuite(open: Open): void {
  describe('dream schedules', () => {
    scheduleSuite(open);
    dueSuite(open);
  });
  describe('proposals', () => {
    proposalSuite(open);
    pageSuite(open);
    pendingSuite(open);
  });
}

function scheduleSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('a schedule is read by name, and written only at its next version', async () => {
    const { store, tenant } = fixture();
    const first = scheduleOf(tenant);
    expect(await store.dreamSchedules.get(tenant, 'nightly')).toBeNull();
    expect(await store.dreamSchedules.put({ ...first, version: 2 })).toBe(false);
    expect(await store.dreamSchedules.put(first)).toBe(true);
    expect(await store.dreamSchedules.put({ ...first, nextAt: NOW + 1 })).toBe(false);
    const last = roundOf(NOW, { counted: [idOf(1)] });
    const second = { ...first, nextAt: null, startedAfter: '', last, version: 2 };
    expect(await store.dreamSchedules.put(second)).toBe(true);
    expect(await store.dreamSchedules.put(second)).toBe(false);
    expect(await store.dreamSchedules.get(tenant, 'nightly')).toEqual(second);
    expect(DreamSchedule.parse(second)).toEqual(second);
    const other = scheduleOf(tenant, { name: 'hourly', last: null });
    await store.dreamSchedules.put(other);
    expect(await store.dreamSchedules.list(tenant)).toEqual([other, second]);
  });

  it('a schedule is removed unless a later policy generation declared it', async () => {
    const { store, tenant } = fixture();
    const remove = (generation: number) =>
      store.dreamSchedules.remove(tenant, 'nightly', generation);
    expect(await remove(1)).toBe(true);
    await store.dreamSchedules.put(scheduleOf(tenant, { policyGeneration: 3 }));
    expect(await remove(2)).toBe(false);
    expect(await store.dreamSchedules.get(tenant, 'nightly')).not.toBeNull();
    await store.dreamSchedules.put(scheduleOf(tenant, { name: 'other', policyGeneration: 3 }));
    expect(await remove(3)).toBe(true);
    expect(await store.dreamSchedules.get(tenant, 'nightly')).toBeNull();
    expect(await store.dreamSchedules.list(tenant)).toMatchObject([{ name: 'other' }]);
    expect(await remove(3)).toBe(true);
  });
}

function dueSuite(open: Open): void {
  it('due schedules of all tenants are found, longest waiting first', async () => {
    await using opened = await open();
    const { store } = opened;
    const put = async (tenant: string, name: string, differing: Partial<DreamSchedule>) => {
      const schedule = scheduleOf(tenant, { name, ...differing });
      await store.dreamSchedules.put(schedule);
      return schedule;
    };
    const late = await put('bravo', 'a', { nextAt: NOW + 2 });
    const early = await put('bravo', 'b', { nextAt: NOW - 1 });
    const now = await put('acme', 'a', { nextAt: NOW, last: null });
    await put('acme', 'never', { nextAt: null });
    // It starts its subjects, whenever it comes next.
    const atWork = { startedAfter: ANN, last: roundOf(NOW - 9) };
    const starting = await put('zulu', 'b', { nextAt: NOW + 99, ...atWork });
    const lastOfAll = await put('zulu', 'a', { nextAt: null, ...atWork, startedAfter: '' });
    const due = (at: number, limit = 10) => store.dreamSchedules.due({ now: at, limit });
    expect(await due(NOW - 1)).toEqual([lastOfAll, starting, early]);
    expect(await due(NOW)).toEqual([lastOfAll, starting, early, now]);
    expect(await due(NOW + 2)).toEqual([lastOfAll, starting, early, now, late]);
    expect(await due(NOW + 2, 2)).toEqual([lastOfAll, starting]);
    await store.dreamSchedules.put({ ...starting, startedAfter: null, version: 2 });
    await store.dreamSchedules.put({ ...lastOfAll, startedAfter: null, version: 2 });
    expect(await due(NOW - 1)).toEqual([early]);
    await store.dreamSchedules.put({ ...early, nextAt: NOW + 100, version: 2 });
    expect(await due(NOW - 1)).toEqual([]);
  });

  it('a running round is found once its dreams have run out of time', async () => {
    await using opened = await open();
    const { store } = opened;
    const names = async (now: number) =>
      (await store.dreamSchedules.due({ now, limit: 9 })).map(({ name }) => name);
    const put = (name: string, differing: Partial<DreamSchedule>) =>
      store.dreamSchedules.put(scheduleOf('acme', { name, ...differing }));
    const last = roundOf(NOW - 9, { started: 2, startedAt: NOW });
    const closesAt = NOW + ROUND_MS_MAX;
    await put('again', { nextAt: closesAt + 1, last });
    await put('never', { nextAt: null, last: { ...last, startedAt: NOW + 2 } });
    await put('before', { nextAt: closesAt - 1, last });
    await put('ended', { nextAt: null, last: { ...last, endedAt: NOW + 1 } });
    expect(await names(closesAt - 2)).toEqual([]);
    expect(await names(closesAt - 1)).toEqual(['before']);
    expect(await names(closesAt)).toEqual(['before', 'again']);
    expect(await names(closesAt + 2)).toEqual(['before', 'again', 'never']);
    const ended = { ...last, endedAt: closesAt };
    await put('again', { nextAt: closesAt + 1, last: ended, version: 2 });
    expect(await names(closesAt)).toEqual(['before']);
    expect(await names(closesAt + 1)).toEqual(['before', 'again']);
  });
}

function proposalSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('a proposal is stored whole, and written only at its next version', async () => {
    const { store, tenant } = fixture();
    const first = proposalOf(tenant, 1);
    expect(await store.proposals.get(tenant, first.id)).toBeNull();
    expect(await store.proposals.put({ ...first, version: 2 })).toBe(false);
    expect(await store.proposals.put(first)).toBe(true);
    expect(await store.proposals.put({ ...first, lines: [lineOf(9)] })).toBe(false);
    expect(await store.proposals.get(tenant, first.id)).toEqual(first);
    const decision = { at: NOW, principal: 'tester', reason: 'It is right.' };
    const second = { ...first, state: 'Approved', decision, version: 2 } as const;
    expect(await store.proposals.put(second)).toBe(true);
    expect(await store.proposals.put(second)).toBe(false);
    const found = await store.proposals.get(tenant, first.id);
    expect(found).toEqual(second);
    expect(Proposal.parse(found)).toEqual(second);
  });

  it('one of two concurrent decisions on a proposal succeeds', async () => {
    const { store, tenant } = fixture();
    await store.proposals.put(proposalOf(tenant, 1));
    const states = ['Approved', 'Rejected'] as const;
    const both = await Promise.all(
      states.map((state) => store.proposals.put(proposalOf(tenant, 1, { state, version: 2 }))),
    );
    expect(both.filter(Boolean)).toHaveLength(1);
    const state = both[0] === true ? 'Approved' : 'Rejected';
    expect(await store.proposals.get(tenant, idOf(1))).toMatchObject({ state });
  });
}

function pageSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('proposals are listed newest first, by subject and by state', async () => {
    const { store, tenant } = fixture();
    const bob = { subject: 'user/bob' };
    const all = [
      proposalOf(tenant, 1),
      proposalOf(tenant, 2, bob),
      proposalOf(tenant, 3, { state: 'Applied' }),
      proposalOf(tenant, 4, { ...bob, state: 'Applied' }),
      proposalOf(tenant, 5),
    ];
    for (const proposal of all) await store.proposals.put(proposal);
    type Asked = Omit<Parameters<Store['proposals']['list']>[1], 'limit'>;
    const listed = async (asked: Asked, limit = 10) =>
      (await store.proposals.list(tenant, { ...asked, limit })).map(({ id }) =>
        Number(id.split('-').at(-1)),
      );
    expect(await listed({})).toEqual([5, 4, 3, 2, 1]);
    expect(await listed({}, 2)).toEqual([5, 4]);
    expect(await listed({ before: idOf(4) }, 2)).toEqual([3, 2]);
    expect(await listed({ subject: ANN })).toEqual([5, 3, 1]);
    expect(await listed({ subject: ANN, before: idOf(5) }, 1)).toEqual([3]);
    expect(await listed({ state: 'Applied' })).toEqual([4, 3]);
    expect(await listed({ state: 'Waiting', before: idOf(5) })).toEqual([2, 1]);
    expect(await listed({ state: 'Waiting', subject: ANN })).toEqual([5, 1]);
    expect(await listed({ state: 'Rejected' })).toEqual([]);
    expect(await store.proposals.list(tenant, { limit: 1 })).toEqual([all[4]]);
    await store.proposals.put(proposalOf(tenant, 5, { state: 'Outdated', version: 2 }));
    expect(await listed({ state: 'Waiting' })).toEqual([2, 1]);
  });
}

function pendingSuite(open: Open): void {
  it('approved proposals of all tenants are found until they are applied', async () => {
    await using opened = await open();
    const { store } = opened;
    const put = async (tenant: string, n: number, differing: Partial<Proposal>) => {
      const proposal = proposalOf(tenant, n, { state: 'Approved', ...differing });
      await store.proposals.put(proposal);
      return proposal;
    };
    const decided = (at: number) => ({ decision: { at, principal: 'tester', reason: '' } });
    const last = await put('acme', 1, { at: NOW - 9, ...decided(NOW - 8), askedAt: NOW - 1 });
    const byPerson = await put('acme', 2, { at: NOW - 9, ...decided(NOW - 2) });
    const second = await put('acme', 3, { at: NOW - 3 });
    const first = await put('zulu', 1, { at: NOW - 4 });
    await put('bravo', 1, { at: NOW });
    for (const [n, state] of (['Waiting', 'Applied', 'Rejected', 'Outdated'] as const).entries()) {
      await put('bravo', 2 + n, { state, at: NOW - 9, askedAt: NOW - 9 });
    }
    const pending = (before: number, limit = 9) => store.proposals.approved({ before, limit });
    expect(await pending(NOW)).toEqual([first, second, byPerson, last]);
    expect(await pending(NOW, 2)).toEqual([first, second]);
    expect(await pending(NOW - 3)).toEqual([first]);
    await store.proposals.put({ ...first, askedAt: NOW - 1, version: 2 });
    await store.proposals.put({ ...second, state: 'Applied', version: 2 });
    expect(await pending(NOW)).toEqual([
      byPerson,
      last,
      { ...first, askedAt: NOW - 1, version: 2 },
    ]);
    expect(await pending(NOW - 2)).toEqual([]);
  });
}
