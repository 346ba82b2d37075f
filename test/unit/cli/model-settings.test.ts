import { describe, expect, test } from 'vitest';
import { modelFindings, providerFindings, summaryFindings } from '#cli/commands/doctor.ts';
import { readConfig } from '#cli/config.ts';
import { catalogOfOne, loadModels } from '#cli/load-models.ts';
import type { ModelsSettings } from '#cli/store-and-model-settings.ts';
import { VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import { createPlatform } from '#providers/node/platform.ts';
import { startModelServer } from '#test/cluster/model-server/model-server.ts';
import { thrownBy } from '#test/unit/failures.ts';
import { providerOf } from '../../conformance/model-provider-suite.ts';
import { MINUTE_MS, NOW, ownerOf } from '../../conformance/samples.ts';
import { openFixture } from '../activities/refresh-fixture.ts';

const SECRET = 'sk-a-very-secret-word';
const KEY = { OPENAI_API_KEY: SECRET };
const STANDARD = {
  VARVE_MODEL_STANDARD: 'a-large-model',
  VARVE_MODEL_STANDARD_INPUT_PRICE: '2.5',
  VARVE_MODEL_STANDARD_OUTPUT_PRICE: '10',
};
const ECONOMY = {
  VARVE_MODEL_ECONOMY: 'a-small-model',
  VARVE_MODEL_ECONOMY_INPUT_PRICE: '0.15',
  VARVE_MODEL_ECONOMY_OUTPUT_PRICE: '0.07',
  VARVE_MODEL_ECONOMY_CONTEXT_TOKENS: '32000',
  VARVE_MODEL_ECONOMY_OUTPUT_TOKENS: '4000',
  VARVE_MODEL_ECONOMY_THINKING_TOKENS: '500',
};
const LOCAL = {
  OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
  VARVE_MODEL_STANDARD: 'a-local-model',
  VARVE_MODEL_STANDARD_INPUT_PRICE: '0',
  VARVE_MODEL_STANDARD_OUTPUT_PRICE: '0',
};

const parts = {
  platform: createPlatform(),
  tokens: { name: 'quarter', count: (text: string) => Math.ceil(text.length / 4) },
};

function settingsOf(environment: Readonly<Record<string, string>>): ModelsSettings | undefined {
  return readConfig(environment, {}).settings.models;
}

const refusal = (environment: Readonly<Record<string, string>>) =>
  thrownBy(() => readConfig(environment, {}));

describe('the models of an installation', () => {
  test.each<[string, Readonly<Record<string, string>>]>([
    ['nothing', {}],
    ['empty variables', { OPENAI_API_KEY: '', VARVE_MODEL_STANDARD: '' }],
    ['a key for other programs', { ...KEY, OPENAI_BASE_URL: 'https://models.example/v1' }],
  ])('with %s, the extractive summarizer serves both classes', async (_, environment) => {
    const settings = settingsOf(environment);
    expect(settings).toBeUndefined();
    const models = await loadModels(settings, parts);
    expect(models.ofClass('economy')).toBe(models.extractive);
    expect(models.ofClass('standard')).toMatchObject({ name: 'extractive', price: null });
  });

  test('SUM-18: each class has its model, with price, input limit and output limit', async () => {
    const settings = settingsOf({ ...KEY, ...STANDARD, ...ECONOMY });
    expect(settings).toMatchObject({ url: 'https://api.openai.com/v1', apiKey: SECRET });
    const models = await loadModels(settings, parts);
    expect(models.ofClass('standard')).toMatchObject({
      name: 'a-large-model',
      price: {
        inputMicroDollarsPerMillion: 2_500_000,
        outputMicroDollarsPerMillion: 10_000_000,
      },
      inputTokensMax: 128_000 - 16_384,
      outputTokensMax: 16_384,
    });
    expect(models.ofClass('economy')).toMatchObject({
      name: 'a-small-model',
      price: { inputMicroDollarsPerMillion: 150_000, outputMicroDollarsPerMillion: 70_000 },
      inputTokensMax: 32_000 - 4_000,
      outputTokensMax: 4_000 - 500,
    });
    for (const modelClass of ['standard', 'economy'] as const) {
      const model = models.ofClass(modelClass);
      expect(models.byName(model.name)).toBe(model);
    }
    expect(models.byName('extractive')).toBe(models.extractive);
    expect(models.byName('another')).toBeUndefined();
  });

  test.each([STANDARD, ECONOMY])('one model of %j serves both classes', async (one) => {
    const models = await loadModels(settingsOf({ ...KEY, ...one }), parts);
    expect(models.ofClass('economy')).toBe(models.ofClass('standard'));
    expect(models.ofClass('economy').name).toMatch(/^a-(?:large|small)-model$/u);
  });

  test('a price of zero is still a price, so its tokens count against a budget', async () => {
    const settings = settingsOf(LOCAL);
    expect(settings).toMatchObject({ url: LOCAL.OPENAI_BASE_URL, apiKey: undefined });
    const models = await loadModels(settings, parts);
    expect(models.ofClass('standard').price).toEqual({
      inputMicroDollarsPerMillion: 0,
      outputMicroDollarsPerMillion: 0,
    });
  });

  test('a catalog of one model serves both classes', async () => {
    const without = await loadModels(undefined, parts);
    const { extractive } = without;
    const own = { ...extractive, name: 'own' };
    const models = catalogOfOne(without, own);
    expect([models.ofClass('economy'), models.byName('own')]).toEqual([own, own]);
    expect(models.byName('extractive')).toBe(extractive);
  });

  test.each<[Readonly<Record<string, string>>, RegExp]>([
    [STANDARD, /OPENAI_BASE_URL, or OPENAI_API_KEY/u],
    [{ ...KEY, VARVE_MODEL_STANDARD: 'x' }, /price .*VARVE_MODEL_STANDARD_INPUT_PRICE.*0 if/u],
    [{ ...KEY, ...STANDARD, VARVE_MODEL_STANDARD_OUTPUT_PRICE: '' }, /_OUTPUT_PRICE/u],
    [{ ...KEY, ...STANDARD, VARVE_MODEL_STANDARD_INPUT_PRICE: '-1' }, /STANDARD_INPUT_PRICE/u],
    [{ ...KEY, ...STANDARD, VARVE_MODEL_STANDARD_INPUT_PRICE: 'free' }, /STANDARD_INPUT_PRICE/u],
    [{ VARVE_MODEL_ECONOMY_INPUT_PRICE: '1' }, /no model: set VARVE_MODEL_ECONOMY/u],
    [{ ...KEY, ...STANDARD, VARVE_MODEL_STANDARD: 'extractive' }, /VARVE_MODEL_STANDARD:/u],
    [{ ...KEY, ...STANDARD, VARVE_MODEL_STANDARD_CONTEXT_TOKENS: '22383' }, /at least 6000 more/u],
    [{ ...KEY, ...STANDARD, VARVE_MODEL_STANDARD_OUTPUT_TOKENS: '0' }, /STANDARD_OUTPUT_TOKENS/u],
    [
      { ...KEY, ...STANDARD, VARVE_MODEL_STANDARD_THINKING_TOKENS: '14385' },
      /STANDARD_OUTPUT_TOKENS must be at least 2000 more than .*THINKING_TOKENS, which is 14385/u,
    ],
    [{ ...KEY, ...STANDARD, VARVE_MODEL_STANDARD_OUTPUT_TOKENS: '1999' }, /at least 2000 more/u],
    [{ ...LOCAL, OPENAI_BASE_URL: `ftp://ann:${SECRET}@x` }, /OPENAI_BASE_URL/u],
    [
      { ...KEY, ...STANDARD, ...ECONOMY, VARVE_MODEL_ECONOMY: 'a-large-model' },
      /one model with two sets of settings/u,
    ],
  ])('%j is refused by name, without its value', (environment, name) => {
    const error = refusal(environment);
    expect(error.code).toBe('INVALID_INPUT');
    expect(error.message).toMatch(name);
    expect(JSON.stringify([error.message, error.details])).not.toContain(SECRET);
  });
});

describe('model findings of varve doctor', () => {
  test.each([
    [['a-large-model', 'a-small-model'], 'ok', /a-small-model \(economy\).*are available/u],
    [['a-small-model'], 'wrong', /does not list a-large-model$/u],
    [null, 'note', /no list of models/u],
  ] as const)('DOCTOR-4: with the model list %j, the state is %s', async (names, state, text) => {
    await using server = await startModelServer(names === null ? {} : { models: [...names] });
    const environment = { ...KEY, ...STANDARD, ...ECONOMY, OPENAI_BASE_URL: server.baseUrl };
    const [finding] = await modelFindings(readConfig(environment, {}).settings);
    expect(finding).toMatchObject({ part: 'models', state });
    expect(finding?.text).toMatch(text);
    expect(finding?.text).not.toContain(SECRET);
    expect(server.charged().answers).toBe(0);
  });

  test('DOCTOR-4: no model is a note, and an unreachable endpoint is wrong', async () => {
    const none = await modelFindings({});
    const byRules = expect.stringContaining('German, Spanish and Chinese') as string;
    expect(none).toMatchObject([{ state: 'note' }, { part: 'extraction', text: byRules }]);
    expect(none[0]?.text).toMatch(/^extractive/u);
    const server = await startModelServer();
    await server[Symbol.asyncDispose]();
    const environment = { ...KEY, ...STANDARD, OPENAI_BASE_URL: server.baseUrl };
    const gone = await modelFindings(readConfig(environment, {}).settings);
    expect(gone).toMatchObject([{ state: 'wrong' }]);
    expect(gone[0]?.text).toMatch(/PROVIDER_ERROR/u);
  });
});

const TENANT = 'acme';
const ROUNDS = 3;

test.each<[ErrorCode, string, RegExp]>([
  ['UNAUTHENTICATED', 'wrong', /1 scope waiting for a model since .* \(UNAUTHENTICATED\)/u],
  ['CORRUPT', 'wrong', /1 scope failed three times .* varve summaries dead-letters --tenant acme/u],
])('doctor reports a scope whose calls end with %s', async (code, state, text) => {
  await using fixture = await openFixture({
    answer: () => Promise.reject(new VarveError(code, 'It failed.')),
  });
  await fixture.add(TENANT, 'Ann lives in Oslo.');
  for (let round = 0; round < ROUNDS; round += 1) {
    await fixture.round(TENANT);
    fixture.advance(2 * MINUTE_MS);
  }
  expect(await summaryFindings(fixture.parts, { isModelSet: true })).toMatchObject([
    { part: 'summaries', state, text: expect.stringMatching(text) as string },
  ]);
});

test('without a model, doctor reports a full disk and no model', async () => {
  await using fixture = await openFixture({
    answer: () => Promise.reject(new VarveError('PROVIDER_ERROR', 'The disk is full.')),
  });
  await fixture.add(TENANT, 'Ann lives in Oslo.');
  await fixture.round(TENANT);
  const [finding] = await summaryFindings(fixture.parts, { isModelSet: false });
  expect(finding?.text).toMatch(
    /1 scope waiting since .* could not be stored\. Check the free space on/u,
  );
  expect(finding?.text).not.toContain('model');
});

test('doctor reports ok if no scope is waiting', async () => {
  await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
  await fixture.add(TENANT, 'Ann lives in Oslo.');
  await fixture.round(TENANT);
  expect(await summaryFindings(fixture.parts, { isModelSet: true })).toMatchObject([
    { state: 'ok' },
  ]);
});

describe('doctor, with a ModelProvider in the store', () => {
  test('a scope that it keeps waiting waits for a model, not for the disk', async () => {
    await using fixture = await openFixture({
      answer: () => Promise.reject(new VarveError('UNAUTHENTICATED', 'It failed.')),
    });
    const place = { name: 'gateway', owner: ownerOf('gateway') };
    await fixture.parts.store.modelProviders.put(place, providerOf(), { hash: 'h', now: NOW });
    await fixture.add(TENANT, 'Ann lives in Oslo.');
    await fixture.round(TENANT);
    const [finding] = await summaryFindings(fixture.parts, { isModelSet: false });
    expect(finding?.text).toMatch(/waiting for a model since .* \(UNAUTHENTICATED\)/u);
    expect(finding?.text).not.toContain('disk');
  });

  test.each<[state: string, found: { state: 'Available' | 'Unavailable'; code: string | null }]>([
    ['ok', { state: 'Available', code: null }],
    ['wrong', { state: 'Unavailable', code: 'UNAUTHENTICATED' }],
  ])('reports it as %s if a worker found it %j', async (state, found) => {
    await using fixture = await openFixture();
    const { modelProviders } = fixture.parts.store;
    const place = { name: 'gateway', owner: ownerOf('gateway') };
    await modelProviders.put(place, providerOf(), { hash: 'h', now: NOW });
    expect(await providerFindings(fixture.parts)).toMatchObject([{ state: 'note' }]);
    await modelProviders.recordCheck('gateway', { hash: 'h', at: NOW, ...found });
    const [finding] = await providerFindings(fixture.parts);
    expect(finding).toMatchObject({ part: 'models', state });
    expect(finding?.text).toMatch(/^ModelProvider gateway /u);
    if (found.code !== null) expect(finding?.text).toContain(found.code);
  });

  test('reports none if there is none', async () => {
    await using fixture = await openFixture();
    expect(await providerFindings(fixture.parts)).toEqual([]);
  });
});
