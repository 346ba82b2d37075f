/** The embedding model that a ModelProvider declares: when it is used, and for which memories. */
import { beforeEach, describe, expect, test } from 'vitest';
import { modelToChangeTo } from '#cli/embeddings-command-parts.ts';
import { loadEmbedders, withDeclared } from '#cli/load-embedders.ts';
import { createProviderCache } from '#cli/model-providers/provider-cache.ts';
import { serveProvider } from '#cli/model-providers/served-provider.ts';
import type { EmbeddingSettings } from '#cli/store-and-model-settings.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { NO_SECRETS, type SecretSource } from '#core/ports/secret-source.ts';
import type { OpenaiProvider } from '#core/records/model-provider.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { createPlatform } from '#providers/node/platform.ts';
import { IN_MEMORY, openSqliteStore } from '#providers/sqlite/store.ts';
import { loadTokenCounter } from '#providers/tokenizers/token-counter.ts';
import { toAdd } from '#test/conformance/provider-harness.ts';
import { NOW } from '#test/conformance/samples.ts';
import { providerOver } from '#test/provider-over.ts';
import { shared } from '#test/shared-fixture.ts';
import { failureOf } from '#test/unit/failures.ts';
import { json, openEndpoint } from '#test/unit/openai/embedding-endpoint.ts';
import { EMBEDDING, providerRecord, REFERENCE } from './provider-samples.ts';

const LEXICAL = 'lexical-384-1';
const DECLARED = 'e5-3';
const KEPT_MS = 15_000;
const AGAIN_MS = 1_000;
const QUESTION = { purpose: 'query' } as const;

const endpoint = shared(openEndpoint);
beforeEach(() => {
  endpoint().behaviors.length = 0;
});

interface Options {
  readonly embedding?: EmbeddingSettings;
  readonly embeddingSecrets?: SecretSource;
}

/** A process over a store of its own, in which an operator can declare providers. */
async function openProcess({ embedding, embeddingSecrets }: Options = {}) {
  let now = NOW;
  const platform = { ...createPlatform(), clock: () => now };
  const tokens = await loadTokenCounter({ log: SILENT_LOG });
  const analyzer = createTextAnalyzer();
  const store = await openSqliteStore({ file: IN_MEMORY, platform, analyzer });
  const parts = { tokens, platform, secrets: NO_SECRETS, embeddingSecrets };
  const providers = createProviderCache(store.modelProviders, platform.clock, (record) =>
    serveProvider(record, parts),
  );
  const embedders = withDeclared(await loadEmbedders({ embedding }, { platform }), providers);
  const provider = providerOver({ store, platform, tokens, embedders });
  return {
    embedders,
    modelProviders: providers,
    advance: (ms: number) => {
      now += ms;
    },
    declare: async (name = 'main', openai: Partial<OpenaiProvider> = {}, createdAt = NOW) => {
      const spec = { baseUrl: endpoint().url, models: [], embedding: EMBEDDING, ...openai };
      const { owner, provider: declared, hash } = providerRecord(name, spec);
      await store.modelProviders.put({ name, owner }, declared, { hash, now, createdAt });
    },
    remove: async (name: string) => {
      const { owner } = providerRecord(name);
      await store.modelProviders.remove({ name, owner }, {});
    },
    generationOf: async (tenant: string, content: string) => {
      const { memory } = await provider.add(tenant, toAdd(content), {
        by: 'test',
        idempotencyKey: null,
      });
      return memory.embeddingGeneration;
    },
  };
}

const configured = async ({ embedders }: Awaited<ReturnType<typeof openProcess>>) =>
  (await embedders.configured()).generation;

describe('a declared embedding model', () => {
  test('embeds new tenants soon, without a restart, and mixes no vectors', async () => {
    const it = await openProcess();
    expect(await it.generationOf('before', 'Ann lives in Oslo.')).toBe(LEXICAL);
    await it.declare();
    it.advance(KEPT_MS);
    expect(await it.generationOf('after', 'Ann lives in Oslo.')).toBe(DECLARED);
    expect(await it.generationOf('before', 'Ann moved to Bergen.')).toBe(LEXICAL);
    expect(endpoint().asked.at(-1)?.body).toMatchObject({ model: 'e5' });
  });

  test('that another process began with is known before the next regular reading', async () => {
    const it = await openProcess();
    expect(await it.embedders.ofGeneration(DECLARED)).toBeNull();
    await it.declare();
    it.advance(AGAIN_MS);
    expect((await it.embedders.ofGeneration(DECLARED))?.dimensions).toBe(3);
    expect((await it.embedders.ofGeneration(LEXICAL))?.quality).toBe('keyword');
  });

  test('takes precedence over that of the settings, which still serves its own vectors', async () => {
    const settings = { url: endpoint().url, model: 'other', dimensions: 3 };
    const it = await openProcess({ embedding: settings });
    expect(await configured(it)).toBe('other-3');
    await it.declare();
    it.advance(KEPT_MS);
    expect(await configured(it)).toBe(DECLARED);
    expect((await it.embedders.ofGeneration('other-3'))?.generation).toBe('other-3');
  });

  test('is that of the oldest provider, and the next one follows when it is removed', async () => {
    const it = await openProcess();
    const newer = { embedding: { ...EMBEDDING, name: 'newer' } };
    await it.declare('a', newer, NOW + 1);
    await it.declare('b');
    expect(await configured(it)).toBe(DECLARED);
    await it.remove('b');
    it.advance(KEPT_MS);
    expect(await configured(it)).toBe('newer-3');
    await it.remove('a');
    it.advance(KEPT_MS);
    expect(await configured(it)).toBe(LEXICAL);
  });

  test('is called with the key of its Secret, and with a changed key at once', async () => {
    let value = 'sk-first';
    const read = () => Promise.resolve({ value, version: '1' });
    const it = await openProcess({ embeddingSecrets: { read } });
    await it.declare('main', { secretRef: REFERENCE });
    const embedder = await it.embedders.configured();
    await embedder.embed(['a'], QUESTION);
    expect(endpoint().asked.at(-1)?.headers.authorization).toBe('Bearer sk-first');
    value = 'sk-second';
    endpoint().behaviors.push(json(401, {}));
    await embedder.embed(['a'], QUESTION);
    expect(endpoint().asked.at(-1)?.headers.authorization).toBe('Bearer sk-second');
  });

  test('without a readable key fails with the place of the key, and asks nobody', async () => {
    const it = await openProcess();
    await it.declare('main', { secretRef: REFERENCE });
    const before = endpoint().asked.length;
    const failure = await failureOf((await it.embedders.configured()).embed(['a'], QUESTION));
    expect(failure.code).toBe('FORBIDDEN');
    expect(failure.message).toContain('key token of Secret model-key');
    expect(endpoint().asked).toHaveLength(before);
  });

  test('keeps within the rate of its provider', async () => {
    const it = await openProcess();
    await it.declare('main', { requestsPerMinute: 1 });
    const embedder = await it.embedders.configured();
    await embedder.embed(['a'], QUESTION);
    const failure = await failureOf(embedder.embed(['b'], QUESTION));
    expect(failure).toMatchObject({ code: 'RATE_LIMITED', details: { retryAfterMs: 60_000 } });
  });

  test('whose vectors have another length names the field to change', async () => {
    const it = await openProcess();
    await it.declare('main', { embedding: { ...EMBEDDING, dimensions: 4 } });
    const failure = await failureOf((await it.embedders.configured()).embed(['a'], QUESTION));
    expect(failure.message).toContain('Set embedding.dimensions of ModelProvider main');
  });

  test('is what a migration changes to, unless the command names another', async () => {
    const it = await openProcess();
    await it.declare();
    expect((await modelToChangeTo(it, undefined)).generation).toBe(DECLARED);
    expect((await modelToChangeTo(it, 'lexical')).generation).toBe(LEXICAL);
    const failure = await failureOf(modelToChangeTo(it, 'endpoint'));
    expect(failure).toMatchObject({ code: 'INVALID_INPUT' });
    expect(failure.message).toContain('ModelProvider main declares the embedding model');
  });

  test.each([
    ['with a price counts against the budget', 20_000, 20_000],
    ['for free needs no budget', 0, null],
  ])('%s', async (_, inputMicroDollarsPerMillion, price) => {
    const it = await openProcess();
    await it.declare('main', { embedding: { ...EMBEDDING, inputMicroDollarsPerMillion } });
    const embedder = await it.embedders.configured();
    expect(embedder.microDollarsPerMillionTokens).toBe(price);
  });
});
