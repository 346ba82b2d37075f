/** Erasure of a tenant: all of its data is gone, and no other tenant loses anything. */
import { describe, expect, it } from 'vitest';

import type { Store } from '#core/ports/store.ts';
import type { Memory } from '#core/records/memory.ts';

import { sharedStore, type Open } from './adapter.ts';
import {
  blockOf,
  coreOf,
  lineOf,
  proposalOf,
  scheduleOf,
  subjectIdOf,
} from './document-samples.ts';
import { everything, fill } from './isolation-suite.ts';
import {
  memoryOf,
  MINUTE_MS,
  NOW,
  ownerOf,
  policyOf,
  rulesAt,
  turnOf,
  userScope,
} from './samples.ts';
import { byVector, byWords, GENERATION } from './search-samples.ts';

const GONE = 'gone-tenant-7';
const STAYS = 'staying-tenant-8';
/** No record of another tenant has such a word in it. */
const WORD = 'xylophone';
/** Writes that were under way when their process died are ended by then. */
const LATER = NOW + MINUTE_MS;
/** More steps than any erasure of these tests has. */
const CALLS_MAX = 500;
const STEPS_MAX = 500;
const PERIOD = '2026-11';

async function fillAll(store: Store, tenant: string): Promise<void> {
  await fill(store, tenant);
  const word = tenant === GONE ? WORD : 'piano';
  const content = `The ${word} stands in the hall.`;
  await store.memories.add(memoryOf(tenant, 8, { content, tags: [word] }), rulesAt(NOW));
  await store.turns.append([turnOf(tenant, 8, { content })], rulesAt(NOW));
  await fillTiers(store, tenant, content);
  // What is deleted leaves its history, and may leave its vector.
  await store.memories.delete({ tenant, id: memoryOf(tenant, 1).id }, rulesAt(NOW));
}

/** The text in every place that a Markdown memory and its dreams have for it. */
async function fillTiers(store: Store, tenant: string, content: string): Promise<void> {
  const [subject, subjectId] = [`user/${content}`, subjectIdOf(8)];
  const lines = [lineOf(1, { text: content, heading: content })];
  const words = { subject, lines, heading: content, path: `memory/${content}.md`, key: content };
  await store.documents.append(blockOf(tenant, 8, words), { subjectId });
  await store.documents.put(coreOf(tenant, 1, { subject, lines }));
  const known = await store.subjects.get(tenant, subject);
  if (known === null) throw new Error('The subject was announced.');
  await store.subjects.put({ ...known, tombstones: [content], version: 2 });
  await store.dreamSchedules.put(scheduleOf(tenant, { name: content, startedAfter: subject }));
  const dropped = [{ text: content, reason: content }];
  const proposed = { subject, subjectId, lines, archived: lines, diary: lines, dropped };
  await store.proposals.put(proposalOf(tenant, 8, proposed));
}

/** Answers how many records each step deleted. */
async function eraseAll(store: Store, tenant: string, limit: number): Promise<number[]> {
  const steps: number[] = [];
  while (steps.length < CALLS_MAX) {
    const { deleted, isDone } = await store.eraseTenant(tenant, { limit, now: LATER });
    steps.push(deleted);
    if (isDone) return steps;
  }
  throw new Error('The erasure has no end.');
}

export function erasureSuite(open: Open): void {
  describe('erasure', () => {
    remainderSuite(open);
    claimSuite(open);
    searchSuite(open);
    it.each([3, 1_000])(
      'an erasure in steps of %i continues after a crash at any step',
      async (limit) => {
        await using opened = await open();
        await fillAll(opened.store, GONE);
        await fillAll(opened.store, STAYS);
        const stays = await everything(opened.store, STAYS);
        let deaths = 0;
        for (let step = 0; step < STEPS_MAX; step += 1) {
          opened.crashAt(step);
          const done = await eraseAll(opened.store, GONE, limit).catch(() => null);
          if (done === null) expect(opened.hasCrashed()).toBe(true);
          await opened.reopen();
          if (done !== null) break;
          deaths += 1;
        }
        expect(deaths).toBeGreaterThanOrEqual(opened.stepsMin);
        const raw = await opened.raw();
        expect(raw).not.toContain(GONE);
        expect(raw).toContain(STAYS);
        expect(await everything(opened.store, STAYS)).toEqual(stays);
        expect(await opened.store.health()).toMatchObject({ ok: true, findings: [] });
      },
    );
  });
}

function remainderSuite(open: Open): void {
  it('K8S-04: an erasure leaves nothing that names the tenant or contains its text', async () => {
    await using opened = await open();
    const { store } = opened;
    const empty = await everything(store, GONE);
    await fillAll(store, STAYS);
    const stays = await everything(store, STAYS);
    await fillAll(store, GONE);
    for (const text of [GONE, WORD]) expect(await opened.raw()).toContain(text);
    await eraseAll(store, GONE, 1_000);
    const raw = await opened.raw();
    for (const text of [GONE, WORD]) expect(raw).not.toContain(text);
    expect(await everything(store, GONE)).toEqual(empty);
    expect(await everything(store, STAYS)).toEqual(stays);
    expect(await eraseAll(store, GONE, 10)).toEqual([0]);
  });

  it('each step deletes at most its limit, and the last one deletes the policy', async () => {
    await using opened = await open();
    const { store } = opened;
    await fillAll(store, GONE);
    const steps: number[] = [];
    for (let isDone = false; !isDone;) {
      expect(await store.policies.get(GONE)).not.toBeNull();
      const step = await store.eraseTenant(GONE, { limit: 4, now: LATER });
      steps.push(step.deleted);
      ({ isDone } = step);
    }
    expect(await store.policies.get(GONE)).toBeNull();
    expect(Math.max(...steps)).toBe(4);
    expect(steps.at(-1)).toBeLessThanOrEqual(4);
  });

  it('a later step deletes what is written during the erasure', async () => {
    await using opened = await open();
    const { store } = opened;
    await fillAll(store, GONE);
    let written = 20;
    for (let isDone = false; !isDone; written += 1) {
      ({ isDone } = await store.eraseTenant(GONE, { limit: 10, now: LATER }));
      if (isDone || written > 24) continue;
      const writes = [
        store.memories.add(memoryOf(GONE, written), rulesAt(NOW)),
        store.turns.append([turnOf(GONE, written)], rulesAt(NOW)),
        store.refreshRequests.want(GONE),
        store.documents.append(blockOf(GONE, written), { subjectId: subjectIdOf(1) }),
        store.proposals.put(proposalOf(GONE, written)),
      ];
      // At the same time as the step that follows.
      const [step] = await Promise.all([
        store.eraseTenant(GONE, { limit: 10, now: LATER }),
        Promise.allSettled(writes),
      ]);
      ({ isDone } = step);
    }
    await eraseAll(store, GONE, 1_000);
    expect(await opened.raw()).not.toContain(GONE);
  });

  it('an erasure that keeps the policy deletes everything else', async () => {
    await using opened = await open();
    const { store } = opened;
    await fillAll(store, GONE);
    const kept = await store.policies.get(GONE);
    expect(kept).not.toBeNull();
    const step = { limit: 10, now: LATER, keepsPolicy: true };
    for (let isDone = false; !isDone;) ({ isDone } = await store.eraseTenant(GONE, step));
    expect(await store.policies.get(GONE)).toEqual(kept);
    expect(await store.eraseTenant(GONE, step)).toEqual({ deleted: 0, isDone: true });
    // What somebody wrote who was at work all the time.
    await store.memories.add(memoryOf(GONE, 9), rulesAt(NOW));
    for (let isDone = false; !isDone;) ({ isDone } = await store.eraseTenant(GONE, step));
    expect(await eraseAll(store, GONE, 10)).toEqual([1]);
    expect(await opened.raw()).not.toContain(GONE);
  });

  it('an erased tenant can be created again and starts empty', async () => {
    await using opened = await open();
    const { store } = opened;
    await fillAll(store, GONE);
    await eraseAll(store, GONE, 1_000);
    const put = await store.policies.put(ownerOf('heir'), policyOf(GONE), { hash: 'h', now: NOW });
    expect(put).toMatchObject({ kind: 'Applied', record: { generation: 1 } });
    const limits = { ...policyOf(GONE, 5).budget, policyGeneration: 1 };
    expect(await store.accounts.setLimits(GONE, PERIOD, limits)).toBe(true);
    await store.memories.add(memoryOf(GONE, 1), rulesAt(NOW));
    expect(await store.scopes.get(userScope(GONE))).toMatchObject({ sourceCount: 1 });
  });
}

/** Whose tenant it is to erase, where a leader does. */
function claimSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('only the owner can erase a tenant, once released and as the latest leader', async () => {
    const { store, tenant } = fixture();
    const owner = { ...ownerOf('a'), cluster: tenant };
    const erase = (by = { owner, epoch: 1 }) =>
      store.eraseTenant(tenant, { limit: 100, now: LATER, by });
    const refused = { code: 'CONFLICT' };
    await store.policies.put(owner, policyOf(tenant), { hash: 'h', now: NOW, epoch: 1 });
    await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    await expect(erase()).rejects.toMatchObject(refused);
    await store.policies.release(tenant, owner, { now: NOW, epoch: 1 });
    await expect(erase({ owner: ownerOf('b'), epoch: 1 })).rejects.toMatchObject(refused);
    await store.policies.fence(tenant, 2);
    await expect(erase()).rejects.toMatchObject(refused);
    expect(await store.memories.get(tenant, memoryOf(tenant, 1).id)).not.toBeNull();
    for (let isDone = false; !isDone;) ({ isDone } = await erase({ owner, epoch: 2 }));
    expect(await store.memories.get(tenant, memoryOf(tenant, 1).id)).toBeNull();
    // A repetition after a death finds nothing; an earlier leader finds what came after.
    expect(await erase({ owner, epoch: 2 })).toEqual({ deleted: 0, isDone: true });
    const heir = { ...owner, uid: 'another uid' };
    await store.policies.put(heir, policyOf(tenant), { hash: 'h', now: NOW, epoch: 2 });
    await store.memories.add(memoryOf(tenant, 2), rulesAt(NOW));
    await expect(erase({ owner, epoch: 2 })).rejects.toMatchObject(refused);
    expect(await store.memories.get(tenant, memoryOf(tenant, 2).id)).not.toBeNull();
    expect(await store.policies.get(tenant)).toMatchObject({ owner: heir });
  });
}

/** What is kept in memory for searches is of the tenant as it is now. */
function searchSuite(open: Open): void {
  const fixture = sharedStore(open);
  const embedded = { embeddingGeneration: GENERATION, vector: [1, 0] };
  const addAll = async (store: Store, memories: readonly Memory[]): Promise<string[]> => {
    for (const memory of memories) await store.memories.add(memory, rulesAt(NOW));
    return memories.map(({ id }) => id);
  };
  const memoriesOf = (tenant: string, numbers: readonly number[]) =>
    numbers.map((n) => memoryOf(tenant, n, embedded));
  const foundIds = async (store: Store, tenant: string): Promise<string[]> => {
    const queries = [byWords('garden', { limit: 20 }), byVector([1, 0], { limit: 20 })];
    const ids: string[] = [];
    for (const query of queries) {
      const { candidates } = await store.memories.search(userScope(tenant), query);
      ids.push(...candidates.map(({ memory }) => memory.id));
    }
    return [...new Set(ids)].toSorted();
  };

  it('after an erasure, a search finds only what was added later', async () => {
    const { store, tenant } = fixture();
    const before = await addAll(store, memoriesOf(tenant, [1, 2, 3]));
    expect(await foundIds(store, tenant)).toEqual(before);
    await eraseAll(store, tenant, 1_000);
    expect(await foundIds(store, tenant)).toEqual([]);
    const [first = ''] = await addAll(store, memoriesOf(tenant, [4]));
    expect(await foundIds(store, tenant)).toEqual([first]);
  });

  it('after an erasure, a search finds only new memories without a search in between', async () => {
    const { store, tenant } = fixture();
    const before = await addAll(store, memoriesOf(tenant, [1, 2, 3]));
    expect(await foundIds(store, tenant)).toEqual(before);
    await eraseAll(store, tenant, 1_000);
    // As many as before, and one more: to count them tells nothing.
    const after = await addAll(store, memoriesOf(tenant, [4, 5, 6, 7]));
    expect(await foundIds(store, tenant)).toEqual(after);
  });
}
