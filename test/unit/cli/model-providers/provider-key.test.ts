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
  test('is read once for a minute of calls, and once for concurrent calls', async () => {
    const { state, used, call, key } = fixture(FIRST);
    await Promise.all([key.use(call), key.use(call)]);
    state.now = MINUTE_MS - 1;
    await key.use(call);
    expect([state.reads, used]).toEqual([1, [FIRST, FIRST, FIRST]]);
  });

  test('is replaced after a minute, even if the old key still works', async () => {
    const { state, used, call, key } = fixture(FIRST);
    await key.use(call);
    state.given = SECOND;
    state.now = MINUTE_MS;
    expect(await key.use(call)).toBe('done');
    expect(used).toEqual([FIRST, SECOND]);
  });

  test('is read again at once if the endpoint refuses it, and the call is repeated', async () => {
    const { state, used, call, key } = fixture(FIRST, [SECOND]);
    await failureOf(key.use(call));
    state.given = SECOND;
    expect(await key.use(call)).toBe('done');
    expect(used).toEqual([FIRST, FIRST, SECOND]);
    expect(await key.use(call)).toBe('done');
    expect([used.length, state.reads]).toEqual([4, 3]);
  });

  test('is not tried twice if it is unchanged, and the error says what to change', async () => {
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
  ])('if the Secret gives %j, no call is made: %s', async (given, code, message) => {
    const { used, call, key } = fixture(given);
    const error = await failureOf(key.use(call));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(used).toEqual([]);
    expect(messageOf(error)).not.toContain(FIRST);
  });

  test('stays in use while the API server is unavailable, but not after the Secret is gone', async () => {
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

  test('is not used for an endpoint without a secretRef', async () => {
    const open = fixture(FIRST, [null]);
    expect(await open.keyFor(null).use(open.call)).toBe('done');
    const closed = fixture(FIRST, [FIRST]);
    const error = await failureOf(closed.keyFor(null).use(closed.call));
    expect(error).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(error.message).toMatch(/add one/u);
    expect([open.state.reads, closed.state.reads]).toEqual([0, 0]);
  });

  test('is not blamed for an unrelated failure', async () => {
    const { key, state } = fixture(FIRST);
    const busy = new VarveError('RATE_LIMITED', 'Busy.', { details: { status: 429 } });
    expect(await failureOf(key.use(() => Promise.reject(busy)))).toBe(busy);
    expect(state.reads).toBe(1);
  });

  test('is FORBIDDEN in a process that reads no keys', async () => {
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
  ])('the variable for Secret %s and key %s is %s', async (name, key, variable) => {
    expect(variableOf({ name, key })).toBe(variable);
    const secret = await environmentSecrets({ [variable]: 'sk-1' }).read({ name, key });
    expect(secret?.value).toBe('sk-1');
  });

  test.each([{}, { VARVE_SECRET_OPENAI__API_KEY: '' }, { OPENAI_API_KEY: 'of another' }])(
    'with %j, the error names the variable to set',
    async (environment) => {
      const reference = { name: 'openai', key: 'api-key' };
      await expect(environmentSecrets(environment).read(reference)).rejects.toMatchObject({
        code: 'UNAUTHENTICATED',
        message: expect.stringContaining('VARVE_SECRET_OPENAI__API_KEY') as string,
      });
    },
  );
});
