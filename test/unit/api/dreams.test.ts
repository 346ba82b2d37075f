import { beforeEach, describe, expect, test } from 'vitest';
import type { Library } from '#api/library.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { dreamPolicy, newSchedule } from '#test/conformance/dream-samples.ts';
import type { Proposal } from '#core/records/proposal.ts';
import { checkedLibraryOf } from '#test/unit/library/checked-library.ts';
import { failureOf, newTenant } from '#test/unit/library/open-library.ts';
import {
  ANN,
  BOB,
  lineOf,
  memoryFile,
  NOON,
  proposalOf,
  sharedTiers,
  subjectRecordOf,
} from './memory-files-fixture.ts';

const fixture = sharedTiers();
const library = (): Library => checkedLibraryOf(fixture().ports, LOCAL_OPERATOR);
const ID = 'dream-2';

beforeEach(() => {
  const { runs } = fixture();
  runs.started.length = 0;
  runs.applied.length = 0;
  runs.answer = 'Started';
});

/** MEMORY.md of Ann, and what a dream proposed for it. */
async function proposed(differing: Partial<Proposal> = {}): Promise<string> {
  const tenant = newTenant();
  const { store } = fixture().ports;
  await store.subjects.put(subjectRecordOf(tenant, { processedHash: 'hash', hasNew: false }));
  const lines = [lineOf('Ann grows tulips.'), lineOf('Ann likes tea.')];
  await store.documents.put(memoryFile(tenant, lines));
  await store.proposals.put(proposalOf(tenant, differing));
  return tenant;
}

async function stateOf(tenant: string): Promise<Proposal['state'] | undefined> {
  return (await fixture().ports.store.proposals.get(tenant, ID))?.state;
}

describe('a requested dream', () => {
  test('starts for the subject, with the days to look back', async () => {
    const tenant = newTenant();
    const { daily, dream } = fixture().tiers();
    await daily.append({ tenant, subject: ANN, text: 'Ann grows tulips.' });
    const { dreamId, state } = await dream.run({ tenant, subject: ANN, lookbackDays: 3 });
    expect(state).toBe('Started');
    const record = await fixture().ports.store.subjects.get(tenant, 'user/ann');
    expect(fixture().runs.started).toEqual([
      { tenant, subjectId: record?.subjectId, dreamId, round: null, lookbackDays: 3 },
    ]);
    expect(JSON.stringify(fixture().runs.started)).not.toContain('ann');
    await dream.run({ tenant, subject: ANN });
    expect(fixture().runs.started[1]?.lookbackDays).toBeNull();
  });

  test('a dream that a bound caller requests is marked as bound', async () => {
    const tenant = newTenant();
    await fixture().tiers().daily.append({ tenant, subject: ANN, text: 'Ann grows tulips.' });
    const ann = { name: 'ann', tenants: [tenant], bound: { userId: 'ann' } };
    await fixture().tiers(ann).dream.run({ tenant, subject: ANN });
    await fixture().tiers().dream.run({ tenant, subject: ANN });
    expect(fixture().runs.started.map(({ isBound }) => isBound)).toEqual([true, undefined]);
  });

  test('does not start while another one runs', async () => {
    const tenant = newTenant();
    const { daily, dream } = fixture().tiers();
    await daily.append({ tenant, subject: ANN, text: 'Ann grows tulips.' });
    fixture().runs.answer = 'Running';
    const start = await dream.run({ tenant, subject: ANN });
    expect(start).toEqual({ dreamId: null, state: 'Running' });
  });

  test('does not start for a subject without daily files', async () => {
    const tenant = newTenant();
    const start = await fixture().tiers().dream.run({ tenant, subject: ANN });
    expect(start).toEqual({ dreamId: null, state: 'NothingNew' });
    expect(fixture().runs.started).toEqual([]);
    expect(await fixture().ports.store.subjects.get(tenant, 'user/ann')).toBeNull();
  });

  test('fails if no Temporal server answers, and the new content stays pending', async () => {
    const tenant = newTenant();
    const { daily, dream } = fixture().tiers();
    await daily.append({ tenant, subject: ANN, text: 'Ann grows tulips.' });
    fixture().runs.answer = 'Away';
    const error = await failureOf(dream.run({ tenant, subject: ANN }));
    expect(error).toMatchObject({ code: 'PROVIDER_ERROR', retryable: true });
    expect(error.message).toMatch(/^No Temporal server answers\. What is new is kept/u);
    expect(await dream.status({ tenant, subject: ANN })).toMatchObject({
      hasNew: true,
      last: null,
    });
  });

  test('its subject shows how the last one ended', async () => {
    const tenant = newTenant();
    const last = { at: NOON, dreamId: ID, outcome: 'SameContent' } as const;
    await fixture().ports.store.subjects.put(subjectRecordOf(tenant, { last, hasNew: false }));
    const { dream } = fixture().tiers();
    expect(await dream.status({ tenant, subject: ANN })).toMatchObject({
      ...{ hasNew: false, last, proposal: null },
    });
    expect(await dream.status({ tenant, subject: BOB })).toEqual({
      ...{ hasNew: false, last: null, proposal: null, subject: BOB, subjectId: null },
    });
  });

  test('an admin finds a failed dream by subject id, with its error code', async () => {
    const tenant = newTenant();
    const last = { at: NOON, dreamId: ID, outcome: 'Failed', code: 'TIMEOUT' } as const;
    const record = subjectRecordOf(tenant, { last });
    await fixture().ports.store.subjects.put(record);
    const { dream } = fixture().tiers();
    const { subjectId } = record;
    expect(await dream.status({ tenant, subjectId })).toMatchObject({ last, subject: ANN });
    const [none, both] = [{ tenant }, { tenant, subject: ANN, subjectId }];
    for (const asked of [none, both]) {
      expect(await failureOf(dream.status(asked))).toMatchObject({ code: 'INVALID_INPUT' });
    }
    const bound = fixture().tiers({
      name: 'ann',
      tenants: [tenant],
      bound: { userId: 'ann' },
    }).dream;
    expect(await failureOf(bound.status({ tenant, subjectId }))).toMatchObject({
      code: 'FORBIDDEN',
    });
  });
});

describe('proposals of dreams', () => {
  test('a proposal shows what it adds, removes and drops', async () => {
    const tenant = await proposed();
    const shown = await fixture().tiers().dream.get({ tenant, id: ID });
    expect(shown).toMatchObject({ id: ID, subject: ANN, schedule: 'nightly', state: 'Waiting' });
    expect(shown).toMatchObject({ findings: ['ApprovalRequired'], baseVersion: 1, kept: 1 });
    expect(shown?.difference).toEqual({
      added: [{ heading: null, text: 'Bob cooks.', sources: ['block-1'] }],
      removed: [{ heading: null, text: 'Ann likes tea.', sources: [] }],
      replaced: [],
      archived: [],
      dropped: [{ text: 'Ann is rich.', reason: 'NotInSources' }],
    });
    expect(shown?.diary).toEqual(['Bob cooks now.']);
    expect(JSON.stringify(shown)).not.toContain('subject-of-ann');
    expect(await fixture().tiers().dream.get({ tenant, id: 'another' })).toBeNull();
    expect(await fixture().tiers().dream.get({ tenant: newTenant(), id: ID })).toBeNull();
  });

  test('a replaced line is shown apart from a removed one', async () => {
    const archived = [lineOf('Ann grows tulips.')];
    const lines = [lineOf('Bob cooks.')];
    const tenant = await proposed({ removed: [], archived, lines });
    const shown = await fixture().tiers().dream.get({ tenant, id: ID });
    expect(shown?.difference).toMatchObject({
      removed: [],
      replaced: [{ text: 'Ann likes tea.' }],
      archived: [{ text: 'Ann grows tulips.' }],
    });
  });

  test('a dream shows nothing of deleted turns or changed memories, nor lines without proof', async () => {
    const { conversation, dream, memory } = library();
    const diary = [
      lineOf('Cat: Zebulonia.', { heading: 'Added', sources: ['turn:mon/t1'] }),
      lineOf('They have a cat.', { heading: 'In the words of the model' }),
      lineOf('1 line was not read.'),
    ];
    const lines = [lineOf('Cat: Zebulonia.', { sources: ['turn:mon/t1'] }), lineOf('Bob cooks.')];
    const added = lines.map(({ id }) => id);
    const tenant = await proposed({ diary, lines, added });
    const turns = [{ id: 't1', role: 'user' as const, content: 'Zebulonia is my cat.' }];
    const identifiers = { userId: 'ann' };
    await conversation.append({ tenant, sessionId: 'mon', identifiers, turns });
    const {
      memory: { id },
    } = await memory.add({ tenant, layer: 'user', identifiers, content: 'Tea.' });
    expect(await dream.get({ tenant, id: ID })).toMatchObject({
      diary: diary.map(({ text }) => text),
      difference: { dropped: [{ text: 'Ann is rich.' }] },
    });
    await conversation.delete({ tenant, sessionId: 'mon', turnIds: ['t1'] });
    expect(await dream.get({ tenant, id: ID })).toMatchObject({
      diary: ['1 line was not read.'],
      difference: { added: [{ text: 'Bob cooks.' }], dropped: [] },
    });
    const rejected = await dream.reject({ tenant, id: ID, reason: 'no' });
    expect(JSON.stringify(rejected)).not.toMatch(/Zebulonia|cat/u);
    const own = lineOf('Tea.', { sources: [id] });
    const other = proposalOf(tenant, {
      id: 'dream-3',
      diary: [own],
      lines: [own],
      added: [own.id],
    });
    await fixture().ports.store.proposals.put(other);
    fixture().clock.now += 1;
    await memory.update({ tenant, id, content: 'Coffee.' });
    expect(await dream.get({ tenant, id: 'dream-3' })).toMatchObject({
      diary: [],
      difference: { added: [] },
    });
  });

  test('are listed newest first, by subject or by state', async () => {
    const tenant = await proposed();
    const { store } = fixture().ports;
    await store.proposals.put(proposalOf(tenant, { id: 'dream-3', subject: 'user/bob' }));
    await store.proposals.put(proposalOf(tenant, { id: 'dream-1', state: 'Applied' }));
    const { dream } = fixture().tiers();
    const ids = async (asked: object) =>
      (await dream.list({ tenant, ...asked })).dreams.map(({ id }) => id);
    expect(await ids({})).toEqual(['dream-3', 'dream-2', 'dream-1']);
    expect(await ids({ subject: ANN })).toEqual(['dream-2', 'dream-1']);
    expect(await ids({ state: 'Waiting' })).toEqual(['dream-3', 'dream-2']);
    expect(await ids({ before: 'dream-3', limit: 1 })).toEqual(['dream-2']);
    const pages: (string | null)[] = [];
    for (const page of [{}, { before: 'dream-3' }, { before: 'dream-2' }]) {
      pages.push((await dream.list({ tenant, limit: 1, ...page })).nextBefore);
    }
    expect(pages).toEqual(['dream-3', 'dream-2', null]);
    const [brief] = (await dream.list({ tenant, subject: ANN, limit: 1 })).dreams;
    expect(brief).toMatchObject({ added: 1, removed: 1, archived: 0, dropped: 1 });
    expect(await ids({ tenant: newTenant() })).toEqual([]);
  });
});

describe('a decision on a proposal', () => {
  const reason = 'looks right';

  test('an approval is stored with principal and reason, and then applied', async () => {
    const tenant = await proposed();
    const shown = await fixture().tiers().dream.approve({ tenant, id: ID, reason });
    const decision = { at: NOON, principal: 'local', reason };
    expect(shown).toMatchObject({ state: 'Approved', decision });
    expect(fixture().runs.applied).toEqual([{ tenant, proposalId: ID }]);
    const { events } = await fixture().tiers().event.list({ tenant });
    const type = 'memory_proposal_decided';
    expect(events).toMatchObject([{ type, attributes: { dreamId: ID, state: 'Approved' } }]);
  });

  test('an approval is stored while Temporal is unavailable, and approving again applies it', async () => {
    const tenant = await proposed();
    const { dream } = fixture().tiers();
    fixture().runs.answer = 'Away';
    const error = await failureOf(dream.approve({ tenant, id: ID, reason }));
    expect(error).toMatchObject({ code: 'PROVIDER_ERROR', retryable: true });
    expect(await stateOf(tenant)).toBe('Approved');
    fixture().runs.answer = 'Started';
    const shown = await dream.approve({ tenant, id: ID, reason: 'again' });
    expect(shown.decision?.reason).toBe(reason);
    expect(fixture().runs.applied).toHaveLength(2);
  });

  test('a proposal is outdated if MEMORY.md changed since, and its content is new again', async () => {
    const tenant = await proposed();
    const { dream, document } = fixture().tiers();
    await document.edit({ tenant, subject: ANN, text: '- Dana waits.', expectedVersion: 1 });
    const error = await failureOf(dream.approve({ tenant, id: ID }));
    expect(error).toMatchObject({ code: 'CONFLICT', details: { state: 'Outdated' } });
    expect(error.message).toContain('dream run');
    expect(await stateOf(tenant)).toBe('Outdated');
    expect(fixture().runs.applied).toEqual([]);
    const record = await fixture().ports.store.subjects.get(tenant, 'user/ann');
    expect(record).toMatchObject({ hasNew: true, processedHash: null });
  });

  test('a rejection is stored with principal and reason, and nothing is applied', async () => {
    const tenant = await proposed();
    const { dream } = fixture().tiers();
    const shown = await dream.reject({ tenant, id: ID, reason: 'Bob does not cook' });
    const decision = { at: NOON, principal: 'local', reason: 'Bob does not cook' };
    expect(shown).toMatchObject({ state: 'Rejected', decision });
    expect(await dream.reject({ tenant, id: ID, reason: 'again' })).toEqual(shown);
    expect(fixture().runs.applied).toEqual([]);
    expect((await fixture().tiers().document.get({ tenant, subject: ANN }))?.version).toBe(1);
  });

  test.each<[state: Proposal['state'], order: 'approve' | 'reject']>([
    ['Rejected', 'approve'],
    ['Outdated', 'approve'],
    ['Outdated', 'reject'],
    ['Approved', 'reject'],
    ['Applied', 'reject'],
  ])('if the proposal is %s, an order to %s is CONFLICT', async (state, order) => {
    const tenant = await proposed({ state });
    const { dream } = fixture().tiers();
    const error = await failureOf(dream[order]({ tenant, id: ID, reason }));
    expect(error).toMatchObject({ code: 'CONFLICT', retryable: false, details: { state } });
    expect(await stateOf(tenant)).toBe(state);
    expect(fixture().runs.applied).toEqual([]);
  });

  test('approving an applied proposal again does not apply it again', async () => {
    const tenant = await proposed({ state: 'Applied' });
    const { state } = await fixture().tiers().dream.approve({ tenant, id: ID });
    expect(state).toBe('Applied');
    expect(fixture().runs.applied).toEqual([]);
  });

  test('only one of several decisions at the same time counts', async () => {
    const tenant = await proposed();
    const { dream } = fixture().tiers();
    const ends = await Promise.allSettled([
      dream.approve({ tenant, id: ID, reason }),
      dream.reject({ tenant, id: ID, reason }),
    ]);
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const isApproved = (await stateOf(tenant)) === 'Approved';
    expect(fixture().runs.applied).toHaveLength(isApproved ? 1 : 0);
  });

  test('of an unknown proposal is NOT_FOUND, of a released tenant FORBIDDEN', async () => {
    const tenant = await proposed();
    const { dream } = fixture().tiers();
    for (const order of ['approve', 'reject'] as const) {
      const unknown = dream[order]({ tenant, id: 'another', reason });
      expect(await failureOf(unknown)).toMatchObject({ code: 'NOT_FOUND' });
    }
    await fixture().release(tenant);
    const orders = [
      dream.approve({ tenant, id: ID, reason }),
      dream.reject({ tenant, id: ID, reason }),
      dream.run({ tenant, subject: ANN }),
    ];
    for (const order of orders) {
      expect(await failureOf(order)).toMatchObject({ code: 'FORBIDDEN' });
    }
    expect(await stateOf(tenant)).toBe('Waiting');
    expect((await dream.list({ tenant })).dreams).toHaveLength(1);
  });
});

describe('the schedule of dreams', () => {
  const NIGHTLY = dreamPolicy({ cron: '30 3 * * *', timeZone: 'Europe/Berlin' });

  test('each DeepDream shows its next time and the outcome of its last run', async () => {
    const tenant = newTenant();
    const { dream } = fixture().tiers();
    expect(await dream.schedules({ tenant })).toEqual({ schedules: [] });
    await fixture().declare(tenant, [NIGHTLY, { ...NIGHTLY, name: 'weekly', cron: '0 4 * * 0' }]);
    const last = { at: NOON - 1, started: 2, outcomes: { Dreamed: 1 }, endedAt: null };
    await fixture().ports.store.dreamSchedules.put({
      ...newSchedule(tenant, NIGHTLY, NOON),
      last: { ...last, counted: ['dream-1'], startedAt: NOON },
    });
    const { cron, timeZone } = NIGHTLY;
    expect(await dream.schedules({ tenant })).toEqual({
      schedules: [
        { name: 'nightly', cron, timeZone, nextAt: NOON, last },
        { name: 'weekly', cron: '0 4 * * 0', timeZone, nextAt: null, last: null },
      ],
    });
  });
});
