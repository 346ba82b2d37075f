import { describe, expect, test } from 'vitest';
import { readDreamAnswer } from '#core/dreams/dream-answer.ts';
import { DREAM_PROMPT_REVISION } from '#core/dreams/dream-prompt.ts';
import { utf8Bytes } from '#core/storable-text.ts';
import { createOpenAiDreamModel } from '#providers/openai/dream-model.ts';
import type { Behavior } from '#test/cluster/model-server/behavior.ts';
import { BASE, BLOCKS, dreamt, questionOf, textsOf } from '../core/dreams/dream-samples.ts';
import {
  call,
  endpointOptions,
  quiet,
  sharedModelServer,
  type Differing,
} from './model-fixture.ts';

const QUESTION = questionOf(BASE, BLOCKS);
const NEW = BLOCKS.flatMap(({ lines }) => textsOf(lines));

const server = sharedModelServer();

function dreamer(differing: Differing = {}) {
  const ofDreams = { classes: ['standard'] as const, outputTokensMax: 12_000 };
  return createOpenAiDreamModel(endpointOptions(server(), { ...ofDreams, ...differing }));
}

async function dreamBy(behavior: Behavior, differing: Differing = {}) {
  server().script.push(behavior);
  return dreamer(differing).dream(QUESTION, call());
}

/** The body of an answer as the server gives it. */
function said(text: string, finish = 'stop'): Behavior {
  const choices = [{ message: { role: 'assistant', content: text }, finish_reason: finish }];
  return { kind: 'Body', body: { choices, usage: { prompt_tokens: 70, completion_tokens: 9 } } };
}

describe('a dream through an OpenAI-compatible endpoint', () => {
  test('requests plain text within a limit, and answers with ids', async () => {
    const { text, usage } = await dreamBy({ kind: 'Answer', usage: { prompt: 70, completion: 9 } });
    expect(usage).toEqual({ inputTokens: 70, outputTokens: 9 });
    const { lines, isWhole } = readDreamAnswer(text);
    expect(isWhole).toBe(true);
    expect(new Set(lines.flatMap(({ sources }) => sources))).toEqual(
      new Set([...BASE, ...BLOCKS].map(({ id }) => id)),
    );
    const { body } = server().calls.at(-1) ?? {};
    expect(body).toMatchObject({ model: 'a-model', temperature: 0, max_tokens: 10_600 });
    expect(body).not.toHaveProperty('response_format');
  });

  test('makes a MEMORY.md of the old and the new lines', async () => {
    const { text } = await dreamBy({ kind: 'Answer' });
    const { outcome, lines } = dreamt({ answer: text });
    expect(outcome).toBe('Dreamed');
    expect(textsOf(lines).toSorted()).toEqual([...textsOf(BASE), ...NEW].toSorted());
    expect(lines.filter(({ id }) => id.startsWith('m'))).toHaveLength(BASE.length);
  });

  test('DREAM-06: keeps only words of the sources from a model that invents numbers', async () => {
    const { text } = await dreamBy({ kind: 'Answer', fault: 'InventsNumbers' });
    const { lines, added, dropped } = dreamt({ answer: text });
    const told = BLOCKS.flatMap((block) => block.lines.map((line) => line.text)).join(' ');
    for (const line of lines.filter(({ id }) => added.includes(id)))
      expect(told).toContain(line.text);
    expect(dropped.length).toBeGreaterThan(0);
  });

  test('matches the lines of a model that cites nothing by their words', async () => {
    const { text } = await dreamBy({ kind: 'Answer', fault: 'CitesNothing' });
    const { lines, added } = dreamt({ answer: text });
    const own = lines.filter(({ id }) => added.includes(id));
    expect(own.length).toBeGreaterThan(0);
    for (const { sources } of own) expect(sources.length).toBeGreaterThan(0);
  });

  test.each([
    ['PlainProse', { kind: 'Answer', fault: 'PlainProse' }],
    ['Filtered', { kind: 'Answer', fault: 'Filtered' }],
    ['a page', { kind: 'Page', text: '<html>', contentType: 'text/html' }],
  ] as const)('charges %s but treats it as no answer', async (_, behavior) => {
    const { log, lines } = quiet();
    const { text, usage } = await dreamBy(behavior, { log });
    expect(text).toBe('');
    expect(usage.inputTokens).toBeGreaterThan(100);
    expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({ level: 'warn', model: 'a-model' });
    expect(() => readDreamAnswer(text)).toThrow(
      expect.objectContaining({ code: 'MODEL_OUTPUT_INVALID' }),
    );
  });

  test.each([
    ['', 'length', /raise its thinking tokens/u],
    ['<think>Tea or coffee', 'length', /raise its thinking tokens/u],
    ['', 'stop', /without a \[MEMORY\] section/u],
    ['Tea or coffee', 'length', /without a \[MEMORY\] section/u],
  ])('logs what to change after the answer %j that ends by %s', async (text, end, told) => {
    const { log, lines } = quiet();
    await dreamBy(said(text, end), { log });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(told);
  });

  test('removes no line if the answer was cut', async () => {
    const whole = '[MEMORY]\n- Bob lives in Oslo. (s2)\n[DREAM]\n- Half a diary';
    const { text } = await dreamBy(said(whole, 'length'));
    expect(readDreamAnswer(text).isWhole).toBe(false);
    expect(dreamt({ answer: text })).toMatchObject({ outcome: 'LowGrounding', removed: [] });
    const { text: short } = await dreamBy({ kind: 'Answer' }, { outputTokensMax: 40 });
    expect(dreamt({ answer: short }).removed).toEqual([]);
  });

  test('ignores a section in the thoughts of a model', async () => {
    const { text } = await dreamBy(
      said(
        '<think>\n[MEMORY]\n- Maybe this? (s1)\n</think>\n' +
          '[MEMORY]\n- Bob lives in Oslo. (s2)\n[DREAM]\n- x',
      ),
    );
    expect(readDreamAnswer(text).lines).toMatchObject([{ text: 'Bob lives in Oslo.' }]);
  });

  test('stays within its usage limits', async () => {
    const model = dreamer({ thinkingTokens: 500, tokens: { name: 'byte', count: utf8Bytes } });
    await model.dream(QUESTION, call());
    const { body } = server().calls.at(-1) ?? {};
    const sent = (body?.messages ?? []).map(({ content }) => content).join('');
    const { inputTokens, outputTokens } = model.usageMax(QUESTION);
    expect(inputTokens).toBeGreaterThanOrEqual(utf8Bytes(sent));
    expect(body?.max_tokens).toBe(outputTokens);
    expect([model.outputTokensMax, model.inputTokensMax]).toEqual([11_500, 20_000]);
    expect(model.revision).toBe(DREAM_PROMPT_REVISION);
  });

  test.each([
    [{ kind: 'Refuse', status: 429, retryAfter: '7' }, 'RATE_LIMITED'],
    [{ kind: 'Refuse', status: 500 }, 'PROVIDER_ERROR'],
    [{ kind: 'Refuse', status: 400, message: 'no' }, 'PROVIDER_REJECTED'],
    [{ kind: 'CutStream' }, 'PROVIDER_ERROR'],
  ] as const)('fails with its code after %j', async (behavior, code) => {
    await expect(dreamBy(behavior)).rejects.toMatchObject({ code });
  });

  test('logs counts and codes but no content', async () => {
    const { log, lines } = quiet();
    await dreamBy({ kind: 'Answer' }, { log });
    expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({ level: 'info', attemptId: 'batch/1' });
    expect(lines.join('\n')).not.toMatch(/Ann|Oslo|tea|secret/u);
  });
});
