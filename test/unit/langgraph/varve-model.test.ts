import { HumanMessage, SystemMessage } from '@langchain/core/messages';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApiServer } from '#api/http-server.ts';
import { libraryOf, type Library } from '#api/library.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { apiPortsOf, openParts, type Parts } from '#cli/composition-root.ts';
import { createClient } from '#client/index.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import type { BudgetPolicy } from '#core/records/policy.ts';
import { SummarizationNode, summarizeMessages, varveModel } from '#langgraph/index.ts';
import { startModelServer, type ModelServer } from '#test/cluster/model-server/model-server.ts';
import { ownerOf } from '#test/conformance/samples.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { failureOf } from '#test/unit/library/open-library.ts';
import { nineMessages } from './scripted-model.ts';

const MODEL = { contextTokens: 32_000, outputTokensMax: 4_000, thinkingTokens: 0 };
const PRICES = { inputDollarsPerMillion: 1, outputDollarsPerMillion: 4 };
const LIMITS = { maxTokens: 50, maxSummaryTokens: 10, log: SILENT_LOG };
const SUMMARY = 'Four messages.';
/** Of each answer: 300 + 4 × 7 micro-dollars. */
const USED = { tokens: 307, microDollars: 328 };

const held = new AsyncDisposableStack();
let server: ModelServer;
let parts: Parts;
let varve: Library;

beforeAll(async () => {
  server = held.use(await startModelServer());
  const { folder } = held.use(await temporaryFolder());
  const settings = { name: 'a-model', ...MODEL, ...PRICES };
  const models = { url: server.baseUrl, apiKey: 'sk-1', standard: settings, economy: settings };
  parts = held.use(await openParts({ dataDir: folder, log: SILENT_LOG, settings: { models } }));
  varve = libraryOf(apiPortsOf(parts, NO_REFRESH_TRIGGER, null), LOCAL_OPERATOR);
});
afterAll(() => held.disposeAsync());

function answers(times: number, content = SUMMARY): void {
  const usage = { prompt_tokens: 300, completion_tokens: 7, total_tokens: 307 };
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  for (let at = 0; at < times; at += 1)
    server.script.push({ kind: 'Body', body: { choices, usage } });
}

async function declare(tenant: string, budget: Partial<BudgetPolicy>): Promise<void> {
  const policy = defaultPolicy(tenant);
  const declared = { ...policy, budget: { ...policy.budget, ...budget } };
  await parts.store.policies.put(ownerOf('test'), declared, { hash: tenant, now: Date.now() });
}

async function ledgerOf(tenant: string) {
  const entries = await parts.store.accounts.entries(tenant, { limit: 100 });
  return entries.map(({ purpose, model, outcome, spent }) => ({ purpose, model, outcome, spent }));
}

const HELLO = [new HumanMessage('Hello.'), new HumanMessage('Sum it up.')];
const PAID = { purpose: 'conversation', model: 'a-model', outcome: 'Usage', spent: USED };

const modelOf = (tenant: string, conversation = varve.conversation) =>
  varveModel({ conversation, tenant, maxTokens: 100 });

describe('the model of a tenant as the summarization model', () => {
  test('writes the summary, and the ledger has its cost under its own purpose', async () => {
    answers(1);
    const before = server.calls.length;
    const node = new SummarizationNode({ ...LIMITS, model: modelOf('exact') });
    const update = await node.invoke({ messages: nineMessages() });
    const running = update['context'] as { running_summary: { summary: string } };
    expect(running.running_summary.summary).toBe(SUMMARY);
    expect(await ledgerOf('exact')).toEqual([PAID]);
    const { tokens, microDollars, callsUnderWay } = await varve.budget.get({ tenant: 'exact' });
    expect([tokens.spent, microDollars.spent, callsUnderWay]).toEqual([307, 328, 0]);
    const [call] = server.calls.slice(before);
    const [, user] = call?.body.messages ?? [];
    expect(call?.body.max_tokens).toBe(100);
    expect(user?.content).toMatch(/user>\nMessage 1\n.*assistant>\nResponse 1\n/su);
    expect(user?.content).toMatch(/ end>\nCreate a summary of the conversation above:$/u);
  });

  test('reports its token usage like any chat model', async () => {
    answers(1);
    expect(await modelOf('counted').invoke([...HELLO])).toMatchObject({
      content: SUMMARY,
      usage_metadata: { input_tokens: 300, output_tokens: 7, total_tokens: 307 },
      response_metadata: { model_name: 'a-model', varve_micro_dollars: 328 },
    });
  });

  test('is not called if the budget is exhausted, and nothing is charged', async () => {
    await declare('empty', { limitTokens: 50 });
    const before = server.calls.length;
    const call = summarizeMessages(nineMessages(), { ...LIMITS, model: modelOf('empty') });
    expect(await failureOf(call)).toMatchObject({
      code: 'BUDGET_EXHAUSTED',
      details: { measure: 'tokens', limit: 50, spent: 0 },
    });
    expect(server.calls).toHaveLength(before);
    expect(await ledgerOf('empty')).toEqual([]);
  });

  test('leaves a fitting conversation unchanged if there is no budget', async () => {
    await declare('fits', { limitTokens: 50 });
    const limits = { ...LIMITS, maxTokens: 1_000, maxTokensBeforeSummary: 50 };
    const messages = nineMessages();
    const result = await summarizeMessages(messages, { ...limits, model: modelOf('fits') });
    expect(result.messages).toEqual(messages);
    expect(result.summarizedMessages).toEqual([]);
  });

  test('serves concurrent threads within one budget, and charges each answer', async () => {
    const ask = (tenant: string) => modelOf(tenant).invoke([...HELLO]);
    answers(1);
    await ask('probe');
    const [probe] = await parts.store.accounts.entries('probe', { limit: 1 });
    const limitTokens = 5 * (probe?.reserved.tokens ?? 0);
    await declare('threads', { limitTokens });
    answers(12);
    const ends = await Promise.allSettled(Array.from({ length: 12 }, () => ask('threads')));
    server.script.length = 0;
    const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    expect(refused).toEqual(
      refused.map(() => expect.objectContaining({ code: 'BUDGET_EXHAUSTED' }) as unknown),
    );
    const answered = ends.length - refused.length;
    expect([answered >= 5, refused.length > 0]).toEqual([true, true]);
    expect(await ledgerOf('threads')).toEqual(Array.from({ length: answered }, () => PAID));
    const { tokens, callsUnderWay } = await varve.budget.get({ tenant: 'threads' });
    expect([tokens.spent, callsUnderWay]).toEqual([307 * answered, 0]);
    expect(tokens.spent).toBeLessThanOrEqual(limitTokens);
  });

  test('charges the whole reservation if the outcome of a call is unknown', async () => {
    server.script.push({ kind: 'CutStream' });
    const call = summarizeMessages(nineMessages(), { ...LIMITS, model: modelOf('cut') });
    expect(await failureOf(call)).toMatchObject({ code: 'PROVIDER_ERROR' });
    const [entry] = await parts.store.accounts.entries('cut', { limit: 10 });
    expect(entry).toMatchObject({ outcome: 'UnknownOutcome', purpose: 'conversation' });
    expect(entry?.spent).toEqual(entry?.reserved);
  });

  test('charges an answer without text, which fails', async () => {
    answers(1, ' ');
    const call = summarizeMessages(nineMessages(), { ...LIMITS, model: modelOf('silent') });
    expect(await failureOf(call)).toMatchObject({ code: 'MODEL_OUTPUT_INVALID' });
    expect(await ledgerOf('silent')).toEqual([PAID]);
  });

  test('also works through a client of a running API', async () => {
    const ports = apiPortsOf(parts, NO_REFRESH_TRIGGER, null);
    const token = 'a-token-of-this-installation';
    await using api = await startApiServer({ ports, host: '127.0.0.1', port: 0, token });
    const { conversation } = createClient({ url: api.url, token, retries: 0 });
    answers(1);
    const model = varveModel({ conversation, tenant: 'served', maxTokens: 100 });
    const { runningSummary } = await summarizeMessages(nineMessages(), { ...LIMITS, model });
    expect(runningSummary?.summary).toBe(SUMMARY);
    expect(await ledgerOf('served')).toEqual([PAID]);
    await declare('refused', { limitMicroDollars: 1 });
    const refused = varveModel({ conversation, tenant: 'refused' });
    const call = summarizeMessages(nineMessages(), { ...LIMITS, model: refused });
    await expect(call).rejects.toMatchObject({ code: 'BUDGET_EXHAUSTED' });
  });
});

describe('summarization refuses', () => {
  test('a conversation with only a task', async () => {
    const messages = [new SystemMessage(' '), new HumanMessage('Sum it up.')];
    expect(await failureOf(modelOf('nothing').invoke(messages))).toMatchObject({
      code: 'INVALID_INPUT',
    });
  });

  test('an unknown option', () => {
    const options = { conversation: varve.conversation, tenant: 'acme', maxToken: 5 };
    expect(() => varveModel(options)).toThrow(/maxToken: no such option; did you mean maxTokens/u);
  });

  test('a conversation too long for one call, before anything is reserved', async () => {
    const content = 'word '.repeat(40_000);
    const call = varve.conversation.summarize({
      tenant: 'long',
      messages: [{ role: 'user', content }],
    });
    expect(await failureOf(call)).toMatchObject({ code: 'CONTENT_TOO_LONG' });
    expect(await ledgerOf('long')).toEqual([]);
  });

  test('a tenant without a model, and a caller bound to a user', async () => {
    const { folder } = held.use(await temporaryFolder());
    const bare = held.use(await openParts({ dataDir: folder, log: SILENT_LOG }));
    const ports = apiPortsOf(bare, NO_REFRESH_TRIGGER, null);
    const question = { tenant: 'acme', messages: [{ role: 'user', content: 'Hello.' }] } as const;
    const asked = { ...question, messages: [...question.messages] };
    const without = libraryOf(ports, LOCAL_OPERATOR).conversation.summarize(asked);
    expect(await failureOf(without)).toMatchObject({ code: 'NOT_FOUND' });
    const ann = { ...LOCAL_OPERATOR, bound: { userId: 'ann' } };
    const bound = libraryOf(apiPortsOf(parts, NO_REFRESH_TRIGGER, null), ann);
    expect(await failureOf(bound.conversation.summarize(asked))).toMatchObject({
      code: 'FORBIDDEN',
    });
  });
});
