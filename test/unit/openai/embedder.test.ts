import { NO_TRACING } from '#core/ports/tracing.ts';
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { VarveError } from '#core/errors.ts';
import type { ErrorCode } from '#core/error-codes.ts';
import { createOpenAiEmbedder, type OpenAiEmbedderOptions } from '#providers/openai/embedder.ts';
import { failureOf } from '#test/unit/failures.ts';
import { json, openEndpoint, type Behavior } from './embedding-endpoint.ts';
import { shared } from '#test/shared-fixture.ts';

const KEY = 'sk-a-very-secret-key';
const NOW = Date.UTC(2026, 10, 1, 12);

const endpoint = shared(openEndpoint);
beforeEach(() => {
  endpoint().behaviors.length = 0;
});

function embedder(differing: Partial<OpenAiEmbedderOptions> = {}) {
  return createOpenAiEmbedder({
    baseUrl: endpoint().url,
    apiKey: KEY,
    model: 'a-model',
    dimensions: 3,
    dimensionsSent: false,
    queryPrefix: '',
    passagePrefix: '',
    microDollarsPerMillionTokens: null,
    digest: (text) => createHash('sha256').update(text).digest('hex'),
    clock: () => NOW,
    tracing: NO_TRACING,
    ...differing,
  });
}

const PASSAGE = { purpose: 'passage' } as const;

async function failure(
  behavior: Behavior,
  { options = {}, signal }: { options?: Partial<OpenAiEmbedderOptions>; signal?: AbortSignal } = {},
): Promise<VarveError> {
  endpoint().behaviors.push(behavior);
  const call = signal === undefined ? PASSAGE : { ...PASSAGE, signal };
  return failureOf(embedder(options).embed(['Ann has a secret.'], call));
}

describe('the OpenAI embedder', () => {
  test('returns vectors of length 1 in the order of the texts', async () => {
    const vectors = await embedder().embed(['a', 'bbb'], PASSAGE);
    expect(vectors.map(([x, y]) => Math.round((x ?? 0) / (y ?? 1)))).toEqual([1, 3]);
    for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 6);
  });

  test('MEM-20: sends the configured fields and key, and nothing of the environment', async () => {
    process.env['OPENAI_ORG_ID'] = 'org-of-somebody';
    await embedder({ dimensionsSent: true }).embed(['a'], PASSAGE);
    delete process.env['OPENAI_ORG_ID'];
    const asked = endpoint().asked.at(-1);
    expect(asked?.path).toBe('/v1/embeddings');
    expect(asked?.headers).toMatchObject({ authorization: `Bearer ${KEY}` });
    expect(asked?.headers).not.toHaveProperty('openai-organization');
    expect(asked?.body).toEqual({
      model: 'a-model',
      input: ['a'],
      encoding_format: 'float',
      dimensions: 3,
    });
    await embedder().embed(['a'], PASSAGE);
    expect(endpoint().asked.at(-1)?.body).not.toHaveProperty('dimensions');
  });

  test('adds the prefixes of a model by purpose', async () => {
    const e5 = embedder({ queryPrefix: 'query: ', passagePrefix: 'passage: ' });
    await e5.embed(['a'], { purpose: 'query' });
    await e5.embed(['a'], PASSAGE);
    const inputs = endpoint()
      .asked.slice(-2)
      .map(({ body }) => body.input);
    expect(inputs).toEqual([['query: a'], ['passage: a']]);
  });

  test('has another generation whenever its vectors would change', () => {
    const names = [
      embedder(),
      embedder({ model: 'other' }),
      embedder({ dimensions: 4 }),
      embedder({ queryPrefix: 'query: ' }),
      embedder({ passagePrefix: 'query: ' }),
      embedder({ queryPrefix: 'query: ', passagePrefix: 'passage: ' }),
    ].map(({ generation }) => generation);
    expect(new Set(names).size).toBe(names.length);
    expect(names[0]).toBe('a-model-3');
    expect(embedder({ baseUrl: 'http://elsewhere/v1', apiKey: null }).generation).toBe(names[0]);
  });

  test('reports the counted tokens, and makes no call without texts', async () => {
    let tokens = 0;
    await embedder().embed(['a'], { ...PASSAGE, onUsage: (counted) => (tokens += counted) });
    expect(tokens).toBe(7);
    const before = endpoint().asked.length;
    expect(await embedder().embed([], PASSAGE)).toEqual([]);
    expect(endpoint().asked.length).toBe(before);
  });

  const refusal = (message: string, code: string | null = null) => ({ error: { message, code } });
  const SECRETIVE = refusal(`Wrong key ${KEY} for "Ann has a secret."`);

  test.each<[string, Behavior, ErrorCode]>([
    ['401', json(401, SECRETIVE), 'PROVIDER_REJECTED'],
    ['403', json(403, SECRETIVE), 'PROVIDER_REJECTED'],
    ['400', json(400, SECRETIVE), 'PROVIDER_REJECTED'],
    ['404', json(404, SECRETIVE), 'PROVIDER_REJECTED'],
    ['408', json(408, SECRETIVE), 'TIMEOUT'],
    ['413', json(413, SECRETIVE), 'CONTENT_TOO_LONG'],
    ['429', json(429, SECRETIVE), 'RATE_LIMITED'],
    ['429 with an unpaid bill', json(429, refusal('x', 'insufficient_quota')), 'PROVIDER_REJECTED'],
    ['500', json(500, SECRETIVE), 'PROVIDER_ERROR'],
    ['503', json(503, SECRETIVE), 'PROVIDER_ERROR'],
    ['a page of a proxy', (response) => response.end('<html>hello</html>'), 'MODEL_OUTPUT_INVALID'],
    ['an empty answer', json(200, {}), 'MODEL_OUTPUT_INVALID'],
    ['too few vectors', json(200, { data: [] }), 'MODEL_OUTPUT_INVALID'],
    [
      'a vector of another length',
      json(200, { data: [{ index: 0, embedding: [1, 2] }] }),
      'MODEL_OUTPUT_INVALID',
    ],
    ['zeros', json(200, { data: [{ index: 0, embedding: [0, 0, 0] }] }), 'MODEL_OUTPUT_INVALID'],
    [
      'no numbers',
      json(200, { data: [{ index: 0, embedding: [1, null, 2] }] }),
      'MODEL_OUTPUT_INVALID',
    ],
    ['a cut connection', (response) => response.destroy(), 'PROVIDER_ERROR'],
    [
      'a text that is too long, by code',
      json(400, refusal('x', 'context_length_exceeded')),
      'CONTENT_TOO_LONG',
    ],
    [
      'a text that is too long, by words',
      json(400, refusal("This model's maximum context length is 512 tokens.")),
      'CONTENT_TOO_LONG',
    ],
  ])('makes one call on %s and fails without secrets in the error', async (_, behavior, code) => {
    const before = endpoint().asked.length;
    const error = await failure(behavior);
    expect(error.code).toBe(code);
    expect(endpoint().asked.length).toBe(before + 1);
    const told = JSON.stringify([error.message, error.details, String(error.cause)]);
    expect(told).not.toMatch(/secret|sk-/);
  });

  test.each<[Readonly<Record<string, string>>, number | undefined]>([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': 'Sun, 01 Nov 2026 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Sun, 01 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('waits after %j for %s ms', async (headers, retryAfterMs) => {
    const error = await failure(json(429, refusal('x'), headers));
    expect(error).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
    expect(error.details['retryAfterMs']).toBe(retryAfterMs);
  });

  test('sends no text to another host after a redirect', async () => {
    await using other = await openEndpoint();
    endpoint().behaviors.push((response) => {
      response.writeHead(307, { location: `${other.url}/embeddings` }).end();
    });
    const call = embedder().embed(['A secret.'], { purpose: 'passage' });
    await expect(call).rejects.toMatchObject({ code: 'PROVIDER_REJECTED' });
    expect(other.asked).toEqual([]);
  });

  test('MEM-26: fails with PROVIDER_ERROR if no server answers', async () => {
    const gone = await openEndpoint();
    await gone[Symbol.asyncDispose]();
    const call = embedder({ baseUrl: gone.url }).embed(['a'], PASSAGE);
    await expect(call).rejects.toMatchObject({ code: 'PROVIDER_ERROR', retryable: true });
  });

  test('fails with TIMEOUT on silence before or after the first byte', async () => {
    const silent: Behavior = () => undefined;
    const halting: Behavior = (response) => response.writeHead(200).write('{"data":[');
    for (const behavior of [silent, halting]) {
      const error = await failure(behavior, { options: { timeoutMs: 50 } });
      expect(error).toMatchObject({ code: 'TIMEOUT', details: { timeoutMs: 50 } });
    }
  });

  test('ends the call if its caller leaves', async () => {
    const controller = new AbortController();
    const leave: Behavior = () => controller.abort();
    const error = await failure(leave, { signal: controller.signal });
    expect(error.code).toBe('CANCELLED');
  });
});
