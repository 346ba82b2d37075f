import { describe, expect, test } from 'vitest';
import { readConfig } from '#cli/config.ts';
import type { ModelBatch } from '#core/ports/model.ts';
import { answerTokensMax } from '#core/prompt/answer-schema.ts';
import { DEPTHS, type Usage } from '#core/records/summary.ts';
import { utf8Bytes } from '#core/storable-text.ts';
import { createLog } from '#providers/node/log.ts';
import { loadTokenCounter } from '#providers/tokenizers/token-counter.ts';
import type { Behavior } from '#test/cluster/model-server/behavior.ts';
import { batchOf, item, source } from '../core/prompt-batch.ts';
import {
  ANN_SAID,
  BOB_SAID,
  call,
  KEY,
  modelOver,
  quiet,
  sharedModelServer,
  TEAM,
} from './model-fixture.ts';

const CL100K = await loadTokenCounter({ log: quiet().log });
const JSON_TYPE = 'application/json';

const server = sharedModelServer();

async function factsBy(behavior: Behavior, batch: ModelBatch = TEAM) {
  server().script.push(behavior);
  const { text, usage } = await modelOver(server()).answer(batch, call());
  return { answer: JSON.parse(text) as { items: unknown[] }, usage };
}

describe('a model behind an OpenAI-compatible endpoint', () => {
  test('answers every item in one call, with the ids of its sources', async () => {
    const before = server().calls.length;
    const { answer, usage } = await factsBy({
      kind: 'Answer',
      usage: { prompt: 70, completion: 9 },
    });
    expect(answer).toEqual({ items: [ANN_SAID, BOB_SAID] });
    expect(usage).toEqual({ inputTokens: 70, outputTokens: 9 });
    expect(server().calls.length).toBe(before + 1);
  });

  test('logs one line for each call at the default level', async () => {
    const lines: string[] = [];
    const { logLevel: level } = readConfig({}, {});
    const log = createLog({ level, destination: { write: (line) => lines.push(line) } });
    await modelOver(server(), { log }).answer(TEAM, call());
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 'info', msg: 'the model answered', model: 'a-model' }),
    ]);
  });

  test('sends the key, a schema and a limit, and nothing of the environment', async () => {
    process.env['OPENAI_ORG_ID'] = 'org-of-somebody';
    await modelOver(server()).answer(TEAM, call());
    delete process.env['OPENAI_ORG_ID'];
    const { headers, body, items } = server().calls.at(-1) ?? {};
    expect(headers).toMatchObject({ authorization: `Bearer ${KEY}` });
    expect(headers).not.toHaveProperty('openai-organization');
    expect(body).toMatchObject({
      model: 'a-model',
      temperature: 0,
      max_tokens: 614,
      response_format: { type: 'json_schema', json_schema: { strict: true } },
    });
    expect(body?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(items?.map(({ sources }) => sources[0]?.text)).toEqual([
      'Ann has a secret garden with 3 trees.',
      'Bob keeps 7 dogs in a secret house.',
    ]);
  });

  test('estimates a missing usage from both texts', async () => {
    const { usage } = await factsBy({ kind: 'Answer', usage: null });
    const { body } = server().calls.at(-1) ?? {};
    const characters = body?.messages.reduce((sum, { content }) => sum + content.length, 0) ?? 0;
    expect(usage.inputTokens).toBeGreaterThanOrEqual(characters / 4);
    expect(usage.outputTokens).toBeGreaterThan(20);
  });

  test('stays within its usage limits', async () => {
    const wide = batchOf(item('ann', [source('a1', 'Änn sagt „ja“ — 😀', { speaker: 'Ännchen' })]));
    const tokens = { name: 'byte', count: utf8Bytes };
    const usageMax = modelOver(server(), { thinkingTokens: 500, tokens }).usageMax(wide);
    await modelOver(server(), { thinkingTokens: 500 }).answer(wide, call());
    const { body } = server().calls.at(-1) ?? {};
    const sent = [...(body?.messages ?? []).map(({ content }) => content)].join('');
    expect(usageMax.inputTokens).toBeGreaterThanOrEqual(utf8Bytes(sent));
    const counted = modelOver(server(), { tokens: CL100K }).usageMax(wide);
    expect(counted.inputTokens).toBeLessThan(usageMax.inputTokens / 2);
    expect(usageMax.outputTokens).toBe(780);
    expect(body?.max_tokens).toBe(780);
    expect(modelOver(server(), { outputTokensMax: 600 }).usageMax(TEAM).outputTokens).toBe(600);
  });

  test('needs at most 3,000 tokens of budget for one summary at all depths', () => {
    const model = modelOver(server(), { tokens: CL100K });
    const sources = [source('a1', 'Ann prefers tea, and moved from Porto to Braga.')];
    const { inputTokens, outputTokens } = model.usageMax(
      batchOf(item('ann', sources, { depths: DEPTHS })),
    );
    expect(inputTokens + outputTokens).toBeLessThanOrEqual(3_000);
  });

  test('leaves room for thoughts in its output limit', async () => {
    const limits = { contextTokens: 128_000, outputTokensMax: 16_384, thinkingTokens: 12_000 };
    const model = modelOver(server(), limits);
    expect(model.outputTokensMax).toBe(4_384);
    expect(model.inputTokensMax).toBe(128_000 - 16_384);
    const items = ['ann', 'bob'].map((name) => item(name, [source(name, `${name} is here.`)]));
    const { outputTokens } = model.usageMax(batchOf(...items));
    expect(outputTokens).toBe(answerTokensMax(batchOf(...items)) + limits.thinkingTokens);
    expect(outputTokens).toBeLessThanOrEqual(limits.outputTokensMax);
  });

  test('SUM-18: logs model, class, tokens and cost of a call, and no text', async () => {
    const { log, lines } = quiet();
    server().script.push({ kind: 'Answer', usage: { prompt: 1_000_000, completion: 10 } });
    await modelOver(server(), { log }).answer(TEAM, call());
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      {
        level: 'info',
        model: 'a-model',
        classes: ['economy'],
        attemptId: 'batch/1',
        inputTokens: 1_000_000,
        outputTokens: 10,
        microDollars: 150_006,
        items: 2,
      },
    ]);
    expect(lines.join('\n')).not.toMatch(/secret/u);
  });
});

describe('a model that answers badly', () => {
  test.each<[string, Behavior & { kind: 'Answer' }, readonly unknown[]]>([
    ['in a fence with prose', { kind: 'Answer', fault: 'Fenced' }, [ANN_SAID, BOB_SAID]],
    ['for all but one item', { kind: 'Answer', fault: 'LeavesOutItem' }, [ANN_SAID]],
    ['too long and cut', { kind: 'Answer', fault: 'OverLong' }, [ANN_SAID, BOB_SAID]],
    ['cut in an item', { kind: 'Answer', fault: 'CutItem' }, [ANN_SAID]],
    ['in parts after its thoughts', { kind: 'Answer', inParts: true }, [ANN_SAID, BOB_SAID]],
    ['with malformed JSON', { kind: 'Answer', fault: 'MalformedJson' }, [ANN_SAID]],
    ['in another shape', { kind: 'Answer', fault: 'WrongSchema' }, []],
    ['with prose', { kind: 'Answer', fault: 'PlainProse' }, []],
    ['with nothing, filtered', { kind: 'Answer', fault: 'Filtered' }, []],
  ])('%s is charged, and its whole items are kept', async (_, behavior, expected) => {
    const usage = { prompt: 70, completion: 9 };
    const told = await factsBy({ ...behavior, usage });
    expect(told.answer).toEqual({ items: expected });
    expect(told.usage).toEqual({ inputTokens: 70, outputTokens: 9 });
  });

  test('beyond the output limit is cut by the server, and its whole items are kept', async () => {
    const model = modelOver(server(), { outputTokensMax: 70 });
    const { text, usage } = await model.answer(TEAM, call());
    expect(JSON.parse(text)).toEqual({ items: [ANN_SAID] });
    expect(usage.outputTokens).toBe(70);
  });

  test('in a cut item keeps the whole facts, cited by their ids', async () => {
    const sentences = ['Ann keeps 3 bees in a hive.', 'Ann sold 4 jars to Bob.', 'Ann is at sea.'];
    const sources = sentences.map((text, at) => source(`a${String(at + 1)}`, text));
    const { answer } = await factsBy(
      { kind: 'Answer', fault: 'CutItem' },
      batchOf(item('ann', sources)),
    );
    expect(answer.items).toMatchObject([
      { item: ANN_SAID.item, facts: [{ sources: ['a1'] }, { sources: ['a2'] }] },
    ]);
  });

  const usage = { prompt_tokens: 70, completion_tokens: 9 };
  test.each<[string, Behavior, Usage | 'Estimated' | 'Most']>([
    ['a page of a proxy', { kind: 'Page', text: '<html>secret</html>' }, 'Estimated'],
    ['half of a body', { kind: 'Page', text: '{"secret":', contentType: JSON_TYPE }, 'Most'],
    ['no body', { kind: 'Page', text: '', contentType: JSON_TYPE }, 'Estimated'],
    ['no choice', { kind: 'Body', body: { choices: [] } }, 'Estimated'],
    ['an empty choice', { kind: 'Body', body: { choices: [null] } }, 'Estimated'],
    [
      'no choice but a usage',
      { kind: 'Body', body: { choices: [], usage } },
      { inputTokens: 70, outputTokens: 9 },
    ],
    ['a null error', { kind: 'Body', body: { error: null, secret: 'x' } }, 'Estimated'],
  ])('with %s is charged once, as an answer without items', async (_, behavior, expected) => {
    const { log, lines } = quiet();
    const before = server().calls.length;
    server().script.push(behavior);
    const told = await modelOver(server(), { log }).answer(TEAM, call());
    expect(JSON.parse(told.text)).toEqual({ items: [] });
    expect(server().calls.length).toBe(before + 1);
    const { inputTokens, outputTokens } = told.usage;
    if (typeof expected === 'object') expect(told.usage).toEqual(expected);
    else expect(inputTokens).toBeGreaterThan(100);
    if (expected === 'Most') expect(outputTokens).toBe(answerTokensMax(TEAM));
    if (expected === 'Estimated') expect(outputTokens).toBeLessThan(50);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/"level":"warn".*check its address/u);
    expect(lines[0]).not.toMatch(/secret/u);
  });

  test('with only thoughts makes the log name the setting to change', async () => {
    const { log, lines } = quiet();
    const choices = [{ message: { role: 'assistant', content: '' }, finish_reason: 'length' }];
    server().script.push({ kind: 'Body', body: { choices, usage } });
    await modelOver(server(), { log }).answer(TEAM, call());
    expect(lines[0]).toMatch(/"level":"warn".*THINKING_TOKENS/u);
  });

  test('with counted thoughts gets a larger limit in later calls', async () => {
    const details = { completion_tokens_details: { reasoning_tokens: 900 } };
    const choices = [{ message: { role: 'assistant', content: '' }, finish_reason: 'length' }];
    const model = modelOver(server());
    server().script.push({ kind: 'Body', body: { choices, usage: { ...usage, ...details } } });
    await model.answer(TEAM, call());
    await model.answer(TEAM, call());
    expect(server().calls.at(-1)?.body.max_tokens).toBe(answerTokensMax(TEAM) + 2 * 900);
    expect(model.usageMax(TEAM).outputTokens).toBe(answerTokensMax(TEAM) + 2 * 900);
  });

  test('with the words of one owner cites no source under another owner', async () => {
    for (const fault of ['SwapsOwners', 'CitesAnotherScope'] as const) {
      const { answer } = await factsBy({ kind: 'Answer', fault });
      expect(answer.items).toMatchObject([
        { item: ANN_SAID.item, facts: [{ sources: ['unknown source: s2'] }] },
        { item: BOB_SAID.item, facts: [{ sources: ['unknown source: s1'] }] },
      ]);
    }
  });

  test('with malformed facts passes them on to be counted', async () => {
    const { answer } = await factsBy({ kind: 'Answer', fault: 'MalformedFacts' });
    expect(answer).toEqual({
      items: [
        { item: ANN_SAID.item, facts: [...ANN_SAID.facts, 7] },
        { item: BOB_SAID.item, facts: [...BOB_SAID.facts, 7] },
      ],
    });
  });

  test('that cannot be read is logged as a warning without its text', async () => {
    const { log, lines } = quiet();
    server().script.push({ kind: 'Answer', fault: 'PlainProse' });
    await modelOver(server(), { log }).answer(TEAM, call());
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 'warn', model: 'a-model', items: 2 },
    ]);
    expect(lines.join('\n')).not.toMatch(/glad|secret/u);
  });
});
