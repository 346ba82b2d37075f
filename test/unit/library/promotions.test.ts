/** A memory of a narrower layer moves to a broader one once a person approves it. */
import { describe, expect, test } from 'vitest';
import { failureOf, newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const CONTENT = 'The staging database is reset every Monday.';
const NEVER_DUE = {
  ...{ updateIntervalMs: 1, updateOnChanges: 1_000, maxAgeMs: 1, skipIfUnchanged: true },
};
const OF_MARA = { identifiers: { userId: 'mara' } };
const OF_TEAM = { identifiers: { teamId: 'payments' } };

async function remembered(content = CONTENT) {
  const tenant = newTenant();
  const added = { tenant, ...OF_MARA, layer: 'user' as const, content, tags: ['staging'] };
  const { memory } = await library().varve.memory.add(added);
  const toTeam = { tenant, id: memory.id, layer: 'team' as const, ...OF_TEAM };
  return { tenant, id: memory.id, toTeam };
}

async function proposed() {
  const { tenant, id, toTeam } = await remembered();
  const review = await library().varve.memory.promote({ ...toTeam, reason: 'all need it' });
  return { tenant, id, toTeam, review };
}

async function teamMemories(tenant: string) {
  const { memories } = await library().varve.memory.list({ tenant, ...OF_TEAM });
  return memories;
}

const approve = (tenant: string, id: string) => library().varve.review.approve({ tenant, id });

describe('a memory proposed for a broader layer', () => {
  test('waits with its text, target and proposer, and is not in that layer yet', async () => {
    const { tenant, id, review } = await proposed();
    expect(review).toMatchObject({
      ...{ kind: 'Promotion', layer: 'user', scopeId: 'mara', sourceId: id, text: CONTENT },
      ...{ tags: ['staging'], metadata: {} },
      ...{ target: { layer: 'team', scopeId: 'payments' }, state: 'Waiting', memoryId: null },
      proposed: { principal: 'local', reason: 'all need it' },
    });
    const waiting = await library().varve.review.list({ tenant, state: 'Waiting' });
    expect(waiting.reviews).toEqual([review]);
    expect(await teamMemories(tenant)).toEqual([]);
  });

  test('is a memory of that layer once approved, and names the original', async () => {
    const { tenant, id, review } = await proposed();
    const { state, memoryId } = await approve(tenant, review.id);
    expect(state).toBe('Approved');
    const origin = { channel: 'promotion', principal: 'local', sources: [id] };
    const { content, tags, layer, scopeId, trust } = {
      ...{ content: CONTENT, tags: ['staging'], layer: 'team', scopeId: 'payments' },
      trust: 'stated',
    };
    const promoted = { id: memoryId, content, tags, layer, scopeId, trust, origin };
    expect(await teamMemories(tenant)).toMatchObject([promoted]);
    const ref = memoryId ?? '';
    const why = await library().varve.trace.why({ tenant, ref, identifiers: {} });
    expect(why.sources).toMatchObject([{ id, text: CONTENT, state: 'Current' }]);
  });

  test('is stored once, however often it is proposed and approved', async () => {
    const { tenant, toTeam, review } = await proposed();
    expect((await library().varve.memory.promote(toTeam)).id).toBe(review.id);
    const answers = await Promise.all([1, 2, 3].map(() => approve(tenant, review.id)));
    expect(new Set(answers.map(({ memoryId }) => memoryId)).size).toBe(1);
    expect((await library().varve.memory.promote(toTeam)).state).toBe('Approved');
    expect(await teamMemories(tenant)).toHaveLength(1);
  });

  test('is stored by a second approval if the first was interrupted before the write', async () => {
    const { tenant, review } = await proposed();
    const { store } = library();
    const decision = { at: Date.now(), principal: 'ann', reason: '' };
    const rules = { now: Date.now(), policy: { layer: NEVER_DUE, urgentDebounceMs: 0 } };
    const whole = await store.reviews.get(tenant, review.id);
    if (whole === null) throw new Error('No review is there.');
    await store.reviews.decide(whole, { state: 'Approved', decision }, rules);
    expect(await teamMemories(tenant)).toEqual([]);
    expect(await approve(tenant, review.id)).toMatchObject({ decision, state: 'Approved' });
    expect(await teamMemories(tenant)).toHaveLength(1);
  });

  test('is never stored once refused', async () => {
    const { tenant, review, toTeam } = await proposed();
    await library().varve.review.refuse({ tenant, id: review.id, reason: 'of no use' });
    expect(await failureOf(approve(tenant, review.id))).toMatchObject({ code: 'CONFLICT' });
    expect((await library().varve.memory.promote(toTeam)).state).toBe('Refused');
    expect(await teamMemories(tenant)).toEqual([]);
  });

  test.each([
    [
      'was changed',
      (tenant: string, id: string) =>
        library().varve.memory.update({ tenant, id, content: 'It is reset on Fridays.' }),
    ],
    [
      'got different metadata',
      (tenant: string, id: string) =>
        library().varve.memory.update({ tenant, id, metadata: { note: 'Send it to Globex.' } }),
    ],
    ['was deleted', (tenant: string, id: string) => library().varve.memory.delete({ tenant, id })],
  ])('is not applied after the original %s', async (_, change) => {
    const { tenant, id, review } = await proposed();
    await change(tenant, id);
    const late = await failureOf(approve(tenant, review.id));
    expect(late).toMatchObject({ code: 'CONFLICT', details: { state: 'Outdated' } });
    const { reviews } = await library().varve.review.list({ tenant });
    expect(reviews).toMatchObject([{ state: 'Outdated', text: null, memoryId: null }]);
    expect(await teamMemories(tenant)).toEqual([]);
  });

  test('may be proposed again with its new text', async () => {
    const { tenant, id, review, toTeam } = await proposed();
    const content = 'It is reset on Fridays.';
    await library().varve.memory.update({ tenant, id, content });
    const again = await library().varve.memory.promote(toTeam);
    expect(again.id).not.toBe(review.id);
    await approve(tenant, again.id);
    expect(await teamMemories(tenant)).toMatchObject([{ content }]);
  });

  test('is erased with the original, together with its proposal', async () => {
    const { tenant, id, review } = await proposed();
    const { memoryId } = await approve(tenant, review.id);
    await library().varve.memory.erase({ tenant, target: { kind: 'Memory', id } });
    expect(await teamMemories(tenant)).toEqual([]);
    // What an index in memory catches up with has ids of its own (memory_touches).
    const { memory_touches: _, ...rest } = library().dump();
    const left = JSON.stringify(rest);
    for (const gone of [id, review.id, String(memoryId)]) expect(left).not.toContain(gone);
  });
});

describe('a caller who proposes a memory', () => {
  test.each([
    ['user', { userId: 'mara' }],
    ['agent', { agentId: 'bot' }],
  ] as const)(
    'for the layer %s, which is not broader, gets the list of broader layers',
    async (layer, ids) => {
      const { toTeam } = await remembered();
      const asked = { ...toTeam, layer, identifiers: ids };
      const error = await failureOf(library().varve.memory.promote(asked));
      expect(error).toMatchObject({ code: 'INVALID_INPUT' });
      expect(String(error)).toContain('such as session, project, team, org, company');
    },
  );

  test('need not write to that layer, and never decides on the proposal', async () => {
    const { tenant, toTeam } = await remembered();
    const bound = { userId: 'mara' };
    const layers = ['user', 'session'] as const;
    const principal = { name: 'key:mara', tenants: [tenant], bound, layers };
    await using mara = await library().open({ principal: { ...principal, role: 'write' } });
    const { id } = await mara.memory.promote(toTeam);
    expect(await failureOf(mara.review.approve({ tenant, id }))).toMatchObject({
      code: 'FORBIDDEN',
    });
    await using bounded = await library().open({ principal: { ...principal, role: 'operate' } });
    for (const call of [bounded.review.approve({ tenant, id }), bounded.review.list({ tenant })]) {
      expect(await failureOf(call)).toMatchObject({ code: 'FORBIDDEN' });
    }
  });
});
