/** Every write of a store, over records that `fill` made, for tests of crashes within a write. */
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import type { Store } from '#core/ports/store.ts';
import { IDEMPOTENCY_MS } from '#core/records/idempotency.ts';

import { answerOf } from './answer-suite.ts';
import { contentKey, uniting } from './deduplication-suite.ts';
import { fillDocuments, writesOf } from './document-harness.ts';
import { stateOf } from './embedding-state-suite.ts';
import { claim, commitOf, refresh } from './refresh.ts';
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
import { providerOf } from './model-provider-suite.ts';
import { DECISION, plantedTurn, promotionOf } from './review-suite.ts';
import { segmentIdOf, segmentOf } from './segment-suite.ts';
import { commitVariant, variantOf } from './variant-suite.ts';

export const TENANT = 'acme';
export const SCOPE = userScope(TENANT);
const BUDGET = { ...defaultPolicy(TENANT).budget, limitTokens: 100 };

const NEXT = 'model-2';
const EMBEDDED = { embeddingGeneration: 'hash-1', vector: [1, 0] };
const KEYED = { content: 'Tea.', key: contentKey('Tea.') };
const CALIBRATION = { generation: NEXT, unrelatedCosine: 0.25, sentences: '1' };
const STATE = stateOf(TENANT, { target: NEXT, phase: 'Filling', startedAt: NOW });
const PROMOTION = promotionOf(memoryOf(TENANT, 3), 30);
const PROVIDER = { name: 'endpoint', owner: ownerOf('provider') };
const CLAIM = {
  tenant: TENANT,
  key: 'key-1',
  bodyHash: 'body-1',
  operationId: 'operation-1',
  now: NOW,
};

/** The vector of the next generation of one memory. */
function vectorsOf(n: number) {
  const { id, contentHash } = memoryOf(TENANT, n);
  return { generation: NEXT, vectors: [{ id, contentHash, vector: [0, 1] }] };
}

/** Writes that change the sources of a scope. */
export const SOURCE_WRITES: ReadonlySet<string> = new Set([
  'memories.add',
  'memories.add with the key of an expired memory',
  'memories.update',
  'memories.delete',
  'memories.addMany',
  'memories.deleteMany',
  'turns.append',
  'turns.compact',
  'turns.append of one that is held back',
  'reviews.decide that approves a turn',
]);

export type Write = (store: Store) => Promise<unknown>;

async function compactOld(store: Store): Promise<unknown> {
  const scope = await store.scopes.get(sessionScope(TENANT));
  const turns = [{ id: 'turn-1', sequence: 1, quotes: ['What was said'] }];
  return store.turns.compact({ scope, turns }, rulesAt(NOW));
}

async function approveTurn(store: Store): Promise<unknown> {
  const reviews = await store.reviews.list(TENANT, { limit: 10 });
  const review = reviews.find(({ kind }) => kind === 'Turn');
  if (review === undefined) throw new Error('No turn waits.');
  return store.reviews.decide(review, { state: 'Approved', decision: DECISION }, rulesAt(NOW));
}

export const WRITES: Readonly<Record<string, Write>> = {
  'memories.add': (store) =>
    store.memories.add(
      memoryOf(TENANT, 9, { embeddingGeneration: 'hash-1', vector: [0, 1], key: 'key-9' }),
      rulesAt(NOW),
    ),
  'memories.add with the key of an expired memory': (store) =>
    store.memories.add(memoryOf(TENANT, 9, { key: 'expiring' }), rulesAt(NOW + 10)),
  'memories.update': (store) =>
    store.memories.update(
      { tenant: TENANT, id: idOf(1) },
      { content: { ...newContent('Other.'), vector: [1, 1], embeddingGeneration: 'hash-1' } },
      rulesAt(NOW),
    ),
  'memories.delete': (store) =>
    store.memories.delete({ tenant: TENANT, id: idOf(1) }, rulesAt(NOW)),
  'memories.add that unites': (store) =>
    store.memories.add(memoryOf(TENANT, 9, { ...KEYED, tags: ['new'] }), uniting(NOW)),
  'memories.update of a content with its key': (store) =>
    store.memories.update(
      { tenant: TENANT, id: idOf(4) },
      { content: newContent('Coffee.') },
      rulesAt(NOW),
    ),
  'turns.append': (store) =>
    store.turns.append([turnOf(TENANT, 2), turnOf(TENANT, 3)], rulesAt(NOW)),
  'turns.compact': compactOld,
  'turns.append of one that is held back': (store) =>
    store.turns.append([plantedTurn(TENANT, 6)], rulesAt(NOW)),
  'reviews.decide that approves a turn': approveTurn,
  'reviews.propose': (store) =>
    store.reviews.propose(promotionOf(memoryOf(TENANT, 4, KEYED), 31), rulesAt(NOW)),
  'reviews.notePromoted': (store) => store.reviews.notePromoted(PROMOTION, idOf(32)),
  'answers.forget': (store) => store.answers.forget(TENANT, { until: NOW, limit: 10 }),
  'scopes.lease': async (store) => {
    const scope = await store.scopes.get(SCOPE);
    await store.scopes.lease([{ scope, lease: leaseOf(scope) }], NOW);
  },
  'scopes.replace': async (store) => {
    const scope = await store.scopes.get(SCOPE);
    await store.scopes.replace({ ...scope, attempts: 1, version: scope.version + 1 });
  },
  'summaries.commit': async (store) => {
    const claimed = await claim(store, SCOPE, NOW);
    await store.summaries.commit(commitOf(claimed.record, claimed, NOW));
  },
  'summaries.commit of an empty scope': async (store) => {
    const claimed = { record: await store.scopes.get(SCOPE), sources: [] };
    await store.summaries.commit(commitOf(claimed.record, claimed, NOW));
  },
  'segments.put': (store) => store.segments.put([segmentOf(SCOPE, 3)]),
  'segments.keepOnly': (store) => store.segments.keepOnly(SCOPE, [segmentIdOf(1)]),
  'summaries.commit of a variant': (store) => commitVariant(store, SCOPE, 'user:bob'),
  'variants.put': (store) => store.variants.put(variantOf(SCOPE, 'user:carl')),
  'variants.put at a version': (store) =>
    store.variants.put(variantOf(SCOPE, 'user:bob', { dueAt: null, version: 2 })),
  'accounts.reserve': (store) => reserve(store, 'attempt-2'),
  'accounts.settle': (store) =>
    store.accounts.settle({ tenant: TENANT, attemptId: 'attempt-1' }, null, {
      outcome: 'UnknownOutcome',
      now: NOW,
    }),
  'accounts.setLimits': (store) =>
    store.accounts.setLimits(TENANT, '2026-11', { ...BUDGET, limitTokens: 7 }),
  'accounts.grant': (store) =>
    store.accounts.grant(
      { tenant: TENANT, period: '2026-11', budget: BUDGET },
      {
        id: 'grant-1',
        key: 'key-1',
        amount: { tokens: 5, microDollars: 0 },
        principal: 'tester',
        reason: 'more',
        at: NOW,
      },
    ),
  'answers.put': (store) => store.answers.put(answerOf(TENANT, { attemptId: 'attempt-2' })),
  'answers.close': (store) => store.answers.close(TENANT, 'batch-1'),
  'policies.put': (store) =>
    store.policies.put(ownerOf('a'), policyOf(TENANT, 5), { hash: 'hash-2', now: NOW }),
  'policies.put with a precondition': (store) =>
    store.policies.put(ownerOf('a'), policyOf(TENANT, 5), {
      hash: 'hash-2',
      now: NOW,
      epoch: 3,
      expectedGeneration: 1,
    }),
  'policies.release': (store) => store.policies.release(TENANT, ownerOf('a'), { now: NOW }),
  'modelProviders.put': (store) =>
    store.modelProviders.put(PROVIDER, providerOf('other'), { hash: 'hash-2', now: NOW }),
  'modelProviders.recordCheck': (store) =>
    store.modelProviders.recordCheck(PROVIDER.name, {
      hash: 'hash-1',
      at: NOW,
      state: 'Available',
      code: null,
    }),
  'modelProviders.remove': (store) => store.modelProviders.remove(PROVIDER, {}),
  'refreshRequests.want': (store) => store.refreshRequests.want(TENANT),
  'refreshRequests.acknowledge': (store) => store.refreshRequests.acknowledge(TENANT, 1),
  'events.append': (store) => store.events.append(eventOf(TENANT, 'e-9')),
  'embeddings.putState': (store) =>
    store.embeddings.putState({ ...STATE, phase: 'Paused', version: 2 }),
  'embeddings.putCalibration': (store) =>
    store.embeddings.putCalibration({ ...CALIBRATION, unrelatedCosine: 0.5 }),
  'embeddings.putVectors': (store) =>
    store.embeddings.putVectors(TENANT, { ...vectorsOf(3), own: true }),
  'embeddings.adopt': (store) => store.embeddings.adopt(TENANT, NEXT, 10),
  'embeddings.drop': (store) => store.embeddings.drop(TENANT, NEXT, 10),
  'idempotency.claim': (store) =>
    store.idempotency.claim({ ...CLAIM, key: 'other', operationId: 'operation-9' }),
  'idempotency.answer': (store) => store.idempotency.answer(TENANT, CLAIM.key, { id: idOf(1) }),
  'idempotency.release': (store) => store.idempotency.release(TENANT, CLAIM.key, CLAIM.operationId),
  'idempotency.sweep': (store) => store.idempotency.sweep(TENANT, NOW + IDEMPOTENCY_MS),
  ...writesOf(TENANT),
};

/** Writes of several memories: each of them is whole or absent. */
export const BULK_WRITES: Readonly<Record<string, Write>> = {
  'memories.addMany': (store) =>
    store.memories.addMany(
      [7, 8, 9].map((n) => memoryOf(TENANT, n, { ...EMBEDDED, key: `key-${n}` })),
      rulesAt(NOW),
    ),
  'memories.deleteMany': (store) =>
    store.memories.deleteMany(
      [1, 3, 4].map((n) => ({ tenant: TENANT, id: idOf(n) })),
      rulesAt(NOW),
    ),
};

export async function fill(store: Store): Promise<void> {
  await store.memories.add(memoryOf(TENANT, 1, EMBEDDED), rulesAt(NOW));
  const expiring = { key: 'expiring', expiresAt: NOW + 5 };
  await store.memories.add(memoryOf(TENANT, 2, expiring), rulesAt(NOW));
  await store.turns.append([turnOf(TENANT, 1)], rulesAt(NOW));
  await refresh(store, SCOPE, NOW);
  await store.segments.put([segmentOf(SCOPE, 1), segmentOf(SCOPE, 2)]);
  for (const audience of ['user:ann', 'user:bob']) {
    await store.variants.put(variantOf(SCOPE, audience));
  }
  await commitVariant(store, SCOPE, 'user:ann');
  await store.memories.add(memoryOf(TENANT, 3), rulesAt(NOW));
  await store.memories.add(memoryOf(TENANT, 4, KEYED), rulesAt(NOW));
  await store.turns.append([plantedTurn(TENANT, 5)], rulesAt(NOW));
  await store.reviews.propose(PROMOTION, rulesAt(NOW));
  await store.embeddings.putVectors(TENANT, { ...vectorsOf(1), own: false });
  await store.embeddings.putState(STATE);
  await store.embeddings.putCalibration(CALIBRATION);
  await store.idempotency.claim(CLAIM);
  await reserve(store, 'attempt-1');
  await store.answers.put(answerOf(TENANT));
  await store.policies.put(ownerOf('a'), policyOf(TENANT), { hash: 'hash-1', now: NOW });
  await store.modelProviders.put(PROVIDER, providerOf(), { hash: 'hash-1', now: NOW });
  await store.refreshRequests.want(TENANT);
  await fillDocuments(store, TENANT);
}

function reserve(store: Store, attemptId: string): Promise<unknown> {
  const whole = { tenant: TENANT, batchId: 'b', purpose: 'summary', model: 'm' } as const;
  const attempt = { ...whole, attemptId };
  const amount = { tokens: 10, microDollars: 0 };
  return store.accounts.reserve({ attempt, amount, budget: BUDGET, now: NOW });
}
