/**
 * The ledger by model and purpose matches what a local provider charged, for each way in which a
 * call can end: real clients, and a real store in memory.
 */
import { NO_TRACING } from '#core/ports/tracing.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { meteredCall, type PaidQuestion } from '#activities/metered-call.ts';
import { periodOf } from '#core/budget/budget-account.ts';
import { costOf, embeddingCost } from '#core/budget/price.ts';
import { VarveError } from '#core/errors.ts';
import { NO_METRICS } from '#core/ports/metrics.ts';
import type { Price } from '#core/ports/model.ts';
import type { Store } from '#core/ports/store.ts';
import { NOTHING, type Amount, type LedgerEntry } from '#core/records/account.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { utf8Bytes } from '#core/storable-text.ts';
import { embedTexts } from '#memory/embedding-call.ts';
import { conversationWriter, createOpenAiSummaryModel } from '#providers/openai/summary-model.ts';
import { createOpenAiDreamModel } from '#providers/openai/dream-model.ts';
import { createOpenAiEmbedder } from '#providers/openai/embedder.ts';
import { endpointModel } from '#providers/openai/endpoint-model.ts';
import { IN_MEMORY, openSqliteStore } from '#providers/sqlite/store.ts';
import type { Behavior } from '#test/cluster/model-server/behavior.ts';
import { startModelServer, type ModelServer } from '#test/cluster/model-server/model-server.ts';
import { digest, NOW } from '#test/conformance/samples.ts';
import { OPENING } from '#test/conformance/sqlite-adapter.ts';
import { BASE, BLOCKS, questionOf } from '../core/dreams/dream-samples.ts';
import { json, openEndpoint, type Behavior as Reply } from '../openai/embedding-endpoint.ts';
import { endpointOptions, TEAM } from '../openai/model-fixture.ts';

type Outcome = Exclude<LedgerEntry['outcome'], 'Open'>;

const TENANT = 'acme';
const POLICY = defaultPolicy(TENANT);
const SIGNAL = new AbortController().signal;
/** Only where the server says nothing for ever. */
const TIMEOUT_MS = 100;

const SMALL = { inputMicroDollarsPerMillion: 150_000, outputMicroDollarsPerMillion: 600_000 };
const LARGE = { inputMicroDollarsPerMillion: 3_000_000, outputMicroDollarsPerMillion: 15_000_000 };
const VECTORS = 20_000;
const TEXTS = ['Ann lives in Oslo.', 'Bob führt Hunde aus.'];
/** Tokens around a text of an embedding. */
const AROUND = 64;

const JSON_TYPE = 'application/json';
/** Null where nothing listens. */
const CHATS: readonly (readonly [string, Behavior | null, Outcome])[] = [
  ['a refused connection', null, 'NotCharged'],
  ['401', { kind: 'Refuse', status: 401 }, 'NotCharged'],
  ['404', { kind: 'Refuse', status: 404 }, 'NotCharged'],
  ['429', { kind: 'Refuse', status: 429 }, 'NotCharged'],
  ['500', { kind: 'Refuse', status: 500 }, 'NotCharged'],
  ['503', { kind: 'Refuse', status: 503 }, 'NotCharged'],
  ['504', { kind: 'Refuse', status: 504 }, 'UnknownOutcome'],
  ['a cut in the middle', { kind: 'CutStream' }, 'UnknownOutcome'],
  ['a time-out', { kind: 'Silence' }, 'UnknownOutcome'],
  ['a time-out in the middle', { kind: 'Halt' }, 'UnknownOutcome'],
  ['half of JSON', { kind: 'Page', text: '{"choices":[', contentType: JSON_TYPE }, 'Usage'],
  ['a cut by length', { kind: 'Answer', fault: 'OverLong' }, 'Usage'],
  ['JSON that ends early', { kind: 'Answer', fault: 'MalformedJson' }, 'Usage'],
  ['JSON of another shape', { kind: 'Answer', fault: 'WrongSchema' }, 'Usage'],
  ['prose', { kind: 'Answer', fault: 'PlainProse' }, 'Usage'],
  ['an empty answer', { kind: 'Answer', fault: 'Filtered' }, 'Usage'],
  ['success', { kind: 'Answer' }, 'Usage'],
  ['success beyond all bounds', usage(90_000, 70_000), 'Usage'],
];

const OF_VECTORS = { object: 'list', data: [], usage: { prompt_tokens: 7, total_tokens: 7 } };
const BROKEN: Reply = (response) => {
  response.writeHead(200, { 'content-type': JSON_TYPE });
  response.write('{"object":"list",', () => response.destroy());
};
/** Undefined where it answers. */
const EMBEDDINGS: readonly (readonly [string, Reply | null | undefined, Outcome])[] = [
  ['a refused connection', null, 'NotCharged'],
  ...[401, 404, 413, 429, 500, 503].map(
    (status) => [String(status), json(status, {}), 'NotCharged'] as const,
  ),
  ['504', json(504, {}), 'UnknownOutcome'],
  ['a cut in the middle', BROKEN, 'UnknownOutcome'],
  ['a time-out', () => undefined, 'UnknownOutcome'],
  ['no JSON', (response) => response.end('{"object":'), 'UnknownOutcome'],
  ['no vectors', json(200, OF_VECTORS), 'Usage'],
  ['success', undefined, 'Usage'],
];

function usage(prompt: number, completion: number): Behavior {
  return { kind: 'Answer', usage: { prompt, completion } };
}

let server: ModelServer;
let store: Store;
/** An address at which nothing listens. */
let nowhere = '';
/** What each call must have cost, by its attempt. */
const expected = new Map<string, Amount & { outcome: Outcome; of: string }>();

beforeAll(async () => {
  server = await startModelServer();
  store = await openSqliteStore({ file: IN_MEMORY, ...OPENING });
  const gone = await startModelServer();
  nowhere = gone.baseUrl;
  await gone[Symbol.asyncDispose]();
  for (const asker of ASKERS) for (const end of CHATS) await askBy(asker, end);
  await embedEach();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

type Asked = Pick<PaidQuestion, 'usageMax' | 'ask'> & { readonly name: string };
interface Place {
  readonly baseUrl: string;
  readonly timeoutMs?: number;
}

const summaries = (name: string, price: Price) => (place: Place) => {
  const model = createOpenAiSummaryModel(endpointOptions(place, { ...place, name, price }));
  const ask: Asked['ask'] = (call) => model.answer(TEAM, call);
  return { name, usageMax: () => model.usageMax(TEAM), ask };
};
const dreams = (name: string, price: Price) => (place: Place) => {
  const model = createOpenAiDreamModel(endpointOptions(place, { ...place, name, price }));
  const question = questionOf(BASE, BLOCKS);
  const ask: Asked['ask'] = (call) => model.dream(question, call);
  return { name, usageMax: () => model.usageMax(question), ask };
};
const conversations = (name: string, price: Price) => (place: Place) => {
  const options = endpointOptions(place, { ...place, name, price });
  const writer = conversationWriter(options, endpointModel(options));
  const message = { role: 'user', speaker: null, text: TEXTS.join(' ') };
  const question = { messages: [message], instruction: 'Sum it up.', tokensMax: 100 };
  const ask: Asked['ask'] = (call) => writer.write(question, call);
  return { name, usageMax: () => writer.usageMax(question), ask };
};

const ASKERS = [
  ['summary', SMALL, summaries('small', SMALL)],
  ['summary', LARGE, summaries('large', LARGE)],
  ['variant', SMALL, summaries('small', SMALL)],
  ['extraction', LARGE, summaries('large', LARGE)],
  ['verification', SMALL, summaries('small', SMALL)],
  ['dream', LARGE, dreams('large', LARGE)],
  ['conversation', LARGE, conversations('large', LARGE)],
] as const;

/** Notes what a call must have cost: what the provider recorded, or all that was reserved. */
async function askBy(
  [purpose, price, asker]: (typeof ASKERS)[number],
  [end, behavior, outcome]: (typeof CHATS)[number],
): Promise<void> {
  if (behavior !== null) server.script.push(behavior);
  const isSilent = behavior?.kind === 'Silence' || behavior?.kind === 'Halt';
  const baseUrl = behavior === null ? nowhere : server.baseUrl;
  const { name, usageMax, ask } = asker({ baseUrl, ...(isSilent && { timeoutMs: TIMEOUT_MS }) });
  const batchId = `${purpose} ${name} ${end}`;
  const before = server.charged();
  const question = { hash: digest(batchId), model: { name, price }, usageMax, ask };
  const ports = { store, platform: OPENING.platform, metrics: NO_METRICS };
  const rules = { batch: { tenant: TENANT, batchId }, attempt: 1, policy: POLICY };
  const call = { signal: SIGNAL };
  await ended(
    meteredCall(
      ports,
      { ...question, itemsOf: () => [], count: () => undefined },
      { ...rules, call, purpose },
    ),
  );
  const after = server.charged();
  const recorded = {
    inputTokens: after.prompt - before.prompt,
    outputTokens: after.completion - before.completion,
  };
  const isRecorded = after.answers > before.answers;
  const amount = costOf(isRecorded || outcome === 'NotCharged' ? recorded : usageMax(), price);
  expected.set(`${batchId}/1`, { ...amount, outcome, of: `${name} ${purpose}` });
}

/** A failure is one of Varve. */
async function ended(call: Promise<unknown>): Promise<void> {
  const [end] = await Promise.allSettled([call]);
  if (end.status === 'rejected') expect(end.reason).toBeInstanceOf(VarveError);
}

async function embedEach(): Promise<void> {
  await using endpoint = await openEndpoint();
  const most = TEXTS.reduce((sum, text) => sum + utf8Bytes(text) + AROUND, 0);
  for (const [end, reply, outcome] of EMBEDDINGS) {
    if (reply !== null && reply !== undefined) endpoint.behaviors.push(reply);
    const embedder = createOpenAiEmbedder({
      ...{ baseUrl: reply === null ? nowhere : endpoint.url, apiKey: null, model: 'vectors' },
      ...{ dimensions: 3, dimensionsSent: false, queryPrefix: '', passagePrefix: '' },
      ...(end === 'a time-out' && { timeoutMs: TIMEOUT_MS }),
      ...{ microDollarsPerMillionTokens: VECTORS, digest, clock: () => NOW },
      tracing: NO_TRACING,
    });
    const attemptId = `embedding ${end}`;
    const platform = { ...OPENING.platform, newId: () => attemptId };
    const call = { operation: 'add', tenant: TENANT, by: 'ann', signal: SIGNAL } as const;
    const request = { embedder, purpose: 'passage', texts: TEXTS } as const;
    await ended(
      embedTexts({ store, platform }, { ...call, retried: (attempt) => attempt() }, request),
    );
    const tokens = { Usage: 7, NotCharged: 0, UnknownOutcome: most }[outcome];
    const amount = embeddingCost(tokens, VECTORS);
    expected.set(attemptId, { ...amount, outcome, of: `${embedder.generation} embedding` });
  }
}

function sumOf(amounts: readonly Amount[]): Amount {
  return amounts.reduce(
    (sum, { tokens, microDollars }) => ({
      tokens: sum.tokens + tokens,
      microDollars: sum.microDollars + microDollars,
    }),
    NOTHING,
  );
}

test('the ledger matches the charges by model and purpose, however a call ended', async () => {
  const entries = await store.accounts.entries(TENANT, { limit: expected.size + 1 });
  const found = entries.map(({ attemptId, outcome, spent, model, purpose }) => [
    attemptId,
    { ...spent, outcome, of: `${model} ${purpose}` },
  ]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
  expect(entries).toHaveLength(ASKERS.length * CHATS.length + EMBEDDINGS.length);
  const { spent, open } = await store.accounts.get(TENANT, periodOf(NOW), POLICY.budget);
  expect({ spent, open }).toEqual({ spent: sumOf([...expected.values()]), open: [] });
});

test.each([
  'summary',
  'variant',
  'extraction',
  'verification',
  'dream',
  'conversation',
  'embedding',
] as const)('the usage of a tenant for %s is the sum of its calls', async (purpose) => {
  const calls = [...expected.values()].filter(({ of }) => of.endsWith(` ${purpose}`));
  const used = await store.accounts.used(TENANT, { period: periodOf(NOW), purpose });
  expect(used).toEqual(sumOf(calls));
});
