import { describe, expect, test } from 'vitest';
import {
  createProviderKey,
  environmentSecrets,
  variableOf,
} from '#cli/model-providers/provider-key.ts';
import { VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { NO_SECRETS, type SecretSource } from '#core/ports/secret-source.ts';
import type { SecretReference } from '#core/records/model-provider.ts';
import { failureOf } from '#test/unit/failures.ts';
import { REFERENCE } from './provider-samples.ts';

const FIRST = 'sk-first-secret-word';
const SECOND = 'sk-second-secret-word';
const MINUTE_MS = 60_000;

/** What a reading gives; a failure with that code. */
type Given = string | null | { readonly fails: ErrorCode };

/** A Secret that a test changes, and an endpoint that takes some keys. */
function fixture(given: Given, taken: readonly (string | null)[] = [FIRST, SECOND]) {
  const state = { given, reads: 0, now: 0 };
  const used: (string | null)[] = [];
  const secrets: SecretSource = {
    read: () => {
      state.reads += 1;
      const { given: now } = state;
      if (now === null) return Promise.resolve(null);
      if (typeof now === 'string') return Promise.resolve({ value: now, version: '1' });
      return Promise.reject(new VarveError(now.fails, `It says ${now.fails}.`));
    },
  };
  const keyFor = (reference: SecretReference | null, source = secrets) =>
    createProviderKey({
      provider: 'main',
      reference,
      secrets: source,
      clock: () => state.now,
      log: SILENT_LOG,
    });
  const call = (key: string | null): Promise<string> => {
    used.push(key);
    if (taken.includes(key)) return Promise.resolve('done');
    const details = { status: 401 };
    return Promise.reject(
      new VarveError('PROVIDER_REJECTED', 'Check OPENAI_API_KEY.', { details }),
    );
  };
  return { state, used, call, keyFor, key: keyFor(REFERENCE) };
}

/** All that a log line or a history could hold of a failure. */
function messageOf(error: VarveError): string {
  const cause =
    error.cause instanceof Error ? `${error.cause.message} ${error.cause.stack ?? ''}` : '';
  return JSON.stringify([error.message, error.details, error.stack, cause]);
}

describe('the key of a provider', () => {
  test('is read once for a minute of calls, and by calls at the same time once', async () => {
    const { state, used, call, key } = fixture(FIRST);
    await Promise.all([key.use(call), key.use(call)]);
    state.now = MINUTE_MS - 1;
    await key.use(call);
    expect([state.reads, used]).toEqual([1, [FIRST, FIRST, FIRST]]);
  });

  test('that was changed is used after a minute, though the old one still works', async () => {
    const { state, used, call, key } = fixture(FIRST);
    await key.use(call);
    state.given = SECOND;
    state.now = MINUTE_MS;
    expect(await key.use(call)).toBe('done');
    expect(used).toEqual([FIRST, SECOND]);
  });

  test('that the endpoint refuses is read again at once, and the call made again', async () => {
    const { state, used, call, key } = fixture(FIRST, [SECOND]);
    await failureOf(key.use(call));
    state.given = SECOND;
    expect(await key.use(call)).toBe('done');
    expect(used).toEqual([FIRST, FIRST, SECOND]);
    expect(await key.use(call)).toBe('done');
    expect([used.length, state.reads]).toEqual([4, 3]);
  });

  test('that no one changed is not tried twice, and who has to change it is told', async () => {
    const { used, call, key } = fixture(FIRST, []);
    const error = await failureOf(key.use(call));
    expect(error).toMatchObject({ code: 'UNAUTHENTICATED', details: { provider: 'main' } });
    expect(error.message).toMatch(/ModelProvider main .*key token of Secret model-key/u);
    expect(used).toEqual([FIRST]);
    expect(messageOf(error)).not.toContain(FIRST);
  });

  test.each<[Given, ErrorCode, RegExp]>([
    [null, 'UNAUTHENTICATED', /no such Secret/u],
    ['', 'UNAUTHENTICATED', /is empty/u],
    [`${FIRST}\n${SECOND}`, 'UNAUTHENTICATED', /no header can hold/u],
    [`${FIRST}ü`, 'UNAUTHENTICATED', /no header can hold/u],
    [{ fails: 'FORBIDDEN' }, 'FORBIDDEN', /It says FORBIDDEN/u],
    [{ fails: 'PROVIDER_ERROR' }, 'UNAUTHENTICATED', /API server does not answer/u],
  ])('where the Secret gives %j, no call is made: %s', async (given, code, message) => {
    const { used, call, key } = fixture(given);
    const error = await failureOf(key.use(call));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(used).toEqual([]);
    expect(messageOf(error)).not.toContain(FIRST);
  });

  test('is used on while the API server is away, and not after the Secret is gone', async () => {
    const { state, used, call, key } = fixture(FIRST);
    await key.use(call);
    state.given = { fails: 'PROVIDER_ERROR' };
    state.now = 10 * MINUTE_MS;
    expect(await key.use(call)).toBe('done');
    await key.use(call);
    expect([used.length, state.reads]).toEqual([3, 2]);
    state.given = null;
    state.now += MINUTE_MS;
    expect(await failureOf(key.use(call))).toMatchObject({ code: 'UNAUTHENTICATED' });
    state.given = { fails: 'PROVIDER_ERROR' };
    expect(await failureOf(key.use(call))).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(used).toHaveLength(3);
  });

  test('an endpoint without a secretRef is called without one', async () => {
    const open = fixture(FIRST, [null]);
    expect(await open.keyFor(null).use(open.call)).toBe('done');
    const closed = fixture(FIRST, [FIRST]);
    const error = await failureOf(closed.keyFor(null).use(closed.call));
    expect(error).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(error.message).toMatch(/add one/u);
    expect([open.state.reads, closed.state.reads]).toEqual([0, 0]);
  });

  test('a failure that is not about the key is left as it is', async () => {
    const { key, state } = fixture(FIRST);
    const busy = new VarveError('RATE_LIMITED', 'Busy.', { details: { status: 429 } });
    expect(await failureOf(key.use(() => Promise.reject(busy)))).toBe(busy);
    expect(state.reads).toBe(1);
  });

  test('a process that reads no keys says so', async () => {
    const { keyFor, call } = fixture(FIRST);
    const error = await failureOf(keyFor(REFERENCE, NO_SECRETS).use(call));
    expect(error.code).toBe('FORBIDDEN');
    expect(error.message).toMatch(/VARVE_POD_NAMESPACE/u);
  });
});

describe('keys of ModelProviders without Kubernetes', () => {
  test.each([
    ['openai', 'api-key', 'VARVE_SECRET_OPENAI__API_KEY'],
    ['my.gateway-2', 'token_a', 'VARVE_SECRET_MY_GATEWAY_2__TOKEN_A'],
  ])('key of Secret %s under %s is the variable %s', async (name, key, variable) => {
    expect(variableOf({ name, key })).toBe(variable);
    const secret = await environmentSecrets({ [variable]: 'sk-1' }).read({ name, key });
    expect(secret?.value).toBe('sk-1');
  });

  test.each([{}, { VARVE_SECRET_OPENAI__API_KEY: '' }, { OPENAI_API_KEY: 'of another' }])(
    'with %j it says which variable is to be set',
    async (environment) => {
      const reference = { name: 'openai', key: 'api-key' };
      await expect(environmentSecrets(environment).read(reference)).rejects.toMatchObject({
        code: 'UNAUTHENTICATED',
        message: expect.stringContaining('VARVE_SECRET_OPENAI__API_KEY') as string,
      });
    },
  );
});
