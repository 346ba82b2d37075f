import { describe, expect, test } from 'vitest';
import {
  checkRound,
  startModelChecks,
  type CheckPorts,
  type LastCheck,
} from '#cli/model-providers/model-checks.ts';
import { VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import type { OpenaiProvider } from '#core/records/model-provider.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import type { SecretSource } from '#core/ports/secret-source.ts';
import { startModelServer } from '#test/cluster/model-server/model-server.ts';
import { MINUTE_MS, NOW } from '#test/conformance/samples.ts';
import { openFixture } from '#test/unit/activities/refresh-fixture.ts';
import { providerRecord, REFERENCE } from './provider-samples.ts';

const KEY = 'sk-a-secret-word';
/** Between two rounds of a worker. */
const ROUND_MS = 15_000;
const { signal } = new AbortController();

/** A worker that looks at the providers of a store when the test says so. */
async function openChecks(secrets?: SecretSource) {
  const fixture = await openFixture(secrets === undefined ? {} : { secrets });
  const { store, platform, modelProviders } = fixture.parts;
  const state = { writes: 0, chance: 0.5, seen: new Map() as ReadonlyMap<string, LastCheck> };
  const records: CheckPorts['records'] = {
    recordCheck: (name, found) => {
      state.writes += 1;
      return store.modelProviders.recordCheck(name, found);
    },
  };
  const ports: CheckPorts = {
    providers: modelProviders,
    records,
    clock: platform.clock,
    log: SILENT_LOG,
    timers: { random: () => state.chance, wait: () => Promise.resolve() },
  };
  return {
    ports,
    state,
    advance: (ms: number) => {
      fixture.advance(ms);
    },
    offer: async (name: string, openai: Partial<OpenaiProvider>) => {
      const { owner, provider, hash } = providerRecord(name, openai);
      await store.modelProviders.put({ name, owner }, provider, { hash, now: platform.clock() });
    },
    round: async () => {
      state.seen = await checkRound(ports, state.seen, signal);
    },
    checkOf: async (name: string) => (await store.modelProviders.get(name))?.check,
    remove: async (name: string) => {
      const { owner } = providerRecord(name);
      await store.modelProviders.remove({ name, owner }, {});
    },
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
}

const giving = (value: string): SecretSource => ({
  read: () => Promise.resolve({ value, version: '1' }),
});

describe('the check of a provider', () => {
  test('records an available provider once, and calls no model', async () => {
    await using server = await startModelServer({ models: ['large'], keys: new Set([KEY]) });
    await using checks = await openChecks(giving(KEY));
    await checks.offer('main', { baseUrl: server.baseUrl, secretRef: REFERENCE });
    await checks.round();
    expect(await checks.checkOf('main')).toEqual({
      at: NOW,
      state: 'Available',
      code: null,
      since: NOW,
    });
    for (let minutes = 0; minutes < 20; minutes += 1) {
      checks.advance(MINUTE_MS);
      await checks.round();
    }
    expect([checks.state.writes, server.calls.length]).toEqual([1, 0]);
  });

  test('records when a provider becomes unavailable and available again', async () => {
    const server = await startModelServer({ models: ['large'] });
    const port = Number(new URL(server.baseUrl).port);
    await using checks = await openChecks();
    await checks.offer('main', { baseUrl: server.baseUrl });
    await checks.round();
    await server[Symbol.asyncDispose]();
    checks.advance(5 * MINUTE_MS);
    await checks.round();
    // One check that fails may be the network's.
    expect(await checks.checkOf('main')).toMatchObject({ state: 'Available' });
    checks.advance(ROUND_MS);
    await checks.round();
    const gone = NOW + 5 * MINUTE_MS + ROUND_MS;
    const away = { state: 'Unavailable', code: 'PROVIDER_ERROR', since: gone };
    expect(await checks.checkOf('main')).toMatchObject(away);
    checks.advance(MINUTE_MS);
    await checks.round();
    expect(await checks.checkOf('main')).toMatchObject(away);
    expect(checks.state.writes).toBe(2);
    await using back = await startModelServer({ models: ['large'], port });
    expect(back.baseUrl).toBe(server.baseUrl);
    checks.advance(MINUTE_MS);
    await checks.round();
    expect(await checks.checkOf('main')).toMatchObject({
      state: 'Available',
      code: null,
      since: gone + 2 * MINUTE_MS,
    });
  });

  test('runs once soon after a model call failed', async () => {
    const keys = new Set([KEY]);
    await using server = await startModelServer({ models: ['large'], keys });
    await using checks = await openChecks(giving(KEY));
    await checks.offer('main', { baseUrl: server.baseUrl, secretRef: REFERENCE });
    await checks.round();
    keys.clear();
    checks.advance(1_000);
    const model = (await checks.ports.providers.all()).get('main')?.models.get('main/large');
    const call = model?.answer({ items: [] }, { attemptId: 'batch/1', signal });
    await expect(call).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    checks.advance(1_000);
    await checks.round();
    checks.advance(ROUND_MS);
    await checks.round();
    expect(await checks.checkOf('main')).toMatchObject({ code: 'UNAUTHENTICATED' });
    keys.add(KEY);
    checks.advance(20_000);
    await checks.round();
    expect(await checks.checkOf('main')).toMatchObject({ code: 'UNAUTHENTICATED' });
    checks.advance(MINUTE_MS);
    await checks.round();
    expect(await checks.checkOf('main')).toMatchObject({ state: 'Available' });
  });

  test('runs at once for a new or changed provider, and not for a removed one', async () => {
    await using server = await startModelServer({ models: ['large'] });
    await using checks = await openChecks();
    await checks.offer('main', { baseUrl: server.baseUrl });
    await checks.round();
    await checks.offer('main', { baseUrl: 'http://127.0.0.1:9/v1' });
    await checks.offer('second', { baseUrl: server.baseUrl });
    checks.advance(20_000);
    await checks.round();
    // What an earlier provider of the name was found to be counts for nothing.
    expect(await checks.checkOf('main')).toBeNull();
    checks.advance(ROUND_MS);
    await checks.round();
    expect(await checks.checkOf('main')).toMatchObject({ state: 'Unavailable' });
    expect(await checks.checkOf('second')).toMatchObject({ state: 'Available' });
    await checks.remove('main');
    checks.advance(20_000);
    await checks.round();
    expect([...checks.state.seen.keys()]).toEqual(['second']);
  });

  const AVAILABLE = { state: 'Available', code: null };
  const away = (code: ErrorCode) => ({ state: 'Unavailable', code });
  const forbidden: SecretSource = {
    read: () => Promise.reject(new VarveError('FORBIDDEN', 'It may not.')),
  };
  test.each<[string, SecretSource, readonly string[] | undefined, object]>([
    ['a key that is refused', giving('sk-other'), ['large'], away('UNAUTHENTICATED')],
    ['a Secret that may not be read', forbidden, ['large'], away('FORBIDDEN')],
    ['an endpoint without a list', giving(KEY), undefined, AVAILABLE],
    ['an endpoint that does not list the model', giving(KEY), ['other'], AVAILABLE],
  ])('finds the state and code of %s', async (_, secrets, models, expected) => {
    const list = models === undefined ? {} : { models };
    await using server = await startModelServer({ ...list, keys: new Set([KEY]) });
    await using checks = await openChecks(secrets);
    await checks.offer('main', { baseUrl: server.baseUrl, secretRef: REFERENCE });
    await checks.round();
    checks.advance(ROUND_MS);
    await checks.round();
    expect(await checks.checkOf('main')).toMatchObject(expected);
  });

  test('is due after five minutes, one minute or the next round, give or take a fifth', async () => {
    await using server = await startModelServer({ models: ['large'] });
    await using checks = await openChecks();
    await checks.offer('main', { baseUrl: server.baseUrl });
    await checks.offer('away', { baseUrl: 'http://127.0.0.1:9/v1' });
    for (const [chance, share] of [
      [0, 0.8],
      [0.5, 1],
      [0.999_999, 1.2],
    ] as const) {
      checks.state.chance = chance;
      checks.state.seen = new Map();
      await checks.round();
      const due = [...checks.state.seen].map(([name, { dueAt }]) => [
        name,
        Math.round((dueAt - checks.ports.clock()) / 100),
      ]);
      expect(Object.fromEntries(due)).toEqual({ main: share * 3_000, away: share * 120 });
      checks.advance(ROUND_MS);
      await checks.round();
      const { dueAt = 0 } = checks.state.seen.get('away') ?? {};
      expect(Math.round((dueAt - checks.ports.clock()) / 100)).toBe(share * 600);
    }
  });

  test('continues after the store fails, and ends when it is closed', async () => {
    await using checks = await openChecks();
    const rounds = Promise.withResolvers<undefined>();
    let failures = 0;
    const providers = {
      all: () => {
        failures += 1;
        if (failures === 3) rounds.resolve(undefined);
        return Promise.reject(new VarveError('PROVIDER_ERROR', 'The store is unavailable.'));
      },
    };
    const ended = (ms: number, until: AbortSignal) =>
      failures < 3 || until.aborted
        ? Promise.resolve()
        : new Promise<void>((_, reject) => {
            until.addEventListener('abort', () => {
              reject(new VarveError('CANCELLED', 'The wait was cancelled.'));
            });
          });
    const timers = { random: () => 0.5, wait: ended };
    const running = startModelChecks({ ...checks.ports, providers, timers });
    await rounds.promise;
    await running[Symbol.asyncDispose]();
    expect(failures).toBe(3);
  });
});
