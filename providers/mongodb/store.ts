/** The store over MongoDB, or any server that speaks its protocol. */
import type { Platform } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import type { Scope } from '#core/scope.ts';
import type { MemorySearch } from '#store/memory-search.ts';
import { MEMORIES, scopeKeyOf, SCOPES } from '#store/kinds.ts';
import { openStore } from '#store/open-store.ts';

import { Connection, type ConnectionOptions } from './connection.ts';
import { MongoDriver } from './driver.ts';
import { vectorRecords } from './generations.ts';
import { storeHealth } from './health.ts';
import { listMemories } from './list.ts';
import {
  analyseMemories,
  memoryDocuments,
  memoryForm,
  type MemoryDocuments,
} from './memory-documents.ts';
import { nearestMemories } from './nearest.ts';
import type { DocumentForm } from './record-documents.ts';
import { ensureIndexes, putSchemaVersion, SCHEMA_VERSION } from './schema.ts';
import { SEARCH_BOUNDS, type SearchBounds } from './search/search-bounds.ts';
import { createScopeIndexes } from './search/scope-indexes.ts';
import { searchScope } from './search/search.ts';
import {
  openVectorSearch,
  type VectorSearch,
  type VectorSearchOptions,
} from './vector-index/vector-search.ts';
import type { VectorForm } from './vectors.ts';

export interface MongoStoreOptions extends ConnectionOptions {
  readonly platform: Platform;
  readonly analyzer: TextAnalyzer;
  /** Bounds of searches that differ from `SEARCH_BOUNDS`. */
  readonly bounds?: Partial<SearchBounds> | undefined;
  /** Which vector indexes are made at open, where the deployment has vector search. */
  readonly vectorSearch?:
    | Partial<Pick<VectorSearchOptions, 'clock' | 'generations' | 'pause'>>
    | undefined;
}

/**
 * Opens the store, making what indexes are missing and analysing what another analyzer analysed.
 * @throws VarveError PROVIDER_ERROR, PROVIDER_REJECTED, INVALID_INPUT, TIMEOUT
 */
export async function openMongoStore(options: MongoStoreOptions): Promise<Store> {
  const { platform, analyzer } = options;
  const { log, clock } = platform;
  const connection = await Connection.open(options);
  try {
    const found = await ensureIndexes(connection);
    const analysed = await analyseMemories(connection, analyzer);
    if (analysed > 0) log.info({ analysed }, 'analyzed memories for search with a new analyzer');
    if (found < SCHEMA_VERSION) await putSchemaVersion(connection, clock);
    if (!connection.capabilities.replicated) {
      log.warn({}, 'MongoDB runs as one server: what is lost with its disk is lost.');
    }
    const memories = memoryDocuments(connection);
    const given = { clock, ...options.vectorSearch };
    // Known once the deployment was asked, before anything is written.
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
  /** Whatever a commit of the scopes left unfinished is finished first. */
  const finished = async (scopes: readonly Scope[]): Promise<void> => {
    await Promise.all(scopes.map((scope) => driver.anchor(SCOPES, scopeKeyOf(scope))));
  };
  const tables = { memories, driver, clock, bounds, indexes, vectorLeg: search.leg };
  return {
    async list(tenant, query) {
      await finished(query.scopes);
      return listMemories(memories, tenant, query);
    },
    search: (scope, query) => searchScope(tables, scope, query),
    async nearest(scopes, query) {
      await finished(scopes);
      return nearestMemories(memories, scopes, query);
    },
    ...vectorRecords(memories),
  };
}
