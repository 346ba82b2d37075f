/** The store over one MongoDB database: any number of processes and hosts may share it. */
import type { Platform } from '#core/ports/platform.ts';
import type { Store, StoreCapabilities } from '#core/ports/store.ts';
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';

import { accountRecords, settleLedger, type AccountDocument } from './accounts.ts';
import { answerRecords, type AnswerDocument } from './answers.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { documentRecords, type DocumentDocument } from './documents.ts';
import { dreamScheduleRecords, type DreamScheduleDocument } from './dream-schedules.ts';
import { embeddingRecords, type CalibrationDocument, type StateDocument } from './embeddings.ts';
import { erasure } from './erasure.ts';
import { eventRecords, type EventDocument } from './events.ts';
import { storeHealth } from './health.ts';
import { idempotencyRecords, type IdempotencyDocument } from './idempotency.ts';
import { createInTurn } from './in-turn.ts';
import type { FenceDocument } from './fences.ts';
import type { LedgerDocument } from './ledger.ts';
import { memoryRecords } from './memories.ts';
import type { MemoryDocument } from './memory-document.ts';
import type { ChangeDocument } from './memory-history.ts';
import { analyseMemories, migrateScopes } from './migration.ts';
import { modelProviderRecords, type ModelProviderDocument } from './model-providers.ts';
import { policyRecords, type PolicyDocument } from './policies.ts';
import { proposalRecords, type ProposalDocument } from './proposals.ts';
import { ensureIndexes, putSchemaVersion, SCHEMA_VERSION } from './schema.ts';
import type { ScopeDocument } from './scope-document.ts';
import { scopeRecords } from './scopes.ts';
import { SEARCH_BOUNDS, type SearchBounds } from './search/search-bounds.ts';
import { createScopeIndexes } from './search/scope-indexes.ts';
import { segmentRecords, type SegmentDocument } from './segments.ts';
import { storageSizes } from './storage-size.ts';
import { subjectRecords, type SubjectDocument } from './subjects.ts';
import { summaryRecords } from './summaries.ts';
import type { SummaryDocument } from './summary-document.ts';
import { settleWrites } from './settle.ts';
import { openTable } from './table.ts';
import type { TurnChunk } from './turn-chunk.ts';
import { turnRecords } from './turns.ts';
import { tellTurns, untoldFindings } from './untold-turns.ts';
import { variantRecords, type VariantDocument } from './variants.ts';
import {
  openVectorSearch,
  type VectorSearch,
  type VectorSearchOptions,
} from './vector-index/vector-search.ts';
import { wakeRecords, type WakeDocument } from './wakes.ts';

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
 * Opens the store, making what indexes are missing and analysing what another analyzer analysed. No
 * transaction over several documents is used.
 * @throws VarveError PROVIDER_ERROR, PROVIDER_REJECTED, INVALID_INPUT, TIMEOUT
 */
export async function openMongoStore(options: MongoStoreOptions): Promise<Store> {
  const { platform, analyzer } = options;
  const connection = await Connection.open(options);
  try {
    const found = await ensureIndexes(connection);
    const tables = tablesOf(connection);
    if (found > 0 && found < SCHEMA_VERSION) await migrateScopes(tables);
    await tellTurns(tables.turns);
    const analysed = await analyseMemories(tables, analyzer);
    if (analysed > 0) platform.log.info({ analysed }, 'Memories were analysed anew for search.');
    if (found < SCHEMA_VERSION) await putSchemaVersion(connection, platform.clock);
    if (!connection.capabilities.replicated) {
      platform.log.warn({}, 'MongoDB runs as one server: what is lost with its disk is lost.');
    }
    const { log, clock } = platform;
    const given = { clock, ...options.vectorSearch };
    const search = await openVectorSearch({ connection, ...tables, log, ...given });
    return storeOver({ connection, tables, search }, options);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

type Tables = ReturnType<typeof tablesOf>;

function tablesOf(connection: Connection) {
  return {
    scopes: openTable<ScopeDocument>(connection, 'scopes'),
    summaries: openTable<SummaryDocument>(connection, 'summaries'),
    segments: openTable<SegmentDocument>(connection, 'segments'),
    variants: openTable<VariantDocument>(connection, 'variants'),
    memories: openTable<MemoryDocument>(connection, 'memories'),
    changes: openTable<ChangeDocument>(connection, 'memoryChanges'),
    turns: openTable<TurnChunk>(connection, 'turns'),
    events: openTable<EventDocument>(connection, 'events'),
    wakes: openTable<WakeDocument>(connection, 'wakes'),
    policies: openTable<PolicyDocument>(connection, 'policies'),
    fences: openTable<FenceDocument>(connection, 'policyFences'),
    modelProviders: openTable<ModelProviderDocument>(connection, 'modelProviders'),
    states: openTable<StateDocument>(connection, 'embeddingStates'),
    calibrations: openTable<CalibrationDocument>(connection, 'calibrations'),
    documents: openTable<DocumentDocument>(connection, 'documents'),
    subjects: openTable<SubjectDocument>(connection, 'subjects'),
    dreamSchedules: openTable<DreamScheduleDocument>(connection, 'dreamSchedules'),
    proposals: openTable<ProposalDocument>(connection, 'proposals'),
  };
}

interface Parts {
  readonly connection: Connection;
  readonly tables: Tables;
  readonly search: VectorSearch;
}

function storeOver({ connection, tables, search }: Parts, options: MongoStoreOptions): Store {
  const { platform, analyzer } = options;
  const { form: vectorForm, leg: vectorLeg } = search;
  const { digest, newId, log, clock } = platform;
  const bounds = { ...SEARCH_BOUNDS, ...options.bounds };
  const own = { inTurn: createInTurn(), batches: new Map() };
  const written = { ...tables, ...own, digest, newId, clock, analyzer, vectorForm };
  const accounts = {
    accounts: openTable<AccountDocument>(connection, 'accounts'),
    ledger: openTable<LedgerDocument>(connection, 'ledger'),
    log,
  };
  const answers = openTable<AnswerDocument>(connection, 'answers');
  const keys = openTable<IdempotencyDocument>(connection, 'idempotency');
  const indexes = createScopeIndexes({ ...tables, bounds });
  return {
    memories: memoryRecords({ ...written, bounds, indexes, vectorLeg }),
    turns: turnRecords(written),
    scopes: scopeRecords({
      ...written,
      settleLedger: (tenant, now) => settleLedger(accounts, tenant, now),
    }),
    summaries: summaryRecords(written),
    segments: segmentRecords(tables.segments),
    variants: variantRecords(tables),
    accounts: accountRecords(accounts),
    answers: answerRecords(answers),
    policies: policyRecords(tables),
    modelProviders: modelProviderRecords(tables),
    wakes: wakeRecords(tables.wakes, clock),
    events: eventRecords(tables.events),
    idempotency: idempotencyRecords(keys),
    embeddings: embeddingRecords(written),
    documents: documentRecords(written),
    subjects: subjectRecords(tables.subjects),
    dreamSchedules: dreamScheduleRecords(tables.dreamSchedules),
    proposals: proposalRecords(tables.proposals),
    capabilities: capabilitiesWith(search),
    eraseTenant: erasure({
      others: [
        tables.summaries,
        tables.variants,
        tables.segments,
        tables.memories,
        tables.changes,
        tables.turns,
        tables.documents,
        tables.proposals,
        tables.subjects,
        tables.dreamSchedules,
        answers,
        accounts.ledger,
        accounts.accounts,
        tables.wakes,
        tables.events,
        keys,
        tables.states,
      ],
      scopes: tables.scopes,
      policies: tables.policies,
      fences: tables.fences,
      settle: (tenant, now) => settleWrites(written, tenant, now),
    }),
    storageSizes: (limit) => storageSizes(tables.scopes, limit),
    health: () => storeHealth(connection, () => findingsOf(tables, search)),
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

async function findingsOf({ turns }: Tables, search: VectorSearch): Promise<string[]> {
  return [...(await search.findings()), ...(await untoldFindings(turns))];
}

function capabilitiesWith({ leg }: VectorSearch): StoreCapabilities {
  return {
    engine: 'mongodb',
    vectorSearch: leg === undefined ? 'Exact' : 'Index',
    distanceMetrics: ['cosine'],
    bulkOperations: true,
    transactions: false,
  };
}
