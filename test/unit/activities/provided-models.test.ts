/** Models of ModelProviders: which tenant gets which, and what waits if one is unavailable. */
import { describe, expect, test } from 'vitest';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { libraryOf } from '#api/library.ts';
import { createActivities } from '#activities/create-activities.ts';
import { portsOfTenant } from '#activities/refresh-ports.ts';
import { requestDueRefreshes } from '#activities/request-due-refreshes.ts';
import { writeConversation } from '#activities/summarize-conversation.ts';
import { periodOf } from '#core/budget/budget-account.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { JOIN_CALL_PAUSE_MS, FAILURE_HOLD_MS } from '#core/variants/variant-rules.ts';
import type { SecretSource } from '#core/ports/secret-source.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import { startModelServer } from '#test/cluster/model-server/model-server.ts';
import { HOUR_MS, MINUTE_MS, NOW } from '#test/conformance/samples.ts';
import { providedModel, REFERENCE } from '#test/unit/cli/model-providers/provider-samples.ts';
import { choose, keptLog, MODELS, offer, TENANT, type Offer } from './provided-fixture.ts';
import { openFixture, type Fixture } from './refresh-fixture.ts';
import { ANN, openShop, read, variantOf } from './variant-fixture.ts';

const TEXT = 'Ann signed the contract with Blue Harbour on 3 May 2026.';
const KEPT_MS = 15_000;

async function spent({ parts }: Fixture) {
  const { store, platform } = parts;
  const budget = { limitTokens: null, limitMicroDollars: null, onExhausted: 'Reject' as const };
  const account = await store.accounts.get(TENANT, periodOf(platform.clock()), budget);
  return { spent: account.spent, open: account.open };
}

const NOTHING_SPENT = { spent: { tokens: 0, microDollars: 0 }, open: [] };

describe('a tenant whose policy names a provider model', () => {
  test('is summarized by that model at its price, and the summary is fresh', async () => {
    await using server = await startModelServer();
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await offer(fixture, server);
    await choose(fixture, MODELS);
    await fixture.add(TENANT, TEXT);
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1, modelCalls: 1 });
    expect(await fixture.summary(TENANT)).toMatchObject({
      model: 'main/large',
      freshness: { stale: false },
    });
    expect(server.calls.map(({ body }) => body.model)).toEqual(['large']);
    const { prompt, completion } = server.charged();
    // At one and two dollars for a million tokens.
    expect((await spent(fixture)).spent).toEqual({
      tokens: prompt + completion,
      microDollars: prompt + 2 * completion,
    });
    expect(fixture.calls).toEqual([]);
  });

  test.each<[string, NonNullable<Offer['openai']>, object, number]>([
    ['if it needs no key', {}, { extractedBy: 'Model' }, 1],
    [
      'unless only workers may read its key',
      { secretRef: REFERENCE },
      { extractedBy: 'Rules', reason: 'WorkersOnly' },
      0,
    ],
  ])('has messages read by that model %s', async (_, openai, read, calls) => {
    await using server = await startModelServer();
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await offer(fixture, server, { openai });
    await choose(fixture, MODELS, { extraction: { modelClass: 'standard' } });
    const fact = { text: TEXT, sources: ['s1'], quote: TEXT, kind: 'Decision' };
    const content = JSON.stringify({ items: [{ item: 'i1', facts: [fact] }] });
    const choices = [{ message: { content }, finish_reason: 'stop' }];
    server.script.push({ kind: 'Body', body: { choices } });
    const { addMessages } = libraryOf(fixture.ports, LOCAL_OPERATOR).memory;
    const messages = [{ id: 'm1', role: 'user' as const, content: TEXT }];
    const answer = await addMessages({ tenant: TENANT, identifiers: { userId: 'ann' }, messages });
    expect(answer).toMatchObject(read);
    expect(answer.results).toHaveLength(calls);
    expect(server.calls).toHaveLength(calls);
    const entries = await fixture.parts.store.accounts.entries(TENANT, { limit: 9 });
    expect(entries).toHaveLength(calls);
  });

  test('has conversations written by that model and charged to its ledger', async () => {
    await using server = await startModelServer();
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await offer(fixture, server);
    await choose(fixture, MODELS);
    const usage = { prompt_tokens: 100, completion_tokens: 10 };
    const choices = [{ message: { content: 'Hello was said.' }, finish_reason: 'stop' }];
    server.script.push({ kind: 'Body', body: { choices, usage } });
    const ports = await portsOfTenant(fixture.parts, TENANT);
    const message = { role: 'user', speaker: null, text: 'Hello.' };
    const question = { messages: [message], instruction: 'Sum it up.', tokensMax: 50 };
    const { signal } = new AbortController();
    const written = await writeConversation(ports, { tenant: TENANT, question }, { signal });
    const used = { tokens: 110, microDollars: 120 };
    expect(written).toMatchObject({ text: 'Hello was said.', model: 'main/large', cost: used });
    expect(await spent(fixture)).toEqual({ spent: used, open: [] });
    expect(server.calls.map(({ body }) => body.model)).toEqual(['large']);
  });

  test('has no conversation written and pays nothing if this process lacks the key', async () => {
    await using server = await startModelServer();
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await offer(fixture, server, { openai: { secretRef: REFERENCE } });
    await choose(fixture, MODELS);
    const ports = await portsOfTenant(fixture.parts, TENANT);
    const message = { role: 'user', speaker: null, text: 'Hello.' };
    const question = { messages: [message], instruction: 'Sum it up.', tokensMax: 50 };
    const { signal } = new AbortController();
    const call = writeConversation(ports, { tenant: TENANT, question }, { signal });
    await expect(call).rejects.toMatchObject({ code: 'PROVIDER_REJECTED' });
    expect(server.calls).toEqual([]);
    expect(await spent(fixture)).toEqual(NOTHING_SPENT);
  });

  test('uses the installation models for a class that its policy leaves open', async () => {
    await using server = await startModelServer();
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await offer(fixture, server);
    await choose(fixture, { standard: null, economy: { provider: 'main', model: 'large' } });
    await fixture.add(TENANT, TEXT);
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1 });
    expect(await fixture.summary(TENANT)).toMatchObject({ model: 'metered' });
    expect(server.calls).toEqual([]);
  });

  test('is summarized without a model if the provider is extractive', async () => {
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await choose(fixture, { standard: { provider: 'plain', model: 'extractive' }, economy: null });
    await fixture.add(TENANT, TEXT);
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1, modelCalls: 0 });
    expect(await fixture.summary(TENANT)).toMatchObject({
      model: 'extractive',
      freshness: { stale: false },
    });
    expect(fixture.calls).toEqual([]);
  });

  test.each<[string, Offer | null]>([
    ['is gone', null],
    ['does not allow its namespace', { allowed: ['another'] }],
    ['no longer has the model', { openai: { models: [providedModel({ name: 'other' })] } }],
  ])('waits if the provider %s, and no other model is asked', async (_, given) => {
    await using server = await startModelServer();
    await using fixture = await openFixture({ answer: (_batch, extractive) => extractive() });
    if (given !== null) await offer(fixture, server, given);
    await choose(fixture, MODELS);
    await fixture.add(TENANT, TEXT);
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 0, generated: 0 });
    const waiting = { dueAt: NOW + MINUTE_MS, attempts: 0, deadLetter: null, lease: null };
    expect(await fixture.scope(TENANT)).toMatchObject({ ...waiting, hold: { code: 'NOT_FOUND' } });
    expect(await spent(fixture)).toEqual(NOTHING_SPENT);
    expect([server.calls, fixture.calls]).toEqual([[], []]);
    fixture.advance(MINUTE_MS);
    await offer(fixture, server);
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ generated: 1 });
    expect(await fixture.summary(TENANT)).toMatchObject({ model: 'main/large' });
  });

  test('gives a claimed batch back if the provider stops allowing its namespace', async () => {
    await using server = await startModelServer();
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await offer(fixture, server);
    await choose(fixture, MODELS);
    await fixture.add(TENANT, TEXT);
    const { activities } = fixture;
    const claim = { tenant: TENANT, claimId: 'claim', kind: 'Stale' } as const;
    const [batch] = (await activities.claimBatches(claim)).batches;
    const batchId = batch?.batchId ?? '';
    expect(batch).toMatchObject({ model: 'main/large' });
    await offer(fixture, server, { allowed: ['another'] });
    fixture.advance(KEPT_MS);
    const call = activities.summarizeBatch({ tenant: TENANT, batchId });
    await expect(call).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await activities.releaseBatch({ tenant: TENANT, batchId, code: 'NOT_FOUND' });
    const waiting = { attempts: 0, deadLetter: null, lease: null, hold: { code: 'NOT_FOUND' } };
    expect(await fixture.scope(TENANT)).toMatchObject(waiting);
    expect(await spent(fixture)).toEqual(NOTHING_SPENT);
    expect(server.calls).toEqual([]);
  });

  test('waits if the provider belongs to another cluster with the same namespace', async () => {
    await using server = await startModelServer();
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await offer(fixture, server, { cluster: 'elsewhere', allowed: ['*'] });
    await choose(fixture, MODELS);
    await fixture.add(TENANT, TEXT);
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 0 });
    expect(await fixture.scope(TENANT)).toMatchObject({ hold: { code: 'NOT_FOUND' } });
    expect(server.calls).toEqual([]);
  });

  test('cannot use a model whose name an installation model already has', async () => {
    await using server = await startModelServer();
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    const { parts } = fixture;
    const own = { ...parts.models.ofClass('economy'), name: 'main/large' };
    const byName = (name: string) => (name === own.name ? own : parts.models.byName(name));
    await offer(fixture, server);
    await choose(fixture, MODELS);
    const models = await parts.provided.forTenant(TENANT, { ...parts.models, byName });
    expect(models.byName('main/large')).toBeUndefined();
    await choose(fixture, { standard: null, economy: null });
    const others = await parts.provided.forTenant(TENANT, { ...parts.models, byName });
    expect(others.byName('main/large')).toBe(own);
  });

  test('is summarized again at once by a newly chosen model with Backfill', async () => {
    await using server = await startModelServer();
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await offer(fixture, server, {
      openai: { models: [providedModel(), providedModel({ name: 'newer', classes: ['economy'] })] },
    });
    await choose(fixture, MODELS);
    await fixture.add(TENANT, TEXT);
    await fixture.round(TENANT);
    fixture.advance(HOUR_MS);
    await choose(
      fixture,
      { standard: { provider: 'main', model: 'newer' }, economy: null },
      { onRecipeChange: 'Backfill' },
    );
    expect(await fixture.summary(TENANT)).toMatchObject({
      freshness: { stale: true, reason: 'RecipeChanged' },
    });
    await requestDueRefreshes(fixture.parts, NO_REFRESH_TRIGGER);
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ generated: 1 });
    expect(await fixture.summary(TENANT)).toMatchObject({ model: 'main/newer' });
  });
});

describe('work that depends on a provider model', () => {
  test('a call whose process died is settled at its price by the tick', async () => {
    await using server = await startModelServer();
    await using fixture = await openFixture();
    await offer(fixture, server);
    await choose(fixture, MODELS);
    await fixture.add(TENANT, TEXT);
    const { store } = fixture.parts;
    const settle = () => Promise.reject(new Error('It died.'));
    const dying = { ...store, accounts: { ...store.accounts, settle } };
    const { signal } = new AbortController();
    const activities = createActivities(
      { ...fixture.parts, store: dying },
      NO_REFRESH_TRIGGER,
      () => ({
        signal,
      }),
    );
    const claim = { tenant: TENANT, claimId: 'claim', kind: 'Stale' } as const;
    const [batch] = (await activities.claimBatches(claim)).batches;
    const asked = { tenant: TENANT, batchId: batch?.batchId ?? '' };
    await expect(activities.summarizeBatch(asked)).rejects.toThrow('It died.');
    fixture.advance(HOUR_MS);
    await requestDueRefreshes(fixture.parts, NO_REFRESH_TRIGGER);
    const { prompt, completion } = server.charged();
    expect(await spent(fixture)).toEqual({
      spent: { tokens: prompt + completion, microDollars: prompt + 2 * completion },
      open: [],
    });
  });

  test('a variant whose model is unavailable waits and is not dead-lettered', async () => {
    await using server = await startModelServer();
    await using fixture = await openShop();
    const personalized = (policy: TenantPolicy) => ({
      models: MODELS,
      layers: { ...policy.layers, project: { ...policy.layers.project, personalized: true } },
    });
    await read(fixture, ANN);
    await fixture.declare(TENANT, personalized);
    fixture.advance(MINUTE_MS);
    await fixture.round(TENANT, 'Due');
    const waiting = await variantOf(fixture);
    const heldUntil = NOW + MINUTE_MS + FAILURE_HOLD_MS;
    expect(waiting).toMatchObject({ lease: null, attempts: 0, heldUntil });
    await offer(fixture, server);
    fixture.advance(FAILURE_HOLD_MS);
    await read(fixture, ANN);
    fixture.advance(JOIN_CALL_PAUSE_MS);
    const claim = { tenant: TENANT, claimId: 'later', kind: 'Due' } as const;
    await fixture.activities.claimBatches(claim);
    expect((await variantOf(fixture))?.lease).toMatchObject({ model: 'main/large' });
  });
});

describe('a provider endpoint', () => {
  test('is not called above its rate limit, and waiting scopes do not count as failed', async () => {
    await using server = await startModelServer();
    await using fixture = await openFixture();
    await offer(fixture, server, { openai: { requestsPerMinute: 1 } });
    await choose(fixture, MODELS);
    await fixture.add(TENANT, TEXT);
    await fixture.add(TENANT, 'Bob pays invoices.', { identifiers: { userId: 'bob' } });
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 2, generated: 1 });
    expect(server.calls).toHaveLength(1);
    const scopes = await Promise.all(['ann', 'bob'].map((id) => fixture.scope(TENANT, id)));
    expect(scopes.map(({ hold, attempts }) => [hold?.code, attempts])).toEqual(
      expect.arrayContaining([
        [undefined, 0],
        ['RATE_LIMITED', 0],
      ]),
    );
    fixture.advance(MINUTE_MS);
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ generated: 1 });
    expect(server.calls).toHaveLength(2);
  });

  test('makes the scope wait on a wrong key, and no key appears in the log', async () => {
    const wrong = 'sk-a-wrong-secret-word';
    const right = 'sk-a-right-secret-word';
    const secret = { value: wrong, version: '1' };
    const secrets: SecretSource = { read: () => Promise.resolve(secret) };
    await using server = await startModelServer({ keys: new Set([right]) });
    const { lines, log } = keptLog();
    await using fixture = await openFixture({ secrets, log });
    await offer(fixture, server, { openai: { secretRef: REFERENCE } });
    await choose(fixture, MODELS);
    await fixture.add(TENANT, TEXT);
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 1, generated: 0 });
    const waiting = { attempts: 0, deadLetter: null, hold: { code: 'UNAUTHENTICATED' } };
    expect(await fixture.scope(TENANT)).toMatchObject(waiting);
    expect(await spent(fixture)).toEqual(NOTHING_SPENT);
    Object.assign(secret, { value: right, version: '2' });
    fixture.advance(MINUTE_MS);
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ generated: 1 });
    expect(lines.join('\n')).toMatch(
      /"provider":"main","version":"2".*using the changed provider key/u,
    );
    expect(lines.join('\n')).not.toMatch(/secret-word/u);
  });
});
