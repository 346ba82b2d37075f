/** Answers of servers with OpenAI's protocol, as in their own documents and sources. */
import { describe, expect, test } from 'vitest';
import type { ErrorCode } from '#core/error-codes.ts';
import { failureOf } from '#test/unit/failures.ts';
import { ANN_SAID, call, modelOver, sharedModelServer, TEAM } from './model-fixture.ts';

const server = sharedModelServer();

async function told(body: unknown, status = 200) {
  server().script.push({ kind: 'Body', body, status });
  const { text, usage } = await modelOver(server()).answer(TEAM, call());
  return { items: (JSON.parse(text) as { items: unknown[] }).items, usage };
}

const failure = (body: unknown, status?: number) => failureOf(told(body, status));

const SAID = JSON.stringify({
  items: [{ ...ANN_SAID, item: 'i1', facts: [{ ...ANN_SAID.facts[0], sources: ['s1'] }] }],
});
const USAGE = { prompt_tokens: 70, completion_tokens: 9, total_tokens: 79 };
const message = (more: object) => ({ role: 'assistant', content: SAID, ...more });
const completion = (choice: object, more: object = {}) => ({
  id: 'x',
  object: 'chat.completion',
  choices: [{ index: 0, finish_reason: 'stop', ...choice }],
  usage: USAGE,
  ...more,
});

describe('answers of servers', () => {
  test.each<[string, unknown, 'Whole' | 'Nothing']>([
    [
      'OpenAI',
      completion(
        { message: message({ refusal: null, annotations: [] }), logprobs: null },
        {
          service_tier: 'default',
          usage: { ...USAGE, completion_tokens_details: { reasoning_tokens: 3 } },
        },
      ),
      'Whole',
    ],
    [
      'OpenAI that refuses',
      completion({ message: message({ content: null, refusal: 'I cannot.' }) }),
      'Nothing',
    ],
    [
      'Azure',
      completion(
        { message: message({}), content_filter_results: { hate: { filtered: false } } },
        { prompt_filter_results: [] },
      ),
      'Whole',
    ],
    [
      'Azure that filters',
      completion({ message: { role: 'assistant' }, finish_reason: 'content_filter' }),
      'Nothing',
    ],
    [
      'vLLM with a reasoning parser',
      completion(
        {
          message: message({ reasoning_content: 'Well.', tool_calls: [] }),
          stop_reason: null,
        },
        { prompt_logprobs: null, kv_transfer_params: null },
      ),
      'Whole',
    ],
    [
      'vLLM without a reasoning parser',
      completion({ message: message({ content: `Well {"a".\n</think>\n\n${SAID}` }) }),
      'Whole',
    ],
    ['Ollama', completion({ message: message({ reasoning: 'Well.' }) }), 'Whole'],
    ['llama.cpp', completion({ message: message({}) }, { timings: { predicted_n: 9 } }), 'Whole'],
    ['LM Studio', completion({ message: message({ tool_calls: [] }) }, { stats: {} }), 'Whole'],
    [
      'OpenRouter',
      completion(
        { message: message({ reasoning: null }), native_finish_reason: 'STOP', logprobs: null },
        { provider: 'A', usage: { ...USAGE, cost: 0.1 } },
      ),
      'Whole',
    ],
    [
      'OpenRouter that broke off',
      completion({
        message: message({ content: '' }),
        finish_reason: 'error',
        error: { code: 502 },
      }),
      'Nothing',
    ],
    [
      'Mistral',
      completion({ message: message({ content: [{ type: 'text', text: SAID }] }) }),
      'Whole',
    ],
    [
      'Mistral that thinks',
      completion({
        message: message({
          content: [
            { type: 'thinking', thinking: [{ type: 'text', text: 'Well.' }] },
            { type: 'text', text: SAID },
          ],
        }),
      }),
      'Whole',
    ],
  ])('from %s are understood', async (_, body, expected) => {
    const { items, usage } = await told(body);
    expect(items).toEqual(expected === 'Whole' ? [ANN_SAID] : []);
    expect(usage).toEqual({ inputTokens: 70, outputTokens: 9 });
  });
});

describe('errors of servers', () => {
  const error = (more: object) => ({ error: { message: 'No.', ...more } });
  const LENGTH = "This model's maximum context length is 4096 tokens.";

  test.each<[string, number, unknown, ErrorCode]>([
    [
      'OpenAI, too long',
      400,
      error({ code: 'context_length_exceeded', type: 'invalid_request_error', param: 'messages' }),
      'PROVIDER_REJECTED',
    ],
    ['OpenAI, busy', 429, error({ code: 'rate_limit_exceeded', type: 'tokens' }), 'RATE_LIMITED'],
    ['Azure, filtered', 400, error({ code: 'content_filter', status: 400 }), 'PROVIDER_REJECTED'],
    ['Azure, busy', 429, error({ code: '429' }), 'RATE_LIMITED'],
    [
      'vLLM, too long',
      400,
      error({ message: LENGTH, code: 400, param: null }),
      'PROVIDER_REJECTED',
    ],
    [
      'vLLM, no room for the answer',
      400,
      error({ message: `'max_tokens' is too large: 1564. ${LENGTH}`, param: 'max_tokens' }),
      'PROVIDER_REJECTED',
    ],
    ['vLLM of old', 400, { object: 'error', message: LENGTH, code: 400 }, 'PROVIDER_REJECTED'],
    ['Ollama, no such model', 404, error({ code: null, type: 'api_error' }), 'NOT_FOUND'],
    ['Ollama, failed', 500, error({ message: 'llama runner stopped' }), 'PROVIDER_ERROR'],
    [
      'llama.cpp, too long',
      400,
      error({
        code: 400,
        message: 'the request exceeds the available context size, try increasing it',
        type: 'exceed_context_size_error',
        n_ctx: 4_096,
      }),
      'PROVIDER_REJECTED',
    ],
    ['llama.cpp, loading', 503, error({ code: 503, type: 'unavailable_error' }), 'PROVIDER_ERROR'],
    ['LM Studio, no such path', 200, { error: 'Unexpected endpoint or method.' }, 'PROVIDER_ERROR'],
    [
      'LM Studio, too long',
      200,
      { error: 'Trying to keep the first 9000 tokens, and the context length is only 4096.' },
      'PROVIDER_REJECTED',
    ],
    ['OpenRouter, busy', 200, error({ code: 429, metadata: {} }), 'RATE_LIMITED'],
    [
      'OpenRouter, busy, with empty choices',
      200,
      { ...error({ code: 429 }), choices: [] },
      'RATE_LIMITED',
    ],
    ['OpenRouter, unpaid', 200, error({ code: 402 }), 'FORBIDDEN'],
    ['OpenRouter, a wrong key', 200, error({ code: 401 }), 'UNAUTHENTICATED'],
    ['OpenRouter, its server failed', 200, error({ code: 502 }), 'PROVIDER_ERROR'],
    ['OpenRouter, too late', 200, error({ code: 408 }), 'TIMEOUT'],
    ['OpenRouter, too long', 200, error({ code: 400, message: LENGTH }), 'PROVIDER_REJECTED'],
    ['a word for a code', 200, error({ code: 'server_error' }), 'PROVIDER_ERROR'],
    ['a timeout in words', 200, error({ message: 'It took too long.' }), 'PROVIDER_ERROR'],
  ])('map to the right code: %s', async (_, status, body, code) => {
    const before = server().calls.length;
    expect((await failure(body, status)).code).toBe(code);
    expect(server().calls.length).toBe(before + 1);
  });

  test.each([
    'the request exceeds the available context size, try increasing it',
    'The prompt does not fit the context window of 8192.',
    LENGTH,
    'There are too many tokens in the request.',
    'n_tokens is more than n_ctx',
  ])('such as %j mean that the prompt is too long', async (words) => {
    for (const status of [400, 422]) {
      const { code, message: text } = await failure(error({ message: words }), status);
      expect(code).toBe('PROVIDER_REJECTED');
      expect(text).toMatch(/too long for the model.*CONTEXT_TOKENS/u);
    }
  });

  test('that refuse a format with status 200 make the client try another format', async () => {
    const refused = error({ code: 400, message: 'response_format json_schema is not supported' });
    server().script.push({ kind: 'Body', body: refused });
    const { items } = await told(completion({ message: message({}) }));
    expect(items).toEqual([ANN_SAID]);
    expect(server().calls.at(-1)?.body.response_format?.type).toBe('json_object');
  });
});
