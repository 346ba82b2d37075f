/** Several calls of one activity, of which a later one fails or has no time left. */
import { describe, expect, test } from 'vitest';
import { CALLS_WITHIN_MS } from '#activities/summary-model-call.ts';
import { refreshInProcess } from '#cli/in-process-work.ts';
import { VarveError, type ErrorDetails } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import type { ModelAnswer } from '#core/ports/model.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { HOUR_MS, memoryOf, MINUTE_MS, NOW, SECOND_MS } from '../conformance/samples.ts';
import { openFixture, type Fixture } from '../unit/activities/refresh-fixture.ts';
import { duePolicyOf } from '#core/refresh/when-to-refresh.ts';

const TENANT = 'acme';
const WINDOW = 2_000;
/** A period of it pays some calls of the large scope, and not all. */
const LIMIT_TOKENS = 13_500;

const project = (projectId: string) => ({ layer: 'project', identifiers: { projectId } });

/** The answer without its first item, which is then asked for alone. */
async function withoutFirst(extractive: () => Promise<ModelAnswer>): Promise<ModelAnswer> {
  const answer = await extractive();
  const { items } = JSON.parse(answer.text) as { items: unknown[] };
  return { ...answer, text: JSON.stringify({ items: items.slice(1) }) };
}

async function holdsOf({ parts }: Fixture) {
  const scopes = await parts.store.scopes.list(TENANT, 99);
  return scopes.flatMap(({ hold }) => (hold === null ? [] : [hold.code]));
}

async function openLarge(
  answer: (fixture: () => Fixture | null) => ModelAnswerer,
): Promise<Fixture> {
  let opened: Fixture | null = null;
  const fixture = await openFixture({ windowTokens: WINDOW, answer: answer(() => opened) });
  opened = fixture;
  // Their ids are the same in every run, and with them the places where the scope is cut.
  const memories = Array.from({ length: 150 }, (_, n) => {
    const content = `Ann planted tree ${String(n)} behind the harbour of Bergen.`;
    return memoryOf(TENANT, n, { content, tokenCount: fixture.parts.tokens.count(content) });
  });
  const rules = { policy: duePolicyOf(defaultPolicy(TENANT), 'user'), now: NOW };
  await fixture.parts.store.memories.addMany(memories, rules);
  return fixture;
}

type ModelAnswerer = NonNullable<NonNullable<Parameters<typeof openFixture>[0]>['answer']>;

describe('an activity whose later call fails', () => {
  test.each<ErrorCode>(['RATE_LIMITED', 'PROVIDER_ERROR', 'TIMEOUT', 'PROVIDER_REJECTED'])(
    'with %s commits the earlier answers and lets the rest wait',
    async (code) => {
      await using fixture = await openFixture({
        answer: ({ items }, extractive) =>
          items.length > 1
            ? withoutFirst(extractive)
            : Promise.reject(new VarveError(code, 'It failed.')),
      });
      for (const id of ['a', 'b', 'c']) {
        await fixture.add(TENANT, `The shop ${id} grows.`, project(id));
      }
      expect(await fixture.round(TENANT)).toMatchObject({ generated: 2, batches: 1 });
      expect(await holdsOf(fixture)).toHaveLength(1);
      const before = fixture.calls.length;
      expect(await fixture.round(TENANT)).toMatchObject({ batches: 0 });
      expect(fixture.calls).toHaveLength(before);
    },
  );

  test('cuts a valid answer that is too long', async () => {
    const long = `Ann says ${'that the garden grows and '.repeat(60)}that is all.`;
    await using fixture = await openFixture({
      answer: async ({ items }) => {
        const [asked] = items;
        if (asked?.again !== undefined) throw new VarveError('RATE_LIMITED', 'Slow down.');
        const sources = asked?.sources.map(({ id }) => id) ?? [];
        const facts = [{ text: long, sources, quote: null, speaker: null }];
        const text = JSON.stringify({ items: [{ item: asked?.item, facts }] });
        return Promise.resolve({ text, usage: { inputTokens: 1, outputTokens: 1 } });
      },
    });
    await fixture.add(TENANT, long);
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1 });
    expect(await fixture.summary(TENANT)).toMatchObject({ model: 'metered' });
    expect(fixture.calls.map(({ items: [asked] }) => asked?.again)).toEqual([undefined, 'TooLong']);
  });
});

describe('an activity that runs out of time', () => {
  test('makes no further call and commits the answer it has', async () => {
    await using fixture = await openLarge((opened) => (_, extractive) => {
      opened()?.advance(CALLS_WITHIN_MS + 1);
      return extractive();
    });
    const { activities, calls } = fixture;
    const claim = { tenant: TENANT, claimId: 'claim-1', kind: 'Stale' } as const;
    const [batch] = (await activities.claimBatches(claim)).batches;
    const given = { tenant: TENANT, batchId: batch?.batchId ?? '' };
    await activities.summarizeBatch(given);
    expect(calls).toHaveLength(1);
    expect(await activities.commitBatch(given)).toMatchObject({ advanced: 1 });
  });
});

describe('a refresh of everything stale', () => {
  test('does not retry a failed scope within its pause', async () => {
    await using fixture = await openFixture({
      windowTokens: WINDOW,
      answer: (batch, extractive) =>
        JSON.stringify(batch).includes('Zebra')
          ? Promise.reject(new VarveError('PROVIDER_ERROR', 'It is down.'))
          : extractive(),
    });
    for (let n = 0; n < 40; n += 1) {
      const signed = 'The shop signed the contract on 3 May 2026. '.repeat(20);
      const text = `${signed}It is the ${String(n)}.`;
      await fixture.add(TENANT, n === 0 ? `${text} Zebra.` : text, project(`p-${String(n)}`));
    }
    await refreshInProcess(fixture.parts, TENANT, 'Stale');
    const scopes = await fixture.parts.store.scopes.list(TENANT, 99);
    expect(fixture.calls.filter((batch) => JSON.stringify(batch).includes('Zebra'))).toHaveLength(
      1,
    );
    expect(scopes.filter(({ deadLetter }) => deadLetter !== null)).toEqual([]);
  });
});

describe('a fallback text', () => {
  test('does not cause paid segments to be paid for again', async () => {
    await using fixture = await openLarge(() => (_, extractive) => extractive());
    await fixture.declare(TENANT, ({ budget }) => {
      return { budget: { ...budget, limitTokens: LIMIT_TOKENS, onExhausted: 'Extractive' } };
    });
    const models = [];
    for (let period = 0; period < 4; period += 1) {
      for (let rounds = 0; rounds < 5; rounds += 1) {
        await fixture.round(TENANT);
        fixture.advance(MINUTE_MS + 1_000);
      }
      models.push((await fixture.summary(TENANT))?.model);
      fixture.advance(32 * 24 * HOUR_MS);
    }
    const asked = fixture.calls.flatMap(({ items }) => items);
    const shown = asked.map(({ task, sources }) => JSON.stringify([task, sources]));
    expect(models).toEqual(expect.arrayContaining(['extractive', 'metered']));
    expect(new Set(shown).size).toBe(shown.length);
  });
});

const SCOPES = 50;
/** Claims of one look of a run; more than 50 scopes need. */
const ROUNDS_MAX = 20;

/** In which one change makes a scope of a project due, and its batch window closes. */
const INTERVAL_MS = 40 * MINUTE_MS;

/** What the tick does every quarter of a minute: rounds until nothing is due. */
async function look(fixture: Fixture): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    if ((await fixture.round(TENANT, 'Due')).batches === 0) return;
  }
}

async function freshScopes({ parts }: Fixture): Promise<number> {
  const summaries = await parts.store.summaries.list(TENANT, SCOPES + 1);
  return summaries.filter(({ model }) => model === 'metered').length;
}

test.each<[ErrorCode, ErrorDetails]>([
  ['PROVIDER_ERROR', { status: 500 }],
  ['PROVIDER_ERROR', { sent: false }],
  ['UNAUTHENTICATED', { status: 401 }],
])(
  'a ten-minute outage with %s %j costs nothing, and all is fresh two minutes later',
  async (code, details) => {
    let isDown = true;
    await using fixture = await openFixture({
      answer: (_, extractive) =>
        isDown ? Promise.reject(new VarveError(code, 'Away.', { details })) : extractive(),
    });
    for (let n = 0; n < SCOPES; n += 1) {
      await fixture.add(TENANT, `The shop ${String(n)} grows.`, project(`p-${String(n)}`));
    }
    fixture.advance(INTERVAL_MS);
    for (let passed = 0; passed < 10 * MINUTE_MS; passed += 15 * SECOND_MS) {
      await look(fixture);
      fixture.advance(15 * SECOND_MS);
    }
    const down = await fixture.parts.store.scopes.list(TENANT, SCOPES + 1);
    expect(down.filter(({ deadLetter }) => deadLetter !== null)).toEqual([]);
    // What is served meanwhile is made without a model, and is said to be stale.
    const served = await fixture.parts.store.summaries.list(TENANT, SCOPES + 1);
    expect(served.map(({ model }) => model)).toEqual(Array(SCOPES).fill('extractive'));
    const spent = (await fixture.parts.store.accounts.entries(TENANT, { limit: 1_000 })).filter(
      ({ outcome }) => outcome !== 'NotCharged',
    );
    expect(spent).toEqual([]);

    isDown = false;
    for (let passed = 0; passed < 2 * MINUTE_MS; passed += 15 * SECOND_MS) {
      await look(fixture);
      fixture.advance(15 * SECOND_MS);
    }
    expect(await freshScopes(fixture)).toBe(SCOPES);
  },
);

/** A model that is unavailable while `isDown`, and a scope that was tried twice meanwhile. */
async function openInOutage(code: ErrorCode, details: ErrorDetails) {
  const model = { isDown: true };
  const fixture = await openFixture({
    answer: (_, extractive) =>
      model.isDown ? Promise.reject(new VarveError(code, 'Away.', { details })) : extractive(),
  });
  await fixture.add(TENANT, 'The first shop grows.', project('first'));
  fixture.advance(INTERVAL_MS);
  await look(fixture);
  fixture.advance(200 * MINUTE_MS);
  await look(fixture);
  return { fixture, model };
}

test('the first scope answered after a long outage ends the wait of all others', async () => {
  const { fixture: opened, model } = await openInOutage('PROVIDER_ERROR', { sent: false });
  await using fixture = opened;
  await fixture.add(TENANT, 'The second shop grows.', project('second'));
  fixture.advance(INTERVAL_MS);
  await look(fixture);
  model.isDown = false;
  // The second waits a minute, the first ten.
  fixture.advance(MINUTE_MS);
  await look(fixture);
  expect(await freshScopes(fixture)).toBe(2);
});

test('a new scope answered after a long outage ends the wait of all others', async () => {
  const { fixture: opened, model } = await openInOutage('UNAUTHENTICATED', { status: 401 });
  await using fixture = opened;
  model.isDown = false;
  fixture.advance(SECOND_MS);
  expect(await freshScopes(fixture)).toBe(0);
  await fixture.add(TENANT, 'The second shop grows.', project('second'));
  await refreshInProcess(fixture.parts, TENANT, 'Stale');
  expect(await freshScopes(fixture)).toBe(2);
});
