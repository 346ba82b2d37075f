/** The activities of a change of the embedding model, over a store that fails at any call. */
import { describe, expect, it } from 'vitest';
import {
  continueReembed,
  commandReembed,
  listReembed,
} from '#activities/reembed/apply-reembed-command.ts';
import { reembedTurn } from '#activities/reembed/reembed-tenant.ts';
import type { ReembedPorts } from '#activities/refresh-ports.ts';
import { VarveError } from '#core/errors.ts';
import type { Embedder } from '#core/ports/embedder.ts';
import type { EmbeddingRecords } from '#core/ports/embedding-records.ts';
import type { Store } from '#core/ports/store.ts';
import { firstEmbeddingState } from '#core/embedding/reembed-transitions.ts';
import { CONTENT_LENGTH_MAX } from '#core/records/memory.ts';
import type { EmbeddingState } from '#core/records/embedding-state.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { createPlatform } from '#providers/node/platform.ts';
import { IN_MEMORY, openSqliteStore } from '#providers/sqlite/store.ts';
import { memoryOf, NOW, rulesAt } from '#test/conformance/samples.ts';

const TENANT = 'acme';
const MEMORIES = 7;
const CALL = { signal: new AbortController().signal };
const TURN = { tenant: TENANT, generation: 'new', settleMs: 0 };
/** More than a change takes with one failure. */
const TURNS_MAX = 30;

function embedder(generation: string): Embedder {
  return {
    generation,
    dimensions: 2,
    quality: 'semantic',
    textsMax: 3,
    microDollarsPerMillionTokens: null,
    embed: (texts) =>
      Promise.resolve(texts.map(({ length }) => [Math.cos(length), Math.sin(length)])),
  };
}

async function openPorts(configuredName = 'old'): Promise<ReembedPorts> {
  const platform = { ...createPlatform(), clock: () => NOW };
  const store = await openSqliteStore({
    file: IN_MEMORY,
    platform,
    analyzer: createTextAnalyzer(),
  });
  const models = new Map(['old', 'new'].map((name) => [name, embedder(name)]));
  const configured = models.get(configuredName) ?? embedder(configuredName);
  for (let n = 1; n <= MEMORIES; n += 1) {
    const own = { embeddingGeneration: 'old', vector: [1, 0] };
    await store.memories.add(memoryOf(TENANT, n, own), rulesAt(NOW));
  }
  const embedders = {
    configured: () => Promise.resolve(configured),
    ofGeneration: (generation: string) => Promise.resolve(models.get(generation) ?? null),
  };
  return { store, platform, embedders };
}

/** The same store, whose n-th call of the records of embeddings fails before or after its work. */
function failing(ports: ReembedPorts, { at, after }: { at: number; after: boolean }) {
  const state = { calls: 0 };
  const embeddings = new Proxy(ports.store.embeddings, {
    get: (records, name: keyof EmbeddingRecords) => {
      const run = records[name].bind(records) as (...args: never[]) => Promise<unknown>;
      return async (...args: never[]): Promise<unknown> => {
        state.calls += 1;
        const isIt = state.calls === at;
        if (isIt && !after) throw lost();
        const answer = await run(...args);
        if (isIt) throw lost();
        return answer;
      };
    },
  });
  const store: Store = Object.assign(Object.create(ports.store) as Store, { embeddings });
  return { ports: { ...ports, store }, state };
}

function lost(): VarveError {
  return new VarveError('PROVIDER_ERROR', 'The connection was lost.');
}

/** As the workflow does it: what fails is called again. */
async function untilSteady(ports: ReembedPorts): Promise<EmbeddingState | null> {
  const command = { kind: 'Begin', tenants: null, keepOldMs: 0 } as const;
  const begin = () => commandReembed(ports, { generation: 'new', command, after: null });
  await begin().catch(begin);
  let after: string | null = null;
  for (let turns = 0; turns < TURNS_MAX; turns += 1) {
    const state = await ports.store.embeddings.state(TENANT).catch(() => null);
    if (state?.phase === 'Steady') return state;
    const turn: Promise<{ after: string | null }> = reembedTurn(ports, { ...TURN, after }, CALL);
    after = (await turn.catch(() => ({ after: null }))).after;
  }
  throw new Error('The change has no end.');
}

describe('a store that fails once', () => {
  it.each([false, true])(
    'REEMBED-9: at any call still lets the change complete (after the call: %s)',
    async (after) => {
      let at = 1;
      for (; ; at += 1) {
        const sound = await openPorts();
        const { ports, state } = failing(sound, { at, after });
        expect(await untilSteady(ports)).toMatchObject({
          active: 'new',
          target: null,
          dropping: null,
        });
        const { embeddings, memories } = sound.store;
        const now = NOW;
        expect(await embeddings.progress(TENANT, { generation: 'new', now })).toMatchObject({
          done: MEMORIES,
          missing: 0,
        });
        expect(await embeddings.progress(TENANT, { generation: 'old', now })).toMatchObject({
          done: 0,
        });
        const [first] = await embeddings.missing(TENANT, {
          generation: 'old',
          after: null,
          limit: 1,
          now,
        });
        expect(await memories.get(TENANT, first?.id ?? '')).toMatchObject({
          embeddingGeneration: 'new',
          version: 1,
        });
        if (state.calls < at) break;
      }
      expect(at).toBeGreaterThan(15);
    },
  );
});

describe('a model that asks for a wait', () => {
  it.each([
    { at: 'the first page', fails: 1, after: null },
    { at: 'a later page', fails: 2, after: 'a memory' },
  ])('REEMBED-20: on $at ends the turn if the wait is long', async ({ fails, after }) => {
    const ports = await openPorts();
    const command = { kind: 'Begin', tenants: null, keepOldMs: 0 } as const;
    await commandReembed(ports, { generation: 'new', command, after: null });
    let calls = 0;
    const busy: Embedder = {
      ...embedder('new'),
      embed: (texts, call) => {
        calls += 1;
        if (calls < fails) return embedder('new').embed(texts, call);
        const details = { retryAfterMs: 60_000 };
        return Promise.reject(new VarveError('RATE_LIMITED', 'Slow down.', { details }));
      },
    };
    const embedders = { ...ports.embedders, ofGeneration: () => Promise.resolve(busy) };
    const report = await reembedTurn({ ...ports, embedders }, { ...TURN, after: null }, CALL);
    expect(report).toMatchObject({ waitMs: 60_000 });
    expect(report.after === null).toBe(after === null);
  });

  it('REEMBED-20: is retried by the activity if the wait is short', async () => {
    const ports = await openPorts();
    const command = { kind: 'Begin', tenants: null, keepOldMs: 0 } as const;
    await commandReembed(ports, { generation: 'new', command, after: null });
    const details = { retryAfterMs: 20 };
    const error = new VarveError('RATE_LIMITED', 'Slow down.', { details });
    const busy: Embedder = { ...embedder('new'), embed: () => Promise.reject(error) };
    const embedders = { ...ports.embedders, ofGeneration: () => Promise.resolve(busy) };
    const turn = reembedTurn({ ...ports, embedders }, { ...TURN, after: null }, CALL);
    await expect(turn).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });
});

describe('a page that fails', () => {
  const down = new VarveError('PROVIDER_ERROR', 'It failed.', { details: { status: 503 } });
  const long = new VarveError('CONTENT_TOO_LONG', 'It is too long.');
  const broken = new VarveError('PROVIDER_ERROR', 'It broke off.');

  it.each([
    { after: 'a refusal', ends: [down], entries: [['NotCharged', 0]] },
    { after: 'a call that broke off', ends: [broken], entries: [['UnknownOutcome', null]] },
    {
      after: 'some texts that were counted',
      ends: [long, 5, down],
      entries: [
        ['NotCharged', 0],
        ['Usage', 5],
        ['NotCharged', 0],
      ],
    },
    {
      after: 'some texts that were not counted',
      ends: [long, null, down],
      entries: [
        ['NotCharged', 0],
        ['Usage', 2 * memoryOf(TENANT, 1).tokenCount],
        ['NotCharged', 0],
      ],
    },
  ])('after $after is settled call by call', async ({ ends, entries }) => {
    const ports = await openPorts();
    const command = { kind: 'Begin', tenants: null, keepOldMs: 0 } as const;
    await commandReembed(ports, { generation: 'new', command, after: null });
    const left = [...ends];
    const priced: Embedder = {
      ...embedder('new'),
      microDollarsPerMillionTokens: 1_000_000,
      embed: (texts, call) => {
        const end = left.shift();
        if (end instanceof VarveError) return Promise.reject(end);
        if (typeof end === 'number') call.onUsage?.(end);
        return embedder('new').embed(texts, call);
      },
    };
    const embedders = { ...ports.embedders, ofGeneration: () => Promise.resolve(priced) };
    const turn = reembedTurn({ ...ports, embedders }, { ...TURN, after: null }, CALL);
    await expect(turn).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
    const found = await ports.store.accounts.entries(TENANT, { limit: 10 });
    const spent = found.map(({ outcome, spent: { tokens }, reserved }) => [
      outcome,
      tokens === reserved.tokens ? null : tokens,
    ]);
    const byText = (a: unknown, b: unknown): number => String(a).localeCompare(String(b));
    expect(spent.toSorted(byText)).toEqual(entries.toSorted(byText));
  });
});

describe('a memory that is longer than a content', () => {
  it('is embedded in parts, like one that is added', async () => {
    const ports = await openPorts();
    const content = 'Ann likes tea. '.repeat((2 * CONTENT_LENGTH_MAX) / 10);
    const own = { embeddingGeneration: 'old', vector: [1, 0], content };
    await ports.store.memories.add(memoryOf(TENANT, MEMORIES + 1, own), rulesAt(NOW));
    const lengths: number[] = [];
    const picky: Embedder = {
      ...embedder('new'),
      embed: (texts, call) => {
        lengths.push(...texts.map(({ length }) => length));
        return embedder('new').embed(texts, call);
      },
    };
    const embedders = { ...ports.embedders, ofGeneration: () => Promise.resolve(picky) };
    expect(await untilSteady({ ...ports, embedders })).toMatchObject({ active: 'new' });
    expect(Math.max(...lengths)).toBeLessThanOrEqual(CONTENT_LENGTH_MAX);
  });
});

describe('a model that refuses', () => {
  const refused = new VarveError('PROVIDER_REJECTED', 'Refused.');

  it.each([
    { what: 'one text', isRefused: (text: string) => text === 'x', missing: 1, error: null },
    { what: 'every text', isRefused: () => true, missing: MEMORIES + 1, error: refused },
  ])('$what', async ({ isRefused, missing, error }) => {
    const ports = await openPorts();
    const command = { kind: 'Begin', tenants: null, keepOldMs: 0 } as const;
    const own = { embeddingGeneration: 'old', vector: [1, 0], content: 'x', contentHash: 'x' };
    await ports.store.memories.add(memoryOf(TENANT, MEMORIES + 1, own), rulesAt(NOW));
    await commandReembed(ports, { generation: 'new', command, after: null });
    const strict: Embedder = {
      ...embedder('new'),
      embed: (texts, call) =>
        texts.some(isRefused) ? Promise.reject(refused) : embedder('new').embed(texts, call),
    };
    const embedders = { ...ports.embedders, ofGeneration: () => Promise.resolve(strict) };
    const turn = reembedTurn({ ...ports, embedders }, { ...TURN, after: null }, CALL);
    expect(
      await turn.then(
        () => null,
        (failure: unknown) => failure,
      ),
    ).toBe(error);
    const progress = { generation: 'new', now: NOW };
    expect(await ports.store.embeddings.progress(TENANT, progress)).toMatchObject({ missing });
  });
});

describe('memories older than any state', () => {
  it('REEMBED-1: rely on the model that embedded them, not the one configured since', async () => {
    const ports = await openPorts('new');
    const command = { kind: 'Begin', tenants: null, keepOldMs: 0 } as const;
    await commandReembed(ports, { generation: 'new', command, after: null });
    expect(await ports.store.embeddings.state(TENANT)).toMatchObject({
      phase: 'Filling',
      active: 'old',
      target: 'new',
    });
  });
});

describe('the work on changes', () => {
  async function withStates(states: readonly EmbeddingState[]): Promise<ReembedPorts> {
    const ports = await openPorts();
    for (const state of states) await ports.store.embeddings.putState(state);
    return ports;
  }
  const steady = firstEmbeddingState('a-steady', 'old', NOW);
  const filling = { ...steady, tenant: 'b-filling', phase: 'Filling', target: 'new' } as const;
  const paused = { ...filling, tenant: 'c-paused', phase: 'Paused' } as const;
  const kept = {
    ...steady,
    tenant: 'd-kept',
    active: 'new',
    phase: 'Dropping',
    dropping: 'old',
    keepOldMs: 60_000,
  } as const;
  const third = { ...filling, tenant: 'e-third', target: 'third', active: 'other' } as const;

  it('REEMBED-5: a walk lists the tenants of its generation and counts those that wait', async () => {
    const ports = await withStates([steady, filling, paused, kept, third]);
    expect(await listReembed(ports, { generation: 'new', after: null })).toEqual({
      tenants: ['b-filling'],
      paused: 1,
      keeping: 1,
      nextAt: NOW + 60_000,
      after: null,
    });
  });

  it('REEMBED-19: the tick ensures a run for each change that is not paused', async () => {
    const ports = await withStates([steady, filling, paused, third]);
    const asked: (readonly string[])[] = [];
    const refreshTrigger = {
      notify: () => Promise.resolve(),
      continueReembed: (generations: readonly string[]) => {
        asked.push(generations);
        return Promise.resolve();
      },
    };
    await continueReembed(ports, refreshTrigger);
    expect(asked).toEqual([
      ['new', 'old'],
      ['third', 'other'],
    ]);
  });

  it('REEMBED-19: the tick goes on without workflows and while Temporal is unavailable', async () => {
    const ports = await withStates([filling]);
    const notify = () => Promise.resolve();
    await continueReembed(ports, { notify });
    const away = { notify, continueReembed: () => Promise.reject(lost()) };
    await expect(continueReembed(ports, away)).resolves.toBeUndefined();
  });
});
