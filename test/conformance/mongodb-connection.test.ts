/** A connection that is cut around each command of a write: nothing is lost, nothing is doubled. */
import { afterAll, beforeAll, expect, it } from 'vitest';

import { reservedOf } from '#core/budget.ts';
import { VarveError } from '#core/errors.ts';
import { sourceHashOf } from '#core/hash.ts';
import type { Store } from '#core/ports/store.ts';
import { openMongoStore } from '#providers/mongodb/store.ts';
import { startCuttingProxy, type Cut } from '#test/cluster/cutting-proxy.ts';
import { describeUnless } from '#test/cluster/needs.ts';
import {
  missingForMongodb,
  startTestMongodb,
  type TestMongodb,
} from '#test/cluster/test-mongodb.ts';

import { newTenant } from './adapter.ts';
import { dropDatabase, newDatabase } from './mongodb-adapter.ts';
import { allSources } from './refresh.ts';
import { digest, memoryOf, MINUTE_MS, NOW, rulesAt, sessionScope, turnOf } from './samples.ts';
import { PLATFORM } from './sqlite-adapter.ts';

const DATABASE = newDatabase();
const START_MS_MAX = 10 * 60 * 1_000;
const STEPS_MAX = 40;
const TEST_MS_MAX = 60_000;
const LATER = NOW + MINUTE_MS;
const BUDGET = { limitTokens: 100, limitMicroDollars: null, onExhausted: 'Reject' } as const;

type Write = (store: Store, tenant: string) => Promise<unknown>;

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

const CASES: readonly (readonly [string, Cut, Write])[] = [
  ['an add whose request is lost', 'Request', add],
  ['an add whose answer is lost', 'Answer', add],
  ['turns whose answer is lost', 'Answer', append],
  ['a reservation whose answer is lost', 'Answer', reserve],
];

let server: TestMongodb | null = null;

function open(uri: string): Promise<Store> {
  return openMongoStore({ uri, database: DATABASE, platform: PLATFORM });
}

/** Everything agrees: the scope with its sources, the account with its ledger. */
async function expectAgreement(store: Store, tenant: string): Promise<void> {
  const scope = sessionScope(tenant);
  const sources = await allSources(store, scope, NOW);
  const record = await store.scopes.get(scope);
  expect(record).toMatchObject({ sourceCount: sources.length, intents: [] });
  expect(record.sourceHash).toBe(sourceHashOf(digest, sources));
  const account = await store.accounts.get(tenant, '2026-11', BUDGET);
  const entries = await store.accounts.entries(tenant, { limit: 10 });
  const reserved = entries.reduce((sum, entry) => sum + entry.reserved.tokens, 0);
  expect(reservedOf(account).tokens).toBe(reserved);
}

/** Answers whether the write came to the command that was cut. */
async function cutIn(uri: string, [write, what]: [Write, Cut], step: number): Promise<boolean> {
  await using proxy = await startCuttingProxy(uri);
  await using direct = await open(uri);
  const tenant = newTenant();
  {
    await using store = await open(proxy.uri);
    proxy.cutAt(step, what);
    const failure = await write(store, tenant).then(
      () => null,
      (error: unknown) => error,
    );
    if (failure !== null) expect(failure).toBeInstanceOf(VarveError);
    if (failure !== null) expect(failure).toMatchObject({ code: 'PROVIDER_ERROR' });
  }
  await direct.scopes.due(tenant, { until: LATER, now: LATER, limit: 10 });
  await expectAgreement(direct, tenant);
  await write(direct, tenant).catch((error: unknown) => {
    expect(error).toMatchObject({ code: 'CONFLICT' });
  });
  await expectAgreement(direct, tenant);
  return proxy.hasCut();
}

describeUnless(await missingForMongodb())('a connection to MongoDB', () => {
  beforeAll(async () => {
    server = await startTestMongodb();
  }, START_MS_MAX);
  afterAll(async () => {
    if (server !== null) await dropDatabase(server.uri, DATABASE);
    await server?.[Symbol.asyncDispose]();
  });

  it.each(CASES)(
    'STORE-45: %s is done once or not at all, at any command',
    { timeout: TEST_MS_MAX },
    async (_, what, write) => {
      const uri = server?.uri ?? '';
      let steps = 0;
      while (steps < STEPS_MAX && (await cutIn(uri, [write, what], steps))) steps += 1;
      expect(steps).toBeGreaterThanOrEqual(4);
      expect(steps).toBeLessThan(STEPS_MAX);
    },
  );
});
