/** Opens the store over a driver: every family of records, and operations that span all of them. */
import type { Platform } from '#core/ports/platform.ts';
import type { ErasureRequest, ErasureStep, Store } from '#core/ports/store.ts';
import { requireErasable } from '#core/policy/policy-ownership.ts';

import { accountRecords } from './accounts.ts';
import { apiKeyRecords } from './api-keys.ts';
import { auditRecords } from './audit.ts';
import { answerRecords } from './answers.ts';
import { documentRecords, subjectRecords } from './documents.ts';
import { dreamScheduleRecords, proposalRecords } from './dreams.ts';
import { equal, type Driver } from './driver.ts';
import { embeddingRecords } from './embeddings.ts';
import { erasureRecords } from './erasures.ts';
import { eventRecords } from './events.ts';
import { idempotencyRecords } from './idempotency.ts';
import { ERASURE_RECEIPTS, ERASURES, FENCES, KINDS, POLICIES } from './database-schema.ts';
import { memoryRecords } from './memories.ts';
import type { MemorySearch } from './memory-search.ts';
import { modelProviderRecords, policyRecords } from './policies.ts';
import { hasTenant, type AnyKind } from './record-kind.ts';
import { reviewRecords } from './reviews.ts';
import { scopeRecords, storageSizes } from './scopes.ts';
import { segmentRecords } from './segments.ts';
import { sessionRecords } from './sessions.ts';
import type { StoreParts } from './store-parts.ts';
import { summaryRecords } from './summaries.ts';
import { Transactor } from './concurrent-writes.ts';
import { turnRecords } from './turns.ts';
import { variantRecords } from './variants.ts';
import { refreshRequestRecords } from './refresh-requests.ts';

export interface StoreOptions extends Pick<Store, 'capabilities' | 'health' | 'rewriteFiles'> {
  readonly driver: Driver;
  readonly search: MemorySearch;
  readonly platform: Platform;
  /** Other kinds that the driver keeps per tenant, beyond those of the store. */
  readonly driverKinds?: readonly AnyKind[];
  close(): Promise<void>;
}

/** Kinds of a tenant's records except its policy, which is deleted last. */
const OF_TENANT: readonly AnyKind[] = (KINDS as readonly AnyKind[]).filter(
  (kind) => hasTenant(kind) && kind.name !== POLICIES.name,
);

const RECEIPTS: ReadonlySet<string> = new Set([ERASURES.name, ERASURE_RECEIPTS.name]);

export function openStore(options: StoreOptions): Store {
  const { driver, search, platform, capabilities, health, driverKinds = [] } = options;
  const { rewriteFiles } = options;
  const { digest, log, clock, newId } = platform;
  const parts: StoreParts = {
    driver,
    transactor: new Transactor({ driver, newId, random: Math.random }),
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
    erasures: erasureRecords({ ...parts, memories, driverKinds }, digest),
    capabilities,
    storageSizes: (limit) => storageSizes(parts, limit),
    eraseTenant: (tenant, request) =>
      eraseTenant(parts, [...OF_TENANT, ...driverKinds], tenant, request),
    rewriteFiles,
    health,
    [Symbol.asyncDispose]: () => options.close(),
  };
}

async function eraseTenant(
  { driver }: StoreParts,
  kinds: readonly AnyKind[],
  tenant: string,
  { limit, by, keepsPolicy = false, keepsReceipts = false }: ErasureRequest,
): Promise<ErasureStep> {
  const where = equal({ tenant });
  const going = keepsReceipts ? kinds.filter(({ name }) => !RECEIPTS.has(name)) : kinds;
  let deleted = 0;
  // A reader may complete a commit whose records were erased before its anchor, so repeat until a
  // pass finds nothing.
  for (let before = -1; deleted > before;) {
    before = deleted;
    for (const kind of going) {
      if (deleted >= limit) return { deleted, isDone: false };
      // Check each time, since what another owner writes meanwhile is theirs.
      if (by !== undefined) await requireErasableBy(driver, tenant, by);
      deleted += await driver.erase(kind, where, limit - deleted);
    }
  }
  if (keepsPolicy) return { deleted, isDone: true };
  if (by !== undefined) await requireErasableBy(driver, tenant, by);
  return { deleted: deleted + (await driver.erase(POLICIES, where, 1)), isDone: true };
}

async function requireErasableBy(
  driver: Driver,
  tenant: string,
  by: NonNullable<ErasureRequest['by']>,
): Promise<void> {
  const [record, fence] = await Promise.all([
    driver.get(POLICIES, [tenant]),
    driver.get(FENCES, [by.owner.cluster]),
  ]);
  requireErasable({ record, fence: fence?.epoch ?? 0 }, by);
}
