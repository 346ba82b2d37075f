/** The store over MongoDB, or any server that speaks its protocol. */
import type { Platform } from '#core/ports/platform.ts';
import type { Store, StoreHealth } from '#core/ports/store.ts';
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import type { MemorySearch } from '#store/memory-search.ts';
import type { FileTraces } from '#core/records/erasure.ts';
import { VarveError } from '#core/errors.ts';
import { KINDS, MEMORIES, scopeKeyOf, SCOPES } from '#store/record-kinds-and-indexes.ts';
import { openStore } from '#store/open-store.ts';
import { schemaFindings } from '#store/record-and-schema-checks.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { MongoDriver } from './driver.ts';
import { vectorRecords } from './missing-vectors.ts';
import {
  analyseMemories,
  memoryDocuments,
  memoryForm,
  type MemoryDocuments,
  decodeMemory,
  type VectorForm,
} from './memory-documents.ts';
import type { DocumentForm } from './record-documents.ts';
import {
  ensureIndexes,
  putSchemaVersion,
  SCHEMA_VERSION,
  INDEXES,
  schemaVersion,
} from './collections-and-indexes.ts';
import { SEARCH_BOUNDS, type SearchBounds } from './search/search-bounds.ts';
import { createScopeIndexes } from './search/scope-indexes.ts';
import { searchScope } from './search/search-scope.ts';
import {
  openVectorSearch,
  type VectorSearch,
  type VectorSearchOptions,
} from './vector-index/vector-search.ts';
import { COMMAND_MS_MAX } from './connection-settings.ts';
import type { ListQuery, MemoryPage } from '#core/ports/memory-records.ts';
import { scopeFilter, conditionsFilter } from './filter-condition.ts';

export interface MongoStoreOptions extends ConnectionOptions {
  readonly platform: Platform;
  readonly analyzer: TextAnalyzer;
  /** Bounds of searches that differ from `SEARCH_BOUNDS`. */
  readonly bounds?: Partial<SearchBounds> | undefined;
  /** Which vector indexes to make at open, if the deployment has vector search. */
  readonly vectorSearch?:
    | Partial<Pick<VectorSearchOptions, 'clock' | 'generations' | 'pause'>>
    | undefined;
}

/**
 * Opens the store, makes missing indexes, and analyzes memories of another analyzer again.
 * @throws VarveError PROVIDER_ERROR, PROVIDER_REJECTED, INVALID_INPUT, TIMEOUT
 */
export async function openMongoStore(options: MongoStoreOptions): Promise<Store> {
  const { platform, analyzer } = options;
  const { log, clock } = platform;
  const connection = await Connection.open(options);
  try {
    const found = await ensureIndexes(connection);
    const analyzed = await analyseMemories(connection, analyzer);
    if (analyzed > 0) log.info({ analyzed }, 'analyzed memories for search with a new analyzer');
    if (found < SCHEMA_VERSION) await putSchemaVersion(connection, clock);
    if (!connection.isReplicated) {
      log.warn({}, 'MongoDB runs as a single server: losing its disk loses the data');
    }
    const memories = memoryDocuments(connection);
    const given = { clock, ...options.vectorSearch };
    // Set once the deployment has answered, before anything is written.
    const vectors: { form: VectorForm } = { form: 'Bytes' };
    const form = memoryForm(analyzer, () => vectors.form);
    const forms = new Map([[MEMORIES.name, form as unknown as DocumentForm<never>]]);
    const driver = new MongoDriver({ connection, clock, forms });
    const search = await openVectorSearch({ connection, memories, driver, log, ...given });
    vectors.form = search.form;
    return openStore({
      driver,
      search: memorySearch({ driver, memories, search }, options),
      platform,
      capabilities: {
        engine: 'mongodb',
        vectorSearch: search.leg === undefined ? 'Exact' : 'Index',
        distanceMetrics: ['cosine'],
        bulkOperations: true,
      },
      async rewriteFiles() {
        await driver.idle();
        return rewriteFiles(connection);
      },
      health: () => storeHealth(connection, () => search.findings()),
      async close() {
        await driver.idle();
        await connection.close();
      },
    });
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Timeout for compacting one collection. */
const COMPACT_MS_MAX = 60_000;

interface SearchParts {
  readonly driver: MongoDriver;
  readonly memories: MemoryDocuments;
  readonly search: VectorSearch;
}

function memorySearch(
  { driver, memories, search }: SearchParts,
  { bounds: differing, platform: { clock } }: MongoStoreOptions,
): MemorySearch {
  const bounds = { ...SEARCH_BOUNDS, ...differing };
  const indexes = createScopeIndexes({ memories, driver, clock, bounds });
  const tables = { memories, driver, clock, bounds, indexes, vectorLeg: search.leg };
  return {
    async list(tenant, query) {
      // First finish whatever a commit of the scopes left unfinished.
      await Promise.all(query.scopes.map((scope) => driver.anchor(SCOPES, scopeKeyOf(scope))));
      return listMemories(memories, tenant, query);
    },
    search: (scope, query) => searchScope(tables, scope, query),
    ...vectorRecords(memories),
  };
}

/**
 * Asks the server to free the space of deleted data. The server does not overwrite it, and keeps
 * its journal and oplog for a while, out of reach of clients.
 */
async function rewriteFiles(connection: Connection): Promise<FileTraces> {
  let rewritten = true;
  for (const { name } of KINDS) {
    try {
      await connection.run(`${name}.compact`, (database) =>
        database.command({ compact: name, maxTimeMS: COMPACT_MS_MAX }),
      );
    } catch (error) {
      // The server or the user may not compact: the receipt says so.
      if (!(error instanceof VarveError) || error.code === 'CANCELLED') throw error;
      rewritten = false;
    }
  }
  return { engine: 'mongodb', rewritten, remains: ['FreedBlocks', 'Journal', 'Oplog'] };
}

// Checks whether the database answers and has what Varve needs, and says how to fix it.

/** `others` returns findings besides those on indexes and schema. */
async function storeHealth(
  connection: Connection,
  others: () => Promise<string[]>,
): Promise<StoreHealth> {
  const { version } = await connection.run('buildInfo', (database) =>
    database.command({ buildInfo: 1, maxTimeMS: COMMAND_MS_MAX }),
  );
  const found = await schemaVersion(connection);
  const schema = schemaFindings(found, SCHEMA_VERSION);
  const findings = [...(await missingIndexes(connection)), ...schema, ...(await others())];
  const engine = `MongoDB ${String(version)}`;
  return { ok: findings.length === 0, engine, schemaVersion: found, findings };
}

async function missingIndexes(connection: Connection): Promise<string[]> {
  const findings: string[] = [];
  for (const [name, indexes] of Object.entries(INDEXES)) {
    const listed = await connection.run(`${name}.listIndexes`, (database) =>
      database.collection(name).listIndexes({ maxTimeMS: COMMAND_MS_MAX }).toArray(),
    );
    const names = new Set(listed.map((each: { name?: unknown }) => each.name));
    for (const { name: wanted } of indexes) {
      if (names.has(wanted)) continue;
      findings.push(
        `The index ${name}.${String(wanted)} is missing. Restart Varve, which makes it.`,
      );
    }
  }
  return findings;
}

/** Lists memories; every condition is part of the query, before its limit. */
async function listMemories(
  memories: MemoryDocuments,
  tenant: string,
  { scopes, conditions, order, after, limit }: ListQuery,
): Promise<MemoryPage> {
  if (scopes.length === 0) return { memories: [], more: false, total: 0 };
  const places = scopes.map(({ layer, scopeId }) => ({ 'c.layer': layer, 'c.scopeId': scopeId }));
  const [only] = scopes;
  const within =
    only !== undefined && scopes.length === 1
      ? scopeFilter({ ...only, tenant })
      : { '_id.tenant': tenant, $or: places };
  const all = { ...within, ...conditionsFilter(conditions) };
  const isOldest = order === 'oldest';
  const beyond = after === null ? {} : { '_id.id': isOldest ? { $gt: after } : { $lt: after } };
  const sort = { '_id.id': isOldest ? 1 : -1 } as const;
  const found = await memories.select({ ...all, ...beyond }, { sort, limit: limit + 1 });
  const total = await memories.count(all);
  const page = found.slice(0, limit).flatMap((document) => decodeMemory(document) ?? []);
  return { memories: page, more: found.length > limit, total };
}
