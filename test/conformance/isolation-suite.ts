/** Every method touches only the records of its tenant, even if all other keys are equal. */
import { describe, expect, it } from 'vitest';

import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import type { IdempotencyClaim, Store } from '#core/ports/store.ts';
import { IDEMPOTENCY_MS } from '#core/records/idempotency.ts';

import { answerOf } from './answer-suite.ts';
import type { Open } from './adapter.ts';
import { changeDocuments, documentsOf, fillDocuments } from './document-harness.ts';
import { stateOf } from './embedding-state-suite.ts';
import { plantedTurn, promotionOf } from './review-suite.ts';
import { allSources, refresh } from './refresh.ts';
import {
  eventOf,
  idOf,
  leaseOf,
  memoryOf,
  newContent,
  NOW,
  ownerOf,
  policyOf,
  rulesAt,
  sessionScope,
  turnOf,
  userScope,
} from './samples.ts';
import { segmentIdOf, segmentOf } from './segment-suite.ts';
import { variantOf } from './variant-suite.ts';
import { byVector, byWords, GENERATION, pageOf } from './search-samples.ts';

/** One of the two comes before the other in every index. */
const MINE = 'mine';
const THEIRS = 'theirs';
const BUDGET = { ...defaultPolicy(MINE).budget, limitTokens: 100 };
/** Later than anything that is written here. */
const EVER = NOW + 1_000_000_000;
const PERIOD = '2026-11';
const NEXT = 'model-2';
const OF_NEXT = { generation: NEXT, now: NOW };
const EMBEDDED = { embeddingGeneration: GENERATION, vector: [1, 0] };

/** It ended, so that what it was on is due. */
const VARIANT_LEASE = { claimId: 'claim-1', batchId: 'batch-1', until: NOW, model: 'm' };

/** Writes records of every kind, with the same keys for every tenant. */
export async function fill(store: Store, tenant: string): Promise<void> {
  const keyed = { ...EMBEDDED, key: 'key-1' };
  await store.memories.add(memoryOf(tenant, 1, keyed), rulesAt(NOW));
  await store.memories.add(memoryOf(tenant, 2), rulesAt(NOW));
  const turns = [turnOf(tenant, 1), turnOf(tenant, 2), plantedTurn(tenant, 9)];
  await store.turns.append(turns, rulesAt(NOW));
  await store.reviews.propose(promotionOf(memoryOf(tenant, 1, keyed), 1), rulesAt(NOW));
  await refresh(store, userScope(tenant), NOW);
  await store.variants.put(variantOf(userScope(tenant), 'user:ann', { lease: VARIANT_LEASE }));
  await store.segments.put([1, 2].map((n) => segmentOf(userScope(tenant), n)));
  await store.memories.add(memoryOf(tenant, 3), rulesAt(NOW, 1));
  await reserve(store, tenant, 'attempt-1');
  await store.answers.put(answerOf(tenant));
  await store.policies.put(ownerOf('a'), policyOf(tenant), { hash: 'hash-1', now: NOW });
  await store.refreshRequests.want(tenant);
  await store.events.append(eventOf(tenant, 'e-1'));
  await store.memories.addMany([memoryOf(tenant, 4), memoryOf(tenant, 5)], rulesAt(NOW));
  await store.embeddings.putVectors(tenant, { ...vectorOf(tenant, 1), own: false });
  await store.embeddings.putState(stateOf(tenant, { target: NEXT, phase: 'Filling' }));
  await store.idempotency.claim({ ...CLAIM, tenant });
  await fillDocuments(store, tenant);
}

/** Claims tell what is kept only by changing it; a claim of the same again changes nothing. */
const CLAIM = { key: 'key-1', bodyHash: 'body-1', operationId: 'operation-1', now: NOW };

/** The vector of the next generation of one memory. */
function vectorOf(tenant: string, n: number) {
  const { id, contentHash } = memoryOf(tenant, n);
  return { generation: NEXT, vectors: [{ id, contentHash, vector: [0, 1] }] };
}

async function reserve(store: Store, tenant: string, attemptId: string): Promise<void> {
  const whole = { tenant, batchId: 'batch-1', purpose: 'summary', model: 'm' } as const;
  const attempt = { ...whole, attemptId };
  const amount = { tokens: 10, microDollars: 0 };
  await store.accounts.reserve({ attempt, amount, budget: BUDGET, now: NOW });
}

/** Everything that can be read of a tenant, by what it is. */
export async function everything(store: Store, tenant: string): Promise<Record<string, unknown>> {
  const session = sessionScope(tenant);
  const scopes = [userScope(tenant)];
  const whole = { beforeVersion: null, limit: 10 };
  const contentHashes = [1, 2, 3].map((n) => memoryOf(tenant, n).contentHash);
  const sizes = await store.storageSizes(100);
  return {
    memory1: await store.memories.get(tenant, idOf(1)),
    memory2: await store.memories.get(tenant, idOf(2)),
    memory3: await store.memories.get(tenant, idOf(3)),
    memory4: await store.memories.get(tenant, idOf(4)),
    list: await pageOf(store, scopes),
    byVector: await store.memories.search(userScope(tenant), byVector([1, 0])),
    byWords: await store.memories.search(userScope(tenant), byWords('garden')),
    history1: await store.memories.history({ tenant, id: idOf(1) }, whole),
    history2: await store.memories.history({ tenant, id: idOf(2) }, whole),
    state: await store.embeddings.state(tenant),
    cached: [...(await store.embeddings.cached(tenant, { generation: GENERATION, contentHashes }))],
    missing: await store.embeddings.missing(tenant, { ...OF_NEXT, after: null, limit: 10 }),
    progress: await store.embeddings.progress(tenant, OF_NEXT),
    sizes: sizes.filter((size) => size.tenant === tenant),
    turns: await store.turns.latest({ tenant, sessionId: 'call' }, 10),
    reviews: await store.reviews.list(tenant, { limit: 10 }),
    waiting: await store.reviews.list(tenant, { limit: 10, state: 'Waiting' }),
    oldSessions: await store.turns.oldSessions(tenant, { until: EVER, place: null, limit: 10 }),
    oldTurns: await store.turns.old(
      { tenant, sessionId: 'call' },
      { until: EVER, after: 0, limit: 9 },
    ),
    scopes: await store.scopes.list(tenant, 10),
    sources: await allSources(store, userScope(tenant), NOW),
    sessionSources: await allSources(store, session, NOW),
    due: await store.scopes.due(tenant, { until: NOW, now: NOW, limit: 10 }),
    ofClaim: await store.scopes.leased(tenant, { claimId: 'claim-1' }),
    ofBatch: await store.scopes.leased(tenant, { batchId: 'batch-1' }),
    summaries: await store.summaries.list(tenant, 10),
    summary: await store.summaries.get(userScope(tenant), ''),
    variant: await store.variants.get(userScope(tenant), 'user:ann'),
    variants: await store.variants.ofScope(userScope(tenant)),
    dueVariants: await store.variants.due(tenant, { until: NOW, now: NOW, limit: 10 }),
    variantsOfClaim: await store.variants.leased(tenant, { claimId: 'claim-1' }),
    variantsOfBatch: await store.variants.leased(tenant, { batchId: 'batch-1' }),
    segments: await store.segments.find(userScope(tenant), [1, 2].map(segmentIdOf)),
    listedSegments: await store.segments.list(userScope(tenant), { after: '', limit: 10 }),
    account: await store.accounts.get(tenant, PERIOD, BUDGET),
    entries: await store.accounts.entries(tenant, { limit: 10 }),
    answers: await store.answers.ofBatch(tenant, 'batch-1'),
    answer: await store.answers.find(tenant, 'batch-1', 'prompt-1'),
    policy: await store.policies.get(tenant),
    refreshRequest: await store.refreshRequests.get(tenant),
    events: await store.events.list(tenant, { afterId: null, limit: 10 }),
    ...(await documentsOf(store, tenant)),
  };
}

/** One write by every method, all on records that both tenants have. */
export async function changeAll(store: Store, tenant: string): Promise<void> {
  const scope = userScope(tenant);
  await store.memories.delete({ tenant, id: idOf(1) }, rulesAt(NOW));
  const content = newContent('Changed.');
  await store.memories.update({ tenant, id: idOf(2) }, { content }, rulesAt(NOW));
  await store.turns.append([turnOf(tenant, 3)], rulesAt(NOW));
  const decision = { at: NOW, principal: 'ann', reason: 'right' };
  for (const review of await store.reviews.list(tenant, { limit: 10 })) {
    await store.reviews.decide(review, { state: 'Approved', decision }, rulesAt(NOW));
    await store.reviews.notePromoted(review, idOf(9));
  }
  await refresh(store, scope, NOW);
  await store.segments.keepOnly(scope, [segmentIdOf(2)]);
  await store.variants.put(variantOf(scope, 'user:ann', { dueAt: null, version: 2 }));
  const said = await store.scopes.get(sessionScope(tenant));
  const kept = [{ id: 'turn-1', sequence: 1, quotes: ['What was said'] }];
  await store.turns.compact({ scope: said, turns: kept }, rulesAt(NOW));
  const session = await store.scopes.get(sessionScope(tenant));
  await store.scopes.lease([{ scope: session, lease: leaseOf(session) }], NOW);
  const record = await store.scopes.get(scope);
  await store.scopes.replace({ ...record, attempts: 2, version: record.version + 1 });
  const used = { tokens: 1, microDollars: 0 };
  const settlement = { outcome: 'Usage', now: NOW } as const;
  await store.accounts.settle({ tenant, attemptId: 'attempt-1' }, used, settlement);
  await reserve(store, tenant, 'attempt-2');
  await store.accounts.setLimits(tenant, PERIOD, { ...BUDGET, limitTokens: 5 });
  await store.answers.forget(tenant, { until: EVER, limit: 10 });
  await store.answers.close(tenant, 'batch-1');
  await store.policies.put(ownerOf('a'), policyOf(tenant, 5), { hash: 'hash-2', now: NOW });
  await store.refreshRequests.acknowledge(tenant, 1);
  await store.events.append(eventOf(tenant, 'e-2'));
  await store.memories.deleteMany([{ tenant, id: idOf(4) }], rulesAt(NOW));
  await store.memories.addMany([memoryOf(tenant, 6, { tokenCount: 3 })], rulesAt(NOW));
  await store.memories.add(memoryOf(tenant, 7, EMBEDDED), rulesAt(NOW));
  await store.embeddings.putVectors(tenant, { ...vectorOf(tenant, 5), own: false });
  await store.embeddings.adopt(tenant, NEXT, 10);
  await store.embeddings.drop(tenant, GENERATION, 10);
  await store.embeddings.putState(stateOf(tenant, { phase: 'Dropping', version: 2 }));
  await store.idempotency.answer(tenant, CLAIM.key, { id: idOf(1) });
  await changeDocuments(store, tenant);
}

/** What a claim of a key is told, which writes nothing while the key is kept. */
function claimed(store: Store, tenant: string): Promise<IdempotencyClaim> {
  return store.idempotency.claim({ ...CLAIM, tenant, operationId: 'operation-2' });
}

export function isolationSuite(open: Open): void {
  describe('tenants', () => {
    it('API-03: a tenant cannot see or change the data of another with the same keys', async () => {
      await using opened = await open();
      const { store } = opened;
      const empty = await everything(store, MINE);
      await fill(store, THEIRS);
      expect(await everything(store, MINE)).toEqual(empty);
      const theirs = await everything(store, THEIRS);
      expect(JSON.stringify(theirs)).not.toContain(MINE);
      await fill(store, MINE);
      expect(await everything(store, THEIRS)).toEqual(theirs);
      const renamed = JSON.stringify(await everything(store, MINE)).replaceAll(MINE, THEIRS);
      // Content hashes, ids and times are the same for both: the names of tenants differ alone.
      expect(JSON.parse(renamed)).toEqual(JSON.parse(JSON.stringify(theirs)));
    });

    it('API-03: no write of a tenant changes the data of another', async () => {
      await using opened = await open();
      const { store } = opened;
      await fill(store, MINE);
      await fill(store, THEIRS);
      const mine = await everything(store, MINE);
      const theirs = await everything(store, THEIRS);
      await changeAll(store, MINE);
      expect(await everything(store, THEIRS)).toEqual(theirs);
      const after = await everything(store, MINE);
      const same = Object.keys(mine).filter((what) => isEqual(mine[what], after[what]));
      // Vectors may be kept for contents that are seen again.
      expect(same.filter((what) => what !== 'cached')).toEqual(['memory3']);
    });

    it('idempotency keys of two tenants are independent', async () => {
      await using opened = await open();
      const { store } = opened;
      await fill(store, MINE);
      await fill(store, THEIRS);
      const unfinished = { kind: 'Unfinished', operationId: 'operation-1', startedAt: NOW };
      await store.idempotency.answer(MINE, CLAIM.key, { id: 'mine' });
      expect(await claimed(store, THEIRS)).toEqual(unfinished);
      await store.idempotency.release(THEIRS, CLAIM.key, 'operation-1');
      expect(await claimed(store, MINE)).toEqual({ kind: 'Answered', answer: { id: 'mine' } });
      await store.idempotency.sweep(MINE, NOW + IDEMPOTENCY_MS);
      expect(await claimed(store, THEIRS)).toMatchObject({ operationId: 'operation-2' });
    });
  });
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
