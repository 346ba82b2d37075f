/**
 * Connections cut around each command of a write, and servers that run a command twice: nothing is
 * lost or doubled.
 */
import { describe, expect, it } from 'vitest';

import { reservedOf } from '#core/budget/budget-account.ts';
import { sourceHashOf } from '#core/hash.ts';
import type { Store } from '#core/ports/store.ts';
import type { Memory } from '#core/records/memory.ts';
import { startCuttingProxy, type Cut, type CuttingProxy } from '#test/cluster/cutting-proxy.ts';
import { describeUnless } from '#test/cluster/needs.ts';
import { missingForMongodb } from '#test/cluster/test-mongodb.ts';
import { shared as openForAll } from '#test/shared-fixture.ts';

import { newTenant } from './adapter.ts';
import { blockOf, subjectIdOf } from './document-samples.ts';
import { openAnchors } from './mongodb-adapter.ts';
import { mongodbFixture } from './mongodb-fixture.ts';
import { createCrashPoint } from './crash-point.ts';
import { allSources, refresh } from './refresh.ts';
import { DECISION, plantedTurn, promotionOf } from './review-suite.ts';
import { putSegments, segmentIdOf, segmentOf } from './segment-suite.ts';
import {
  digest,
  idOf,
  memoryOf,
  newContent,
  NOW,
  ownerOf,
  policyOf,
  rulesAt,
  sessionScope,
  turnOf,
} from './samples.ts';
import { byWords, found, listedIds } from './search-samples.ts';

const STEPS_MAX = 40;
/** A store waits for a line that was cut, so several steps wait together. */
const STEPS_AT_ONCE = 4;
/** How soon the driver tries a line that was cut again; of itself after half a second. */
const LINE_AGAIN_MS = 10;
const TEST_MS_MAX = 180_000;
const BUDGET = { limitTokens: 100, limitMicroDollars: null, onExhausted: 'Reject' } as const;

/** Most writes take more; a claim is one insert. */
const STEPS_MIN = 1;

type Write = (store: Store, tenant: string) => Promise<unknown>;

/** A memory that is there before each write. */
function kept(tenant: string): Memory {
  return memoryOf(tenant, 9, { ...sessionScope(tenant), content: 'Tea.', key: 'kept' });
}

const KEPT = (tenant: string) => ({ tenant, id: idOf(9) });

const add: Write = (store, tenant) =>
  store.memories.add(memoryOf(tenant, 1, sessionScope(tenant)), rulesAt(NOW));
const append: Write = (store, tenant) =>
  store.turns.append([turnOf(tenant, 1), turnOf(tenant, 2)], rulesAt(NOW));
const reserve: Write = (store, tenant) => {
  const whole = { tenant, batchId: 'b', purpose: 'summary', model: 'm' } as const;
  const attempt = { ...whole, attemptId: 'attempt-1' };
  const amount = { tokens: 60, microDollars: 0 };
  return store.accounts.reserve({ attempt, amount, budget: BUDGET, now: NOW });
};

const settle: Write = async (store, tenant) => {
  await reserve(store, tenant);
  const attempt = { tenant, attemptId: 'attempt-1' };
  const used = { tokens: 50, microDollars: 0 };
  return store.accounts.settle(attempt, used, { outcome: 'Usage', now: NOW });
};
const summarize: Write = (store, tenant) => refresh(store, sessionScope(tenant), NOW);

const update: Write = (store, tenant) =>
  store.memories.update(KEPT(tenant), { tags: ['new'] }, rulesAt(NOW));
const rewrite: Write = (store, tenant) =>
  store.memories.update(KEPT(tenant), { content: newContent('Coffee.') }, rulesAt(NOW));
const remove: Write = (store, tenant) => store.memories.delete(KEPT(tenant), rulesAt(NOW));
const addMany: Write = (store, tenant) =>
  store.memories.addMany(
    [1, 2, 3].map((n) => memoryOf(tenant, n, sessionScope(tenant))),
    rulesAt(NOW),
  );
const deleteMany: Write = (store, tenant) =>
  store.memories.deleteMany([KEPT(tenant), { tenant, id: idOf(404) }], rulesAt(NOW));
const unite: Write = (store, tenant) =>
  store.memories.add(
    { ...kept(tenant), id: idOf(8), tags: ['united'] },
    { ...rulesAt(NOW), onKey: 'Unite' },
  );
const putVectors: Write = (store, tenant) => {
  const { id, contentHash } = kept(tenant);
  const vectors = [{ id, contentHash, vector: [1, 0] }];
  return store.embeddings.putVectors(tenant, { generation: 'hash-1', vectors, own: true });
};
const claim: Write = (store, tenant) => {
  const whole = { key: 'key', bodyHash: 'body', operationId: 'operation' };
  return store.idempotency.claim({ tenant, ...whole, now: NOW });
};

const compact: Write = async (store, tenant) => {
  const said = [turnOf(tenant, 1), turnOf(tenant, 2)];
  const { scope } = await store.turns.append(said, rulesAt(NOW));
  const turns = [{ id: 'turn-1', sequence: 1, quotes: ['What was said'] }];
  return store.turns.compact({ scope, turns }, rulesAt(NOW));
};
const segments: Write = (store, tenant) =>
  putSegments(
    store,
    [1, 2].map((n) => segmentOf(sessionScope(tenant), n)),
  );
const keepSegments: Write = async (store, tenant) => {
  await segments(store, tenant);
  return store.segments.keepOnly(sessionScope(tenant), [segmentIdOf(1)]);
};
const putPolicy: Write = (store, tenant) =>
  store.policies.put(ownerOf(tenant), policyOf(tenant), { hash: 'hash-1', now: NOW });
const releasePolicy: Write = async (store, tenant) => {
  await putPolicy(store, tenant);
  return store.policies.release(tenant, ownerOf(tenant), { now: NOW });
};

const hold: Write = (store, tenant) => store.turns.append([plantedTurn(tenant, 1)], rulesAt(NOW));
const decideTurn =
  (state: 'Approved' | 'Refused'): Write =>
  async (store, tenant) => {
    await hold(store, tenant);
    const [review] = await store.reviews.list(tenant, { limit: 1 });
    expect(review).toBeDefined();
    if (review === undefined) return;
    await store.reviews.decide(review, { state, decision: DECISION }, rulesAt(NOW));
    expect(await store.reviews.list(tenant, { limit: 2 })).toMatchObject([{ state }]);
  };
const promote: Write = async (store, tenant) => {
  const review = promotionOf(kept(tenant), 30);
  await store.reviews.propose(review, rulesAt(NOW));
  await store.reviews.decide(review, { state: 'Approved', decision: DECISION }, rulesAt(NOW));
  await store.reviews.notePromoted(review, idOf(31));
  expect(await store.reviews.list(tenant, { limit: 2 })).toMatchObject([
    { state: 'Approved', memoryId: idOf(31) },
  ]);
};

const appendBlock: Write = (store, tenant) =>
  store.documents.append(blockOf(tenant, 1), { subjectId: subjectIdOf(1) });

const WRITES: readonly (readonly [string, Write])[] = [
  ['an add', add],
  ['an update', update],
  ['an update of the content', rewrite],
  ['a deletion', remove],
  ['many adds in one call', addMany],
  ['many deletions in one call', deleteMany],
  ['an add that unites', unite],
  ['an addition of vectors', putVectors],
  ['a claim of a key', claim],
  ['an append of turns', append],
  ['a compaction of turns', compact],
  ['an addition of segments', segments],
  ['a removal of segments', keepSegments],
  ['a write of a policy', putPolicy],
  ['a release of a policy', releasePolicy],
  ['an append of a turn that is held for review', hold],
  ['an approval of a turn', decideTurn('Approved')],
  ['a refusal of a turn', decideTurn('Refused')],
  ['a promotion', promote],
  ['an append to a Markdown memory', appendBlock],
  ['a reservation', reserve],
  ['a settlement', settle],
  ['the commit of a summary', summarize],
];
const CUTS: readonly (readonly [string, Cut])[] = [
  ['if a request is lost', 'Request'],
  ['if an answer is lost', 'Answer'],
  ['if the server runs a command twice', 'Twice'],
];

const { open, uri, shared } = mongodbFixture();
/** Another process, whose line nobody cuts. */
const direct = openForAll(() => open());
/** One for each step that runs at once. */
const proxies = openForAll(async () => {
  await using held = new AsyncDisposableStack();
  const all: CuttingProxy[] = [];
  while (all.length < STEPS_AT_ONCE) all.push(held.use(await startCuttingProxy(uri())));
  const running = held.move();
  return { all, [Symbol.asyncDispose]: () => running.disposeAsync() };
});

/** What a write that was made before, or never, answers when it is made again. */
const AGAIN: unknown = expect.stringMatching(/^(?:CONFLICT|MEMORY_NOT_FOUND)$/u);

/** The failure of an item of a call that has an outcome for each. */
function failureOf(answer: unknown): unknown {
  const items: readonly unknown[] = Array.isArray(answer) ? answer : [];
  for (const item of items as readonly { readonly ok?: boolean; readonly error?: unknown }[]) {
    if (item.ok === false) return item.error;
  }
  return null;
}

/** Everything agrees: the scope with its sources, the account with its ledger. */
async function expectAgreement(store: Store, tenant: string): Promise<void> {
  const scope = sessionScope(tenant);
  const sources = await allSources(store, scope, NOW);
  const record = await store.scopes.get(scope);
  expect(record).toMatchObject({ sourceCount: sources.length });
  expect(record.sourceHash).toBe(sourceHashOf(digest, sources));
  await expectOneOfEach(store, tenant);
  const account = await store.accounts.get(tenant, '2026-11', BUDGET);
  const entries = await store.accounts.entries(tenant, { limit: 10 });
  const open = entries.filter(({ state }) => state === 'Reserved');
  const reserved = open.reduce((sum, entry) => sum + entry.reserved.tokens, 0);
  expect(reservedOf(account).tokens).toBe(reserved);
  const spent = entries.reduce((sum, entry) => sum + entry.spent.tokens, 0);
  expect(account.spent.tokens).toBe(spent);
}

/** Lists, searches and histories tell the same: nothing is there twice, and each change once. */
async function expectOneOfEach(store: Store, tenant: string): Promise<void> {
  const scope = sessionScope(tenant);
  const ids = await listedIds(store, [scope]);
  expect(new Set(ids).size).toBe(ids.length);
  expect(await found(store, scope, byWords('tea garden coffee said'))).toEqual(ids);
  for (const id of [...ids, idOf(9)]) {
    const memory = await store.memories.get(tenant, id);
    const changes = await store.memories.history(
      { tenant, id },
      { beforeVersion: null, limit: 100 },
    );
    const versions = changes.map(({ version }) => version);
    const last = memory === null ? versions.length : memory.version;
    expect(versions).toEqual(Array.from({ length: last }, (_, at) => last - at));
    expect(changes[0]?.action === 'Deleted').toBe(memory === null);
  }
}

/** Returns how many steps a write has, of which each is tried on a tenant of its own. */
async function countSteps(
  hasStep: (proxy: CuttingProxy, step: number) => Promise<boolean>,
): Promise<number> {
  let [next, end] = [0, STEPS_MAX];
  const tryOn = async (proxy: CuttingProxy): Promise<void> => {
    while (next < end) {
      const step = next;
      next += 1;
      if (!(await hasStep(proxy, step))) end = Math.min(end, step);
    }
  };
  await Promise.all(proxies().all.map(tryOn));
  if (end === STEPS_MAX) throw new Error('The write has no end.');
  return end;
}

/** The driver repeats nothing over it, and the server knows nothing of repetitions. */
function cutUri(uri: string): string {
  return `${uri}&retryWrites=false&minHeartbeatFrequencyMS=${String(LINE_AGAIN_MS)}`;
}

/** A store over a line that is whole until its next `cutAt`. */
function openOver(proxy: CuttingProxy): Promise<Store> {
  proxy.cutAt(Number.POSITIVE_INFINITY, 'Request');
  return open({ uri: cutUri(proxy.uri) });
}

/** Answers whether the write came to the command that was cut. */
async function cutIn(
  [write, what]: [Write, Cut],
  proxy: CuttingProxy,
  step: number,
): Promise<boolean> {
  const tenant = newTenant();
  await direct().memories.add(kept(tenant), rulesAt(NOW));
  {
    await using store = await openOver(proxy);
    proxy.cutAt(step, what);
    const failure = await write(store, tenant).then(failureOf, (error: unknown) => error);
    // Once the line is there again, the store itself finds out what became of the write.
    expect(failure).toBeNull();
  }
  await expectAgreement(direct(), tenant);
  const again = await write(direct(), tenant).then(failureOf, (error: unknown) => error);
  if (again !== null) expect(again).toMatchObject({ code: AGAIN });
  await expectAgreement(direct(), tenant);
  return proxy.hasCut();
}

/** If a write ends between commit and application, the next process applies it. */
const LEFT: readonly (readonly [string, Write])[] = [
  ['an add', add],
  ['a settlement', settle],
];

/** Dies at a step of the write; answers what that leaves to others. */
async function dieIn(
  write: Write,
  tenant: string,
  step: number,
): Promise<'ended' | 'open' | 'whole'> {
  const crashPoint = createCrashPoint();
  const faults = { beforeCommand: crashPoint.takeStep, afterCommand: crashPoint.takeStep };
  {
    // Once it is closed no anchor of its own is open.
    await using store = await open();
    await store.memories.add(kept(tenant), rulesAt(NOW));
  }
  await using dying = await open({ faults });
  crashPoint.crashAt(step);
  await write(dying, tenant).catch(() => undefined);
  if (!crashPoint.hasCrashed()) return 'ended';
  return (await openAnchors(uri(), shared, tenant)) > 0 ? 'open' : 'whole';
}

/** The steps of a write between which its commit is in and not applied. */
async function openSteps(write: Write): Promise<readonly number[]> {
  const found: number[] = [];
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const left = await dieIn(write, newTenant(), step);
    if (left === 'ended') return found;
    if (left === 'open') found.push(step);
  }
  throw new Error('The write has no end.');
}

/** Another process reads and writes over a line that is cut; whether it came to that command. */
async function cutAfter(
  [write, what]: [Write, Cut],
  step: number,
  { proxy, at }: { readonly proxy: CuttingProxy; readonly at: number },
): Promise<boolean> {
  const tenant = newTenant();
  await dieIn(write, tenant, step);
  {
    await using store = await openOver(proxy);
    proxy.cutAt(at, what);
    const scope = sessionScope(tenant);
    const other = memoryOf(tenant, 5, { ...scope, content: 'Tea.', key: 'other' });
    await Promise.all([
      store.memories.add(other, rulesAt(NOW)),
      store.scopes.get(scope),
      store.accounts.get(tenant, '2026-11', BUDGET),
    ]);
    const again = await write(store, tenant).then(failureOf, (error: unknown) => error);
    if (again !== null) expect(again).toMatchObject({ code: AGAIN });
  }
  await expectAgreement(direct(), tenant);
  return proxy.hasCut();
}

describeUnless(await missingForMongodb())('a connection to MongoDB', () => {
  describe.each(CUTS)('%s', (_, what) => {
    it.each(WRITES)(
      'STORE-45: %s takes effect once, whichever command is affected',
      { timeout: TEST_MS_MAX },
      async (__, write) => {
        const steps = await countSteps((proxy, step) => cutIn([write, what], proxy, step));
        expect(steps).toBeGreaterThanOrEqual(STEPS_MIN);
      },
    );
  });

  describe.each(CUTS)('a process that completes the write of a crashed one, %s', (_, what) => {
    it.each(LEFT)(
      'after %s, loses and repeats nothing, and no caller sees an error',
      { timeout: 2 * TEST_MS_MAX },
      async (__, write) => {
        const steps = await openSteps(write);
        const met = await countSteps((proxy, at) =>
          cutAfter([write, what], steps[at % steps.length] ?? 0, { proxy, at }),
        );
        expect(met).toBeGreaterThan(steps.length);
      },
    );
  });
});
