/** Implements the memory provider over any store and embedder (core/ports/memory-provider.ts). */
import type {
  CallOptions,
  MemoryProvider,
  ProviderCapabilities,
  ProviderHealth,
  EmbeddedPassages,
  ListAnswer,
  ListRequest,
} from '#core/ports/memory-provider.ts';
import { MEMORY_LENGTH_MAX } from '#core/records/memory.ts';
import { SEARCH_MODES } from '#core/search/scope-search.ts';
import { addMemory, bulkAdd } from './add.ts';
import { createBackfill } from './backfill-vectors.ts';
import { createCalibrations } from './calibrations.ts';
import { bulkDelete, deleteMemory, guardOf } from './delete.ts';
import { claimKey } from './run-once-per-key.ts';
import { createKeySweep } from './sweep-idempotency-keys.ts';
import { createLifetime } from './provider-lifetime.ts';
import { runCall, type Call, type MeasuredOperation } from './measured-call.ts';
import type { ProviderParts } from './provider-parts.ts';
import type { ProviderPorts } from './provider-ports.ts';
import { searchMemories } from './search.ts';
import { updateMemory } from './update.ts';
import { createQueryWaits } from './wait-for-query-vector.ts';
import { createVectors } from './embedding-batches.ts';
import { VarveError } from '#core/errors.ts';
import { canonicalJson, contentHash, type Digest } from '#core/hash.ts';
import type { EmbedCall, Embedder } from '#core/ports/embedder.ts';
import { generationsToSearch } from './embedding-generations.ts';

// Lists memories page by page (MEM-12, MEM-13).

// Cursors mark where the next page of a list begins: opaque, and valid for that list only.

/** Digits of the hash of the request: enough that two lists never collide. */
const MARK_DIGITS = 16;

type Asked = Pick<ListRequest, 'scopes' | 'conditions' | 'order'>;

/** @param after id of the last memory of a page */
function cursorOf(digest: Digest, asked: Asked, after: string): string {
  return Buffer.from(`${markOf(digest, asked, after)}${after}`, 'utf8').toString('base64url');
}

/**
 * Returns the id that a cursor encodes.
 * @throws VarveError INVALID_INPUT for a cursor of another list, or a malformed one
 */
function readCursor(digest: Digest, asked: Asked, cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const after = text.slice(MARK_DIGITS);
  if (after !== '' && cursorOf(digest, asked, after) === cursor) return after;
  throw new VarveError(
    'INVALID_INPUT',
    'The cursor does not belong to this list. Send it with the conditions of the call that ' +
      'returned it, or begin without one.',
    { details: { issues: [{ path: 'cursor', expected: 'a cursor of this list' }] } },
  );
}

function markOf(digest: Digest, { scopes, conditions, order }: Asked, after: string): string {
  return digest(canonicalJson([scopes, conditions, order, after])).slice(0, MARK_DIGITS);
}

/** @throws VarveError INVALID_INPUT for a cursor of another list */
async function listMemories(
  { store, platform }: ProviderPorts,
  call: Call,
  request: ListRequest,
): Promise<ListAnswer> {
  const { scopes, conditions, order, cursor, limit } = request;
  const { digest } = platform;
  const after = cursor === null ? null : readCursor(digest, request, cursor);
  const query = {
    scopes,
    conditions: { ...conditions, now: platform.clock() },
    order,
    after,
    limit,
  };
  const page = await call.retried(() => store.memories.list(call.tenant, query));
  const last = page.memories.at(-1);
  return {
    memories: page.memories,
    nextCursor: page.more && last !== undefined ? cursorOf(digest, request, last.id) : null,
    totalCount: page.total,
  };
}

/** How long shutdown waits for calls in progress. */
const SHUTDOWN_MS_MAX = 10_000;

const OWN: CallOptions = { by: 'varve' };

export function createMemoryProvider(ports: ProviderPorts): MemoryProvider {
  const parts = partsOf(ports);
  const { store } = ports;
  const life = createStart(parts);
  const run = async <T>(
    operation: MeasuredOperation,
    of: { tenant: string; options: CallOptions },
    work: (call: Call) => Promise<T>,
  ): Promise<T> => {
    const { tenant, options } = of;
    const start = { operation, tenant, by: options.by, signal: options.signal };
    return runCall({ ports, lifetime: parts.lifetime }, start, async (call) => {
      await life.initialize();
      return work(call);
    });
  };

  return {
    initialize: life.initialize,
    shutdown: life.shutdown,
    healthCheck: () => run('healthCheck', { tenant: '', options: OWN }, () => healthOf(ports)),
    capabilities: () => capabilitiesOf(ports),
    add: (tenant, memory, options) =>
      run('add', { tenant, options }, (call) =>
        addMemory(parts, call, { memory, key: options.idempotencyKey }),
      ),
    bulkAdd: (tenant, memories, options) =>
      run('bulkAdd', { tenant, options }, (call) => {
        const { idempotencyKey: key, progress } = options;
        return bulkAdd(parts, call, { memories, key, progress });
      }),
    get: (tenant, id) =>
      run('get', { tenant, options: OWN }, (call) =>
        call.retried(() => store.memories.get(tenant, id)),
      ),
    update: ({ tenant, id }, patch, options) =>
      run('update', { tenant, options }, (call) =>
        updateMemory(parts, call, { id, patch, key: options.idempotencyKey }),
      ),
    delete: ({ tenant, id }, options) =>
      run('delete', { tenant, options }, (call) =>
        deleteMemory(parts, call, { id, key: options.idempotencyKey, ...guardOf(options) }),
      ),
    bulkDelete: (tenant, ids, options) =>
      run('bulkDelete', { tenant, options }, (call) =>
        bulkDelete(parts, call, { ids, key: options.idempotencyKey, ...guardOf(options) }),
      ),
    list: (tenant, request) =>
      run('list', { tenant, options: OWN }, (call) => listMemories(ports, call, request)),
    search: (tenant, request, options) =>
      run('search', { tenant, options }, (call) => searchMemories(parts, call, request)),
    history: (key, page) =>
      run('history', { tenant: key.tenant, options: OWN }, (call) =>
        call.retried(() => store.memories.history(key, page)),
      ),
    generateEmbedding: (tenant, text, options) =>
      run('generateEmbedding', { tenant, options }, (call) =>
        embedOne(parts, call, { text, purpose: options.purpose ?? 'passage' }),
      ),
    embedPassages: (tenant, texts, options) =>
      run('generateEmbedding', { tenant, options }, (call) => embedPassages(parts, call, texts)),
    claimKey: (tenant, claimed, options) =>
      run('claimKey', { tenant, options }, (call) => claimKey(parts, call, claimed)),
    backfill: (tenant, options) =>
      run('backfill', { tenant, options }, async (call) => ({
        embedded: await parts.backfill.run(call),
      })),
  };
}

function partsOf(ports: ProviderPorts): ProviderParts {
  const lifetime = createLifetime();
  const vectors = createVectors(ports, lifetime.signal);
  return {
    ports,
    lifetime,
    vectors,
    queryWaits: createQueryWaits(ports, lifetime),
    calibrations: createCalibrations(ports, lifetime),
    backfill: createBackfill(ports, { vectors, lifetime }),
    keySweep: createKeySweep(ports, lifetime),
  };
}

/** Starts and shuts down once each; a failed start can be tried again. */
function createStart({ ports, lifetime }: ProviderParts) {
  const { store, timers } = ports;
  let begun: Promise<void> | null = null;
  let ended: Promise<void> | null = null;
  const begin = async (): Promise<void> => {
    try {
      // Any read shows whether the store answers; its health check inspects everything.
      const { generation } = await ports.embedders.configured();
      await store.embeddings.calibration(generation);
    } catch (error) {
      begun = null;
      throw error;
    }
  };
  const end = async (): Promise<void> => {
    const patience = new AbortController();
    const waited = timers.wait(SHUTDOWN_MS_MAX, patience.signal).catch(() => undefined);
    await lifetime.end(waited);
    patience.abort();
    await store[Symbol.asyncDispose]();
  };
  return {
    initialize: () => (begun ??= begin()),
    shutdown: () => (ended ??= end()),
  };
}

async function healthOf({ store }: ProviderPorts): Promise<ProviderHealth> {
  const { ok, engine, findings } = await store.health();
  return { ok, engine, findings };
}

async function capabilitiesOf({ store, embedders }: ProviderPorts): Promise<ProviderCapabilities> {
  const { vectorSearch, ...rest } = store.capabilities;
  const { dimensions, generation } = await embedders.configured();
  return {
    ...rest,
    vectorSearch: true,
    vectorSearchMethod: vectorSearch,
    embeddingDimensions: dimensions,
    embeddingGeneration: generation,
    modes: SEARCH_MODES,
    contentLengthMax: MEMORY_LENGTH_MAX,
  };
}

// Embeds one text in the generation of its tenant's memories (MEM-20, MEM-21).

/** @throws VarveError what the embedder throws, BUDGET_EXHAUSTED, PROVIDER_REJECTED */
async function embedOne(
  { ports, vectors, queryWaits }: ProviderParts,
  call: Call,
  { text, purpose }: { text: string; purpose: EmbedCall['purpose'] },
): Promise<{ readonly generation: string; readonly vector: readonly number[] }> {
  const { active } = await generationsToSearch(ports, call);
  const { name: generation, embedder } = active;
  if (embedder === null) {
    const message = 'No configured embedder makes vectors of the generation of these memories.';
    throw new VarveError('PROVIDER_REJECTED', message, { details: { generation } });
  }
  if (purpose === 'query') {
    const ask = (asked: Embedder) => vectors.query(call, asked, text);
    return { generation, vector: await queryWaits.within(embedder, ask) };
  }
  const asked = { content: text, contentHash: contentHash(ports.platform.digest, text) };
  const [outcome] = await vectors.passages(call, embedder, [asked]);
  if (outcome?.ok === true) return { generation, vector: outcome.vector };
  throw outcome?.error ?? new VarveError('CORRUPT', 'The embedder returned nothing for a text.');
}

// Semantic vectors of many texts that are kept apart from memories: passages of turns.

/** Returns null if no embedder captures meaning: hashed vectors add nothing to the words. */
async function embedPassages(
  { ports, vectors }: ProviderParts,
  call: Call,
  texts: readonly string[],
): Promise<EmbeddedPassages | null> {
  const { active } = await generationsToSearch(ports, call);
  const { name: generation, embedder } = active;
  if (embedder === null || embedder.quality === 'keyword') return null;
  const { digest } = ports.platform;
  const asked = texts.map((content) => ({ content, contentHash: contentHash(digest, content) }));
  const outcomes = await vectors.passages(call, embedder, asked);
  return { generation, vectors: outcomes.map((each) => (each.ok ? each.vector : null)) };
}
