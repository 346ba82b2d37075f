/** The memory provider over any store and embedder (core/ports/memory-provider.ts). */
import type {
  CallOptions,
  MemoryProvider,
  ProviderCapabilities,
  ProviderHealth,
} from '#core/ports/memory-provider.ts';
import { CONTENT_LENGTH_MAX } from '#core/records/memory.ts';
import { SEARCH_MODES } from '#core/search/scope-search.ts';
import { addMemory, bulkAdd } from './add.ts';
import { createBackfill } from './backfill.ts';
import { createCalibrations } from './calibrations.ts';
import { bulkDelete, deleteMemory, guardOf } from './delete.ts';
import { embedOne } from './embed-one.ts';
import { embedPassages } from './embed-passages.ts';
import { createKeySweep } from './key-sweep.ts';
import { createLifetime } from './lifetime.ts';
import { listMemories } from './list.ts';
import { runCall, type Call, type Operation } from './operation.ts';
import type { EngineParts } from './parts.ts';
import type { EnginePorts } from './ports.ts';
import { searchMemories } from './search.ts';
import { updateMemory } from './update.ts';
import { createVectors } from './vectors.ts';

/** How long the end of a provider waits for calls under way. */
const SHUTDOWN_MS_MAX = 10_000;

const OWN: CallOptions = { by: 'varve' };

export function createMemoryProvider(ports: EnginePorts): MemoryProvider {
  const parts = partsOf(ports);
  const { store } = ports;
  const life = createStart(parts);
  const run = async <T>(
    operation: Operation,
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
    backfill: (tenant, options) =>
      run('backfill', { tenant, options }, async (call) => ({
        embedded: await parts.backfill.run(call),
      })),
  };
}

function partsOf(ports: EnginePorts): EngineParts {
  const lifetime = createLifetime();
  const vectors = createVectors(ports, lifetime.signal);
  return {
    ports,
    lifetime,
    vectors,
    calibrations: createCalibrations(ports, lifetime.signal),
    backfill: createBackfill(ports, { vectors, lifetime }),
    keySweep: createKeySweep(ports, lifetime),
  };
}

/** The beginning and the end, each once; a beginning that failed may be tried again. */
function createStart({ ports, lifetime }: EngineParts) {
  const { store, timers } = ports;
  let begun: Promise<void> | null = null;
  let ended: Promise<void> | null = null;
  const begin = async (): Promise<void> => {
    try {
      // Any read shows whether the store answers; its health takes a look at everything.
      await store.embeddings.calibration(ports.embedders.configured.generation);
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

async function healthOf({ store }: EnginePorts): Promise<ProviderHealth> {
  const { ok, engine, findings } = await store.health();
  return { ok, engine, findings };
}

function capabilitiesOf({ store, embedders }: EnginePorts): ProviderCapabilities {
  const { vectorSearch, ...rest } = store.capabilities;
  const { dimensions, generation } = embedders.configured;
  return {
    ...rest,
    vectorSearch: true,
    vectorSearchMethod: vectorSearch,
    embeddingDimensions: dimensions,
    embeddingGeneration: generation,
    modes: SEARCH_MODES,
    contentLengthMax: CONTENT_LENGTH_MAX,
  };
}
