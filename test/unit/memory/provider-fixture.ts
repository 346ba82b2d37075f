/** A memory provider over a store in memory; tests control time, chance, embedders and faults. */
import { VarveError } from '#core/errors.ts';
import type { Embedder } from '#core/ports/embedder.ts';
import type { MemoryProvider, SearchRequest } from '#core/ports/memory-provider.ts';
import type { Metrics } from '#core/ports/metrics.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import { createMemoryProvider } from '#memory/memory-provider.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { createLexicalEmbedder } from '#providers/lexical/embedder.ts';
import { createPlatform } from '#providers/node/platform.ts';
import { IN_MEMORY, openSqliteStore } from '#providers/sqlite/store.ts';
import { asking as askingOf } from '#test/conformance/provider-harness.ts';

export const TENANT = 'acme';
export const BY = { by: 'ann' };
export const WRITE = { by: 'ann', idempotencyKey: null };
const START = Date.UTC(2026, 10, 1);

/** An embedder whose calls are seen and may be told to fail. */
export interface SeenEmbedder extends Embedder {
  /** Texts of each call. */
  readonly calls: string[][];
  /** What the next calls fail with, in their order; null for one that succeeds. */
  readonly failures: (VarveError | null)[];
  /** Awaited in every call. */
  gate: Promise<void>;
  /** Says what is given instead of a text's vector. */
  spoil: (text: string, vector: number[]) => number[] | Promise<number[]>;
  /** What a text fails its whole call with. */
  refuse: (text: string) => VarveError | null;
}

export function seenEmbedder(generation = 'one', differing: Partial<Embedder> = {}): SeenEmbedder {
  const lexical = createLexicalEmbedder();
  const seen: SeenEmbedder = {
    ...lexical,
    textsMax: 4,
    ...differing,
    generation,
    calls: [],
    failures: [],
    gate: Promise.resolve(),
    spoil: (_, vector) => vector,
    refuse: () => null,
    async embed(texts, call) {
      seen.calls.push([...texts]);
      await seen.gate;
      const failure = seen.failures.shift() ?? null;
      if (failure !== null) throw failure;
      for (const text of texts) {
        const refusal = seen.refuse(text);
        if (refusal !== null) throw refusal;
      }
      call.onUsage?.(texts.length * 10);
      const vectors = await lexical.embed(texts, call);
      return Promise.all(vectors.map(async (vector, at) => seen.spoil(texts[at] ?? '', vector)));
    },
  };
  return seen;
}

export interface Measured {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Fixture {
  readonly provider: MemoryProvider;
  readonly store: Store;
  readonly configured: SeenEmbedder;
  readonly measured: readonly Measured[];
  /** Milliseconds of each wait, in their order. */
  readonly waits: readonly number[];
  /** Time of the provider, in milliseconds since the epoch. */
  now: number;
  /** Awaited before the wait of a search for its vector is over. */
  searchWait: Promise<void>;
  /** Another provider over the same store, as after a crash. */
  again(options?: FixtureOptions): Fixture;
}

export interface FixtureOptions {
  readonly configured?: SeenEmbedder;
  readonly others?: readonly Embedder[];
  /** What stands between the provider and its store. */
  readonly around?: (store: Store) => Partial<Store>;
  readonly random?: number;
}

/** Of an embedder that searches do not wait for longer. */
export const SEARCH_WAIT_MS = 1_234;

export async function openFixture(options: FixtureOptions = {}): Promise<Fixture> {
  const store = await openSqliteStore({
    file: IN_MEMORY,
    platform: createPlatform(),
    analyzer: createTextAnalyzer(),
  });
  return fixtureOver(store, options);
}

function fixtureOver(store: Store, options: FixtureOptions): Fixture {
  const { configured = seenEmbedder(), others = [], around = () => ({}), random = 0 } = options;
  const measured: Measured[] = [];
  const waits: number[] = [];
  const byGeneration = new Map([configured, ...others].map((each) => [each.generation, each]));
  const metrics: Metrics = {
    count: (name, labels, value = 1) => void measured.push({ name, labels, value }),
    observe: (name, labels, value) => void measured.push({ name, labels, value }),
    set: (name, labels, value) => void measured.push({ name, labels, value }),
  };
  let waited = 0;
  const fixture = {
    store,
    configured,
    measured,
    waits,
    now: START,
    searchWait: Promise.resolve(),
    again: (more: FixtureOptions = {}) => fixtureOver(store, { ...options, ...more }),
  };
  const platform = { ...createPlatform({ log: SILENT_LOG }), clock: () => fixture.now };
  const provider = createMemoryProvider({
    store: { ...store, ...around(store) },
    platform,
    tokens: { name: 'words', count: (text) => text.split(/\s+/u).length },
    analyzer: createTextAnalyzer(),
    embedders: {
      configured: () => Promise.resolve(configured),
      ofGeneration: (name) => Promise.resolve(byGeneration.get(name) ?? null),
    },
    metrics,
    timers: {
      timer: () => fixture.now - START + waited,
      random: () => random,
      async wait(milliseconds, signal) {
        if (signal.aborted) throw new VarveError('CANCELLED', 'The wait was cancelled.');
        // The patience of an end lasts longer than any test.
        if (milliseconds === 10_000) await new Promise(() => undefined);
        if (milliseconds === SEARCH_WAIT_MS) await fixture.searchWait;
        waits.push(milliseconds);
        waited += milliseconds;
      },
    },
  });
  return Object.assign(fixture, { provider });
}

export function asking(query: string, differing: Partial<SearchRequest> = {}): SearchRequest {
  const own = { identifiers: { userId: 'ann' }, mode: 'hybrid', threshold: 0 } as const;
  return askingOf(query, { ...own, ...differing });
}

export const LISTED = {
  scopes: [{ tenant: TENANT, layer: 'user', scopeId: 'ann' }],
  conditions: { latestOnly: true, tags: [], filter: null, kind: null },
  order: 'oldest',
  cursor: null,
  limit: 100,
} as const;

/** Lets background work finish: each of its steps is one turn of the queue. */
export async function settled(isDone: () => Promise<boolean> | boolean): Promise<void> {
  for (let turns = 0; turns < 1_000; turns += 1) {
    if (await isDone()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('It did not come to rest.');
}

/** A store whose method fails before or after it has done its work, for the first calls. */
export function failing<T extends object>(
  records: T,
  method: keyof T,
  { error, times, when }: { error: VarveError; times: number; when: 'before' | 'after' },
): T {
  let left = times;
  const run = records[method] as (...given: unknown[]) => Promise<unknown>;
  return {
    ...records,
    [method]: async (...given: unknown[]) => {
      const fails = left > 0;
      if (fails) left -= 1;
      if (fails && when === 'before') throw error;
      const answer = await run(...given);
      if (fails) throw error;
      return answer;
    },
  };
}
