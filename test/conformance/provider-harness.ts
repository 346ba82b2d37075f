/** A memory provider over a store, with an embedder, a clock and metrics that tests can inspect. */
import { VarveError } from '#core/errors.ts';
import { contentHash } from '#core/hash.ts';
import { THRESHOLD_DEFAULT } from '#core/search/search-defaults.ts';
import type {
  CallOptions,
  MemoryProvider,
  MemoryToAdd,
  SearchRequest,
  WriteOptions,
} from '#core/ports/memory-provider.ts';
import type { Embedder, EmbedCall } from '#core/ports/embedder.ts';
import type { Metrics } from '#core/ports/metrics.ts';
import type { Store } from '#core/ports/store.ts';
import { SENTENCES_REVISION } from '#core/search/calibration-sentences.ts';
import { createMemoryProvider } from '#memory/memory-provider.ts';
import { createPlatform } from '#providers/node/platform.ts';

import { digest, NOW } from './samples.ts';
import { analyzer } from './search-samples.ts';

/** Cosine of unrelated texts in the stub's generations: scores 0.7. */
export const UNRELATED_COSINE = 0.4;
/** What chance is here: retries wait half of what they might. */
export const RANDOM = 0.5;

const TEXTS_MAX = 4;

/** An embedder whose texts lie on a circle, where tests put them. */
export interface StubEmbedder extends Embedder {
  /** Every call that reached it, in order. */
  readonly calls: { readonly purpose: EmbedCall['purpose']; readonly texts: readonly string[] }[];
  /** Puts a text at an angle in degrees; others are wherever their hash puts them. */
  place(text: string, degrees: number): void;
  /** Errors that the next calls fail with, one each. */
  failWith(...errors: readonly VarveError[]): void;
}

export function stubEmbedder(generation: string): StubEmbedder {
  const angles = new Map<string, number>();
  const failures: VarveError[] = [];
  const calls: StubEmbedder['calls'] = [];
  const vectorOf = (text: string): number[] => {
    const degrees = angles.get(text) ?? Number.parseInt(digest(text).slice(0, 6), 16) % 360;
    const radians = (degrees * Math.PI) / 180;
    return [Math.cos(radians), Math.sin(radians)];
  };
  return {
    generation,
    dimensions: 2,
    quality: 'semantic',
    textsMax: TEXTS_MAX,
    microDollarsPerMillionTokens: null,
    calls,
    place(text, degrees) {
      angles.set(text, degrees);
    },
    failWith(...errors) {
      failures.push(...errors);
    },
    async embed(texts, { purpose }) {
      calls.push({ purpose, texts: [...texts] });
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      return texts.map(vectorOf);
    },
  };
}

/** One measure that was recorded. */
export interface Recorded {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Harness {
  readonly provider: MemoryProvider;
  readonly store: Store;
  readonly embedder: StubEmbedder;
  readonly recorded: readonly Recorded[];
  /** Pauses that were waited, in milliseconds. */
  readonly pauses: readonly number[];
  /** Moves the clock on. */
  pass(milliseconds: number): void;
}

export interface HarnessOptions {
  readonly embedder?: StubEmbedder;
  /** Served beside the embedder: those of other generations. */
  readonly others?: readonly Embedder[];
}

/** A provider over `store`; its time moves only where it waits, or a test moves it. */
export async function harnessOver(store: Store, options: HarnessOptions = {}): Promise<Harness> {
  const { embedder = stubEmbedder('stub-1'), others = [] } = options;
  const recorded: Recorded[] = [];
  const pauses: number[] = [];
  let now = NOW;
  const note = (name: string, labels: Readonly<Record<string, string>>, value: number): void => {
    recorded.push({ name, labels: { ...labels }, value });
  };
  const metrics: Metrics = {
    count: (name, labels, by = 1) => note(name, labels, by),
    observe: (name, labels, value) => note(name, labels, value),
    set: (name, labels, value) => note(name, labels, value),
  };
  const all = [embedder, ...others];
  for (const { generation } of all) {
    const measured = { unrelatedCosine: UNRELATED_COSINE, sentences: SENTENCES_REVISION };
    await store.embeddings.putCalibration({ generation, ...measured });
  }
  const provider = createMemoryProvider({
    store,
    platform: { ...createPlatform(), clock: () => now },
    tokens: { name: 'words', count: (text) => text.split(/\s+/u).length },
    analyzer,
    embedders: {
      configured: () => Promise.resolve(embedder),
      ofGeneration: (name) =>
        Promise.resolve(all.find(({ generation }) => generation === name) ?? null),
    },
    metrics,
    timers: {
      timer: () => now - NOW,
      random: () => RANDOM,
      wait: async (milliseconds) => {
        pauses.push(milliseconds);
        now += milliseconds;
      },
    },
  });
  return {
    provider,
    store,
    embedder,
    recorded,
    pauses,
    pass(milliseconds) {
      now += milliseconds;
    },
  };
}

export const CALL: CallOptions = { by: 'tester' };
export const WRITE: WriteOptions = { by: 'tester', idempotencyKey: null };

/** A memory of the user "ann". */
export function toAdd(content: string, differing: Partial<MemoryToAdd> = {}): MemoryToAdd {
  return {
    layer: 'user',
    scopeId: 'ann',
    kind: 'memory',
    content,
    key: null,
    deduplicate: null,
    tags: [],
    metadata: {},
    origin: { channel: 'api', principal: 'tester', sources: [] },
    trust: 'stated',
    validFrom: null,
    expiresAt: null,
    ...differing,
  };
}

/** A search by meaning of what "ann" may see at her project. */
export function asking(query: string, differing: Partial<SearchRequest> = {}): SearchRequest {
  return {
    query,
    identifiers: { userId: 'ann', projectId: 'checkout' },
    layers: null,
    mode: 'semantic',
    limit: 10,
    threshold: THRESHOLD_DEFAULT,
    order: 'precedence',
    conditions: { latestOnly: true, tags: [], filter: null, kind: null },
    explain: false,
    ...differing,
  };
}

/** The contents of the hits, in their order. */
export async function contentsFound(
  { provider }: Pick<Harness, 'provider'>,
  tenant: string,
  request: SearchRequest,
): Promise<readonly string[]> {
  const { hits } = await provider.search(tenant, request, CALL);
  return hits.map(({ memory }) => memory.content);
}

/** Texts that were embedded as passages, in all calls. */
export function passagesOf({ calls }: StubEmbedder): readonly string[] {
  return calls.flatMap(({ purpose, texts }) => (purpose === 'passage' ? texts : []));
}

export function hashOf(content: string): string {
  return contentHash(digest, content);
}

export function unreachable(): VarveError {
  return new VarveError('PROVIDER_ERROR', 'The embedder does not answer.');
}
