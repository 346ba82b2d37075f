import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import { ERRORS, type ErrorCode } from '#core/error-codes.ts';
import { answerTokensMax } from '#core/prompt/answer-schema.ts';
import type { OpenAiModelOptions } from '#providers/openai/call-usage.ts';
import { seededBehavior, type Behavior } from '#test/cluster/model-server/behavior.ts';
import type { Dialect } from '#test/cluster/model-server/dialect.ts';
import { startModelServer } from '#test/cluster/model-server/model-server.ts';
import { failureOf } from '#test/unit/failures.ts';
import {
  ANN_SAID,
  BOB_SAID,
  call,
  endpointOptions,
  KEY,
  modelOver,
  sharedModelServer,
  TEAM,
} from './model-fixture.ts';

const SCHEMA = 'json_schema';
const ANSWER_MAX = answerTokensMax(TEAM);
const NOT_SENT = { max_tokens: undefined, max_completion_tokens: undefined, format: undefined };

const server = sharedModelServer();

async function failure(
  behavior: Behavior,
  options: Partial<OpenAiModelOptions> = {},
  signal?: AbortSignal,
): Promise<VarveError> {
  server().script.push(behavior);
  return failureOf(modelOver(server(), options).answer(TEAM, call(signal)));
}

describe('a server that supports fewer parameters', () => {
  const small = ['max_completion_tokens'] as const;

  test.each<[string, Partial<Dialect>, object, number]>([
    [
      'a schema',
      { formats: ['json_object'] },
      { max_tokens: ANSWER_MAX, format: 'json_object' },
      2,
    ],
    ['any format', { formats: [] }, { max_tokens: ANSWER_MAX }, 3],
    [
      'the older limit',
      { limits: small },
      { max_completion_tokens: ANSWER_MAX, format: SCHEMA },
      2,
    ],
    ['a temperature', { temperature: false }, { max_tokens: ANSWER_MAX, format: SCHEMA }, 2],
    [
      'all of these',
      { formats: [], limits: small, temperature: false },
      { max_completion_tokens: ANSWER_MAX },
      5,
    ],
  ])(
    'without support for %s is detected once and remembered',
    async (_, dialect, expected, tries) => {
      await using other = await startModelServer({ dialect });
      const model = modelOver(other);
      for (const attemptId of ['batch/1', 'batch/2']) {
        const { text } = await model.answer(TEAM, { ...call(), attemptId });
        expect(JSON.parse(text)).toEqual({ items: [ANN_SAID, BOB_SAID] });
      }
      expect(other.calls).toHaveLength(tries + 1);
      expect(other.charged().answers).toBe(2);
      const { max_tokens, max_completion_tokens, temperature, response_format } =
        other.calls.at(-1)?.body ?? {};
      const format = response_format?.type;
      expect({ max_tokens, max_completion_tokens, format }).toEqual({ ...NOT_SENT, ...expected });
      expect(temperature).toBe(dialect.temperature === false ? undefined : 0);
    },
  );

  test('is asked for the schema again an hour later', async () => {
    let now = 0;
    const platform = { ...endpointOptions(server(), {}).platform, clock: () => now };
    const model = modelOver(server(), { platform });
    const refusal = { kind: 'Refuse', status: 400, message: 'no json_schema here' } as const;
    const formats: unknown[] = [];
    for (const [at, behavior] of [
      [0, refusal],
      [30 * 60_000, null],
      [61 * 60_000, null],
      [62 * 60_000, null],
    ] as const) {
      now = at;
      if (behavior !== null) server().script.push(behavior);
      await model.answer(TEAM, call());
      formats.push(server().calls.at(-1)?.body.response_format?.type);
    }
    expect(formats).toEqual(['json_object', 'json_object', SCHEMA, SCHEMA]);
  });

  test('may refuse a call for another reason without being asked in another format', async () => {
    const before = server().calls.length;
    const error = await failure({ kind: 'Refuse', status: 400, message: 'No such model.' });
    expect(error.code).toBe('PROVIDER_REJECTED');
    expect(server().calls.length).toBe(before + 1);
    await modelOver(server()).answer(TEAM, call());
    expect(server().calls.at(-1)?.body.response_format?.type).toBe(SCHEMA);
  });
});

describe('a model that fails', () => {
  const SECRETIVE = `Wrong key ${KEY} for "Ann has a secret garden".`;
  const refused = (status: number, differing: Partial<Behavior & { kind: 'Refuse' }> = {}) =>
    ({ kind: 'Refuse', status, message: SECRETIVE, ...differing }) as const;

  test.each<[string, Behavior, ErrorCode]>([
    ['401', refused(401), 'UNAUTHENTICATED'],
    ['403', refused(403), 'FORBIDDEN'],
    ['400', refused(400), 'PROVIDER_REJECTED'],
    ['404', refused(404), 'NOT_FOUND'],
    ['a policy', refused(400, { code: 'content_policy_violation' }), 'PROVIDER_REJECTED'],
    [
      'a long prompt, by code',
      refused(400, { code: 'context_length_exceeded' }),
      'PROVIDER_REJECTED',
    ],
    ['a long prompt, by status', refused(413), 'PROVIDER_REJECTED'],
    ['an unpaid bill', refused(429, { code: 'insufficient_quota' }), 'FORBIDDEN'],
    ['408', refused(408), 'TIMEOUT'],
    ['429', refused(429), 'RATE_LIMITED'],
    ['500', refused(500), 'PROVIDER_ERROR'],
    ['503', refused(503), 'PROVIDER_ERROR'],
    ['a cut stream', { kind: 'CutStream' }, 'PROVIDER_ERROR'],
  ])('makes one call on %s and fails without secrets in the error', async (_, behavior, code) => {
    const before = server().calls.length;
    const error = await failure(behavior);
    expect(error.code).toBe(code);
    expect(error.retryable).toBe(ERRORS[code].retryable);
    expect(server().calls.length).toBe(before + 1);
    const told = JSON.stringify([error.message, error.details, String(error.cause)]);
    expect(told).not.toMatch(/secret|sk-/u);
  });

  test.each<[string | undefined, number | undefined]>([
    ['7', 7_000],
    ['Sun, 01 Nov 2026 12:00:30 GMT', 30_000],
    ['86400', 600_000],
    ['soon', undefined],
    [undefined, undefined],
  ])('keeps Retry-After %j within ten minutes', async (retryAfter, retryAfterMs) => {
    const header = retryAfter === undefined ? {} : { retryAfter };
    const error = await failure(refused(429, header));
    expect(error).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
    expect(error.details['retryAfterMs']).toBe(retryAfterMs);
  });

  test('sends no text to another host after a redirect', async () => {
    await using other = await startModelServer();
    const location = `${other.baseUrl}/chat/completions`;
    const error = await failure({ kind: 'Refuse', status: 307, location });
    expect(error.code).toBe('PROVIDER_REJECTED');
    expect(other.calls).toEqual([]);
  });

  test('answers correctly or fails with a code among seeded failures', async () => {
    const chances = [
      { perMille: 150, behavior: refused(429, { retryAfter: '1' }) },
      { perMille: 150, behavior: refused(500) },
      { perMille: 150, behavior: { kind: 'CutStream' } },
      { perMille: 150, behavior: { kind: 'Answer', fault: 'MalformedJson' } },
    ] as const;
    const outcomes = async (seed: number) => {
      await using other = await startModelServer({ behave: seededBehavior(seed, chances) });
      const told: unknown[] = [];
      for (let number = 1; number <= 40; number += 1) {
        const answer = modelOver(other).answer(TEAM, call());
        told.push(
          await answer.then(
            ({ text }) => JSON.parse(text) as unknown,
            (error: unknown) => (error instanceof VarveError ? error.code : 'Unknown'),
          ),
        );
      }
      return told;
    };
    const told = await outcomes(7);
    expect(await outcomes(7)).toEqual(told);
    const whole = { items: [ANN_SAID, BOB_SAID] };
    const possible = [whole, { items: [ANN_SAID] }, 'RATE_LIMITED', 'PROVIDER_ERROR'];
    for (const each of told) expect(possible).toContainEqual(each);
    for (const each of possible) expect(told).toContainEqual(each);
  });

  test('fails with PROVIDER_ERROR if no server answers', async () => {
    const gone = await startModelServer();
    await gone[Symbol.asyncDispose]();
    const answer = modelOver(gone).answer(TEAM, call());
    await expect(answer).rejects.toMatchObject({ code: 'PROVIDER_ERROR', retryable: true });
  });

  test('fails with TIMEOUT on silence before or after the first byte', async () => {
    for (const kind of ['Silence', 'Halt'] as const) {
      const error = await failure({ kind }, { timeoutMs: 50 });
      expect(error).toMatchObject({ code: 'TIMEOUT', details: { timeoutMs: 50 } });
    }
  });

  test('ends the call if its caller leaves', async () => {
    const controller = new AbortController();
    const leaving = failure({ kind: 'Silence' }, {}, controller.signal);
    const before = server().calls.length;
    while (server().calls.length === before) await new Promise(setImmediate);
    controller.abort();
    expect((await leaving).code).toBe('CANCELLED');
  });
});

describe('an endpoint that nothing was sent to', () => {
  test.each([
    ['a port that fetch never calls', 'http://127.0.0.1:6000/v1'],
    ['a port on which nothing listens', 'http://127.0.0.1:59999/v1'],
  ])('%s costs nothing', async (_, baseUrl) => {
    const error = await failureOf(modelOver(server(), { baseUrl }).answer(TEAM, call()));
    expect(error).toMatchObject({ code: 'PROVIDER_ERROR', details: { sent: false } });
  });
});
