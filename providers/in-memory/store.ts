/** The whole store in memory, for tests and for what may be forgotten when its process ends. */
import type { Layer } from '#core/layer.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { StorageSize, Store, StoreCapabilities } from '#core/ports/store.ts';
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';

import { accountRecords } from './accounts.ts';
import { answerRecords } from './answers.ts';
import { openDatabase, type Faults, type Tables } from './database.ts';
import { documentRecords } from './documents.ts';
import { dreamScheduleRecords } from './dream-schedules.ts';
import { embeddingRecords } from './embeddings.ts';
import { erasure } from './erasure.ts';
import { eventRecords } from './events.ts';
import { idempotencyRecords } from './idempotency.ts';
import { memoryRecords } from './memories.ts';
import { modelProviderRecords } from './model-providers.ts';
import { policyRecords } from './policies.ts';
import { proposalRecords } from './proposals.ts';
import { emptyContents, type Contents } from './rows.ts';
import { scopeIndexes } from './scope-indexes.ts';
import { scopeRecords } from './scopes.ts';
import { segmentRecords } from './segments.ts';
import { subjectRecords } from './subjects.ts';
import { summaryRecords } from './summaries.ts';
import { turnRecords } from './turns.ts';
import { variantRecords } from './variants.ts';
import { wakeRecords } from './wakes.ts';

const SCHEMA_VERSION = 1;

const CAPABILITIES: StoreCapabilities = {
  engine: 'in-memory',
  vectorSearch: 'Exact',
  distanceMetrics: ['cosine'],
  bulkOperations: true,
  transactions: true,
};

export interface InMemoryStoreOptions {
  readonly platform: Platform;
  readonly analyzer: TextAnalyzer;
  /** What another store left; nothing by default. Two open stores must not share it. */
  readonly contents?: Contents;
  readonly faults?: Faults;
}

/**
 * Opens a store that keeps what it is given in this process. Every call is one transaction; what
 * goes in and out is copied, so that no caller can change what is kept.
 */
export async function openInMemoryStore({
  platform,
  analyzer,
  contents = emptyContents(),
  faults = {},
}: InMemoryStoreOptions): Promise<Store> {
  const indexes = scopeIndexes(analyzer);
  const database = openDatabase(contents, faults, indexes.onMemories);
  const { tables } = database;
  const writing = { tables, digest: platform.digest };
  return {
    memories: memoryRecords(database, writing, indexes.over(tables)),
    turns: turnRecords(database, platform.digest),
    scopes: scopeRecords(database),
    summaries: summaryRecords(database),
    segments: segmentRecords(database),
    variants: variantRecords(database),
    accounts: accountRecords(database, platform.log),
    answers: answerRecords(database),
    policies: policyRecords(database),
    modelProviders: modelProviderRecords(database),
    wakes: wakeRecords(database, platform.clock),
    events: eventRecords(database),
    idempotency: idempotencyRecords(database),
    embeddings: embeddingRecords(database),
    documents: documentRecords(database),
    subjects: subjectRecords(database),
    dreamSchedules: dreamScheduleRecords(database),
    proposals: proposalRecords(database),
    capabilities: CAPABILITIES,
    eraseTenant: erasure(database),
    storageSizes: (limit) => database.read(() => sizesOf(tables).slice(0, limit)),
    health: () =>
      database.read(() => {
        return { ok: true, engine: 'in memory', schemaVersion: SCHEMA_VERSION, findings: [] };
      }),
    async [Symbol.asyncDispose]() {
      database.close();
    },
  };
}

function sizesOf(tables: Tables): readonly StorageSize[] {
  const sums = new Map<string, StorageSize>();
  for (const { tenant, layer, sourceBytes, sourceCount } of tables.scopes.all()) {
    const name = nameOf(tenant, layer);
    const { bytes, sources } = sums.get(name) ?? { bytes: 0, sources: 0 };
    const sum = { bytes: bytes + sourceBytes, sources: sources + sourceCount };
    sums.set(name, { tenant, layer, ...sum });
  }
  return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, size]) => size);
}

function nameOf(tenant: string, layer: Layer): string {
  return `${tenant}/${layer}`;
}
