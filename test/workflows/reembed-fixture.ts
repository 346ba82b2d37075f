/**
 * A change of the embedding model with a real store, a real Temporal server, workers that come and
 * go, and two models of the test's own. Writes and searches go through the memory provider.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandReembed, listReembed } from '#activities/reembed/apply-reembed-command.ts';
import { reembedTurn } from '#activities/reembed/reembed-tenant.ts';
import { forTemporal, temporalCall } from '#activities/heartbeats-and-failures.ts';
import type { Embedder, Embedders } from '#core/ports/embedder.ts';
import type { MemoryProvider, SearchAnswer } from '#core/ports/memory-provider.ts';
import { NO_METRICS } from '#core/ports/metrics.ts';
import { SILENT_LOG, type Timers } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import { REEMBED_SETTINGS, type ReembedSettings } from '#core/embedding/reembed-contract.ts';
import type { Memory } from '#core/records/memory.ts';
import { STATEMENTS } from '#core/search/calibration-sentences.ts';
import { createMemoryProvider } from '#memory/memory-provider.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { createPlatform } from '#providers/node/platform.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';
import { connectTemporal, type TemporalClient } from '#providers/temporal/client.ts';
import { startWorker, type RunningWorker } from '#providers/temporal/worker.ts';
import { loadTokenCounter } from '#providers/tokenizers/token-counter.ts';
import { toAdd } from '#test/conformance/provider-harness.ts';
import { testPlace } from './fixture.ts';

const DIMENSIONS = 64;
const BY = { by: 'test', idempotencyKey: null };

export interface StubbedEmbedder extends Embedder {
  /** What each call was asked, the earliest first; without what measures the model. */
  readonly calls: readonly (readonly string[])[];
  /** Called before each answer of passages; what it throws, the model throws. */
  before: (texts: readonly string[], call: number) => Promise<void> | void;
}

export interface ReembedStack extends AsyncDisposable {
  readonly store: Store;
  readonly provider: MemoryProvider;
  readonly temporal: TemporalClient;
  /** The model that tenants begin with, and the one that they change to. */
  readonly old: StubbedEmbedder;
  readonly new: StubbedEmbedder;
  readonly tenant: string;
  startWorker(): Promise<RunningWorker>;
  /** Which model a new tenant begins with. */
  configure(embedder: Embedder): void;
  add(tenant: string, content: string): Promise<Memory>;
  addMany(tenant: string, contents: readonly string[]): Promise<void>;
  /** Found by meaning alone, so that a missing vector shows. */
  search(tenant: string, query: string, mode?: 'semantic' | 'hybrid'): Promise<SearchAnswer>;
}

export interface ReembedOptions {
  readonly settings?: Partial<ReembedSettings>;
  /** Texts of one call of the new model. */
  readonly textsMax?: number;
  readonly price?: number;
  readonly address?: string;
}

export async function openReembed(options: ReembedOptions = {}): Promise<ReembedStack> {
  const place = await testPlace(options.address);
  const { address, namespace } = place;
  await using held = new AsyncDisposableStack();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'varve-reembed-'));
  held.defer(() => rm(dataDir, { recursive: true, force: true }));

  const platform = createPlatform();
  const analyzer = createTextAnalyzer();
  const tokens = await loadTokenCounter({ log: SILENT_LOG });
  const file = path.join(dataDir, 'varve.db');
  const store = held.use(await openSqliteStore({ file, platform, analyzer }));
  const models = modelsOf(options);
  const ports = { store, platform, tokens, analyzer, metrics: NO_METRICS, timers: WAITING };
  const provider = createMemoryProvider({ ...ports, embedders: models.embedders });

  const settings = { ...REEMBED_SETTINGS, settleMs: 200, failurePauseMs: 200, ...options.settings };
  const temporal = held.use(
    await connectTemporal({ address, namespace, reembedSettings: settings }),
  );
  const reembed = { store, platform, embedders: models.embedders };
  const activities = {
    commandReembed: (input: Parameters<typeof commandReembed>[1]) => commandReembed(reembed, input),
    listReembed: (input: Parameters<typeof listReembed>[1]) => listReembed(reembed, input),
    reembedTurn: (input: Parameters<typeof reembedTurn>[1]) =>
      reembedTurn(reembed, input, temporalCall()),
  };
  const running = held.move();
  return {
    store,
    provider,
    temporal,
    ...models,
    tenant: `tenant-${randomUUID()}`,
    startWorker: async () =>
      startWorker({ ...place, activities: forTemporal(activities, SILENT_LOG), log: SILENT_LOG }),
    add: async (tenant, content) => {
      const { memory } = await provider.add(tenant, toAdd(content), BY);
      return memory;
    },
    addMany: async (tenant, contents) => {
      const { failed } = await provider.bulkAdd(
        tenant,
        contents.map((content) => toAdd(content)),
        BY,
      );
      if (failed > 0) throw new Error(`${String(failed)} memories were not added.`);
    },
    search: (tenant, query, mode = 'semantic') =>
      provider.search(tenant, requestOf(query, mode), { by: 'test' }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function modelsOf({ textsMax = 16, price }: ReembedOptions) {
  const name = randomUUID();
  const old = stubbedEmbedder(`old-${name}`, { textsMax: 200, price: null });
  const next = stubbedEmbedder(`new-${name}`, { textsMax, price: price ?? null });
  const chosen: { configured: Embedder } = { configured: old };
  const byName = new Map<string, Embedder>([old, next].map((each) => [each.generation, each]));
  const embedders: Embedders = {
    configured: () => Promise.resolve(chosen.configured),
    ofGeneration: (generation) => Promise.resolve(byName.get(generation) ?? null),
  };
  return {
    old,
    new: next,
    embedders,
    configure: (embedder: Embedder) => {
      chosen.configured = embedder;
    },
  };
}

/** Words to numbers by a hash that differs from model to model: equal texts have cosine 1. */
function stubbedEmbedder(
  generation: string,
  { textsMax, price }: { textsMax: number; price: number | null },
): StubbedEmbedder {
  const calls: (readonly string[])[] = [];
  const stub: StubbedEmbedder = {
    generation,
    dimensions: DIMENSIONS,
    quality: 'semantic',
    textsMax,
    microDollarsPerMillionTokens: price,
    calls,
    before: () => undefined,
    embed: async (texts, { purpose }) => {
      const isMeasured = texts.some((text) => STATEMENTS.includes(text));
      if (purpose === 'passage' && !isMeasured) {
        calls.push(texts);
        await stub.before(texts, calls.length);
      }
      return texts.map((text) => vectorOf(generation, text));
    },
  };
  return stub;
}

function vectorOf(generation: string, text: string): number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['nothing']) {
    const hash = createHash('sha256').update(`${generation}\n${word}`).digest();
    for (let at = 0; at < DIMENSIONS; at += 1) {
      vector[at] = (vector[at] ?? 0) + (hash.readUInt8(at % hash.length) ^ (at * 7)) / 255 - 0.5;
    }
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

const WAITING: Timers = {
  timer: () => performance.now(),
  random: () => 0.5,
  wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
};

function requestOf(
  query: string,
  mode: 'semantic' | 'hybrid',
): Parameters<MemoryProvider['search']>[1] {
  return {
    query,
    identifiers: { userId: 'ann' },
    layers: ['user'],
    mode,
    limit: 5,
    threshold: 0.7,
    order: 'relevance',
    conditions: { latestOnly: true, tags: [], filter: null, kind: null },
    explain: false,
  };
}
