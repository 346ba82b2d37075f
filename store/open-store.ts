/** Opens the store over a driver: every kind of record, and operations that span all of them. */
import type { Platform } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import { accountRecords } from './budget-accounts.ts';
import { answerRecords } from './paid-answers.ts';
import { apiKeyRecords } from './api-keys.ts';
import { auditRecords, eventRecords } from './events-and-audit.ts';
import { ConcurrentWrites } from './retry-concurrent-writes.ts';
import { documentRecords, subjectRecords } from './documents.ts';
import { dreamScheduleRecords, proposalRecords } from './dreams.ts';
import type { AnyKind, Driver } from './storage-driver.ts';
import { embeddingRecords } from './embeddings.ts';
import { eraseTenant, OF_TENANT } from './erasure/erase-tenant.ts';
import { erasureRecords } from './erasures.ts';
import { idempotencyRecords } from './idempotency.ts';
import { memoryRecords } from './memories.ts';
import type { MemorySearch } from './memory-search.ts';
import { modelProviderRecords, policyRecords } from './policies.ts';
import { refreshRequestRecords } from './refresh-requests.ts';
import { reviewRecords } from './reviews.ts';
import { scopeRecords, storageSizes } from './scopes.ts';
import { segmentRecords, summaryRecords } from './summaries-and-segments.ts';
import { sessionRecords, turnRecords } from './sessions-and-turns.ts';
import type { StoreParts } from './store-parts.ts';
import { variantRecords } from './variants.ts';

interface StoreOptions extends Pick<Store, 'capabilities' | 'health' | 'rewriteFiles'> {
  readonly driver: Driver;
  readonly search: MemorySearch;
  readonly platform: Platform;
  /** Other kinds that the driver keeps per tenant, in addition to the store's own. */
  readonly driverKinds?: readonly AnyKind[];
  close(): Promise<void>;
}

export function openStore(options: StoreOptions): Store {
  const { driver, search, platform, capabilities, health, driverKinds = [] } = options;
  const { rewriteFiles } = options;
  const { digest, log, clock, newId } = platform;
  const parts: StoreParts = {
    driver,
    writes: new ConcurrentWrites({ driver, newId, random: Math.random }),
  };
  const memories = memoryRecords(parts, digest, search);
  return {
    memories,
    turns: turnRecords(parts, digest),
    reviews: reviewRecords(parts, digest),
    sessions: sessionRecords(parts),
    scopes: scopeRecords(parts),
    summaries: summaryRecords(parts),
    segments: segmentRecords(parts),
    variants: variantRecords(parts),
    accounts: accountRecords(parts, log),
    answers: answerRecords(parts),
    policies: policyRecords(parts),
    modelProviders: modelProviderRecords(parts),
    refreshRequests: refreshRequestRecords(parts, clock),
    events: eventRecords(parts),
    audit: auditRecords(parts),
    apiKeys: apiKeyRecords(parts),
    idempotency: idempotencyRecords(parts),
    embeddings: embeddingRecords(parts, search),
    documents: documentRecords(parts),
    subjects: subjectRecords(parts),
    dreamSchedules: dreamScheduleRecords(parts),
    proposals: proposalRecords(parts),
    erasures: erasureRecords({ ...parts, memories, driverKinds, digest }),
    capabilities,
    storageSizes: (limit) => storageSizes(parts, limit),
    eraseTenant: (tenant, request) =>
      eraseTenant(parts, [...OF_TENANT, ...driverKinds], tenant, request),
    rewriteFiles,
    health,
    [Symbol.asyncDispose]: () => options.close(),
  };
}
