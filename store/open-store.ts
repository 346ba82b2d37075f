/**
 * Opens the store over a driver: every family of records, the short ones here, and operations that
 * span all of them.
 */
import type { Platform, Clock } from '#core/ports/platform.ts';
import type {
  Store,
  EventRecords,
  AuditRecords,
  ApiKeyRecords,
  RefreshRequest,
  RefreshRequestRecords,
  SessionRecords,
  IdempotencyClaim,
  IdempotencyRecords,
  AnswerRecords,
  ErasureRequest,
  ErasureStep,
} from '#core/ports/store.ts';

import { accountRecords } from './accounts.ts';
import { documentRecords, subjectRecords } from './documents.ts';
import { dreamScheduleRecords, proposalRecords } from './dreams.ts';
import { type Driver, type AnyKind, equal, hasTenant } from './driver.ts';
import { embeddingRecords } from './embeddings.ts';
import { erasureRecords } from './erasures.ts';
import { memoryRecords } from './memories.ts';
import type { MemorySearch } from './memory-search.ts';
import { modelProviderRecords, policyRecords } from './policies.ts';
import { reviewRecords } from './reviews.ts';
import { scopeRecords, storageSizes } from './scopes.ts';
import { segmentRecords } from './segments.ts';
import { type StoreParts, tenantsBy } from './store-parts.ts';
import { summaryRecords } from './summaries.ts';
import { ConcurrentWrites } from './concurrent-writes.ts';
import { turnRecords } from './turns.ts';
import { variantRecords } from './variants.ts';
import {
  EVENTS,
  AUDIT_ENTRIES,
  API_KEYS,
  REFRESH_REQUESTS,
  SESSIONS,
  IDEMPOTENCY,
  ANSWERS,
  ERASURE_RECEIPTS,
  ERASURES,
  FENCES,
  KINDS,
  POLICIES,
} from './database-schema.ts';
import { KEYS_MAX } from '#core/records/api-key.ts';
import type { RefreshRequestRecord } from '#core/records/refresh-request.ts';
import { IDEMPOTENCY_MS, type IdempotencyRecord } from '#core/records/idempotency.ts';
import type { StoredAnswer } from '#core/records/stored-answer.ts';
import { requireErasable } from '#core/policy/policy-ownership.ts';

interface StoreOptions extends Pick<Store, 'capabilities' | 'health' | 'rewriteFiles'> {
  readonly driver: Driver;
  readonly search: MemorySearch;
  readonly platform: Platform;
  /** Other kinds that the driver keeps per tenant, beyond those of the store. */
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

/** Appending an event again changes nothing, so that a retry may. */
function eventRecords({ driver }: Pick<StoreParts, 'driver'>): EventRecords {
  return {
    async append(event) {
      await driver.insert(EVENTS, event);
    },
    list: (tenant, { afterId, limit }) =>
      driver.scan(EVENTS, {
        where: [...equal({ tenant }), ['id', '>', afterId ?? '']],
        limit,
      }),
  };
}

/** Records that one sweep forgets: a transaction that others wait for stays short. */
const SWEPT_MAX = 500;

/** The audit of a tenant: appended, read in order, and forgotten from its beginning. */
function auditRecords({ driver }: Pick<StoreParts, 'driver'>): AuditRecords {
  return {
    async append(entry) {
      await driver.insert(AUDIT_ENTRIES, entry);
    },
    list: (tenant, { order, after, since, limit }) =>
      driver.scan(AUDIT_ENTRIES, {
        where: [...equal({ tenant }), ['at', '>=', since]],
        order: ['id'],
        descending: order === 'newest',
        ...(after === null ? {} : { after: [after] }),
        limit,
      }),
    async tenants({ after, limit }) {
      const by = { index: 'byEnd', column: 'expiresAt' };
      const found = await tenantsBy(driver, AUDIT_ENTRIES, { ...by, after, limit });
      return found.map(({ group }) => group);
    },
    async sweep(tenant, { now, most }) {
      const ofTenant = equal({ tenant });
      const ended = await driver.erase(
        AUDIT_ENTRIES,
        [...ofTenant, ['expiresAt', '<=', now]],
        SWEPT_MAX,
      );
      const left = await driver.count(AUDIT_ENTRIES, ofTenant, most + SWEPT_MAX);
      if (left <= most) return ended;
      // The first by their keys, which are the oldest.
      return ended + (await driver.erase(AUDIT_ENTRIES, ofTenant, left - most));
    },
  };
}

/** Above what a tenant has, where several were added at the same moment. */
const LISTED_MAX = 2 * KEYS_MAX;

/** Keys of callers; nothing is kept of one that was revoked. */
function apiKeyRecords({ driver }: Pick<StoreParts, 'driver'>): ApiKeyRecords {
  return {
    async add(key) {
      const others = await driver.count(API_KEYS, equal({ tenant: key.tenant }));
      return others < KEYS_MAX && driver.insert(API_KEYS, key);
    },
    get: (tenant, id) => driver.get(API_KEYS, [tenant, id]),
    list: (tenant) => driver.scan(API_KEYS, { where: equal({ tenant }), limit: LISTED_MAX }),
    async remove(tenant, id) {
      const erased = await driver.erase(API_KEYS, equal({ tenant, id }), 1);
      return erased > 0;
    },
  };
}

/** Refresh requests: how many a tenant has made, and how many are acknowledged. */
function refreshRequestRecords(
  { driver, writes }: StoreParts,
  clock: Clock,
): RefreshRequestRecords {
  return {
    get: async (tenant) => requestOf(await driver.get(REFRESH_REQUESTS, [tenant])),
    want: (tenant) =>
      writes.run(REFRESH_REQUESTS, [tenant], ({ record, set }) => {
        const { wanted, acknowledged } = requestOf(record);
        const edge = wanted === acknowledged;
        const wantedAt = edge || record === null ? clock() : record.wantedAt;
        set({ tenant, wanted: wanted + 1, acknowledged, wantedAt });
        return { wanted: wanted + 1, acknowledged, edge };
      }),
    acknowledge: (tenant, seen) =>
      writes.run(REFRESH_REQUESTS, [tenant], ({ record, set }) => {
        if (requestOf(record).wanted !== seen) return false;
        if (record !== null) set({ ...record, acknowledged: seen });
        return true;
      }),
  };
}

function requestOf(record: RefreshRequestRecord | null): RefreshRequest {
  return { wanted: record?.wanted ?? 0, acknowledged: record?.acknowledged ?? 0 };
}

/** Sessions: the conversations of a tenant and their owners. */
function sessionRecords({ driver, writes }: StoreParts): SessionRecords {
  return {
    get: (tenant, sessionId) => driver.get(SESSIONS, [tenant, sessionId]),
    list: (tenant, { opener, after, limit }) =>
      driver.scan(SESSIONS, {
        index: 'byOpener',
        where: equal({ tenant, opener }),
        order: ['age', 'sessionId'],
        ...(after === null ? {} : { after: [-after.lastAt, after.sessionId] }),
        limit,
      }),
    async ofFlush(tenant, flushId) {
      const where = equal({ tenant, flushId });
      return (await driver.scan(SESSIONS, { index: 'byFlush', where, limit: 1 }))[0] ?? null;
    },
    dueFlushes: ({ tenant, now, limit }) =>
      driver.scan(SESSIONS, {
        where: [...equal({}, { tenant }), ['flushDueAt', '<=', now]],
        order: ['flushDueAt', 'tenant', 'sessionId'],
        limit,
      }),
    change: (tenant, sessionId, change) =>
      writes.run(SESSIONS, [tenant, sessionId], ({ record, set }) => {
        const changed = change(record);
        if (changed !== null) set(changed);
        return changed;
      }),
  };
}

type Claim = Parameters<IdempotencyRecords['claim']>[0];

/** Keys of calls: of equal calls one goes on, and the others get its answer. */
function idempotencyRecords({ driver, writes }: StoreParts): IdempotencyRecords {
  return {
    claim: (claim) =>
      writes.run(IDEMPOTENCY, [claim.tenant, claim.key], ({ record, set }) => {
        const decided = decideClaim(record, claim);
        if (decided.kind === 'New') set(claimed(claim));
        return decided;
      }),
    answer: (tenant, key, answer) =>
      writes.run(IDEMPOTENCY, [tenant, key], ({ record, set }) => {
        if (record !== null && !isAnswered(record)) set({ ...record, answer });
      }),
    release: (tenant, key, operationId) =>
      writes.run(IDEMPOTENCY, [tenant, key], ({ record, set }) => {
        if (record?.operationId === operationId && !isAnswered(record)) set(null);
      }),
    sweep: (tenant, now) =>
      driver.erase(IDEMPOTENCY, [...equal({ tenant }), ['expiresAt', '<=', now]], SWEPT_MAX),
  };
}

function decideClaim(known: IdempotencyRecord | null, claim: Claim): IdempotencyClaim {
  const { bodyHash, operationId, now } = claim;
  if (known === null || known.expiresAt <= now) return { kind: 'New', operationId };
  if (known.bodyHash !== bodyHash) return { kind: 'OtherBody' };
  if (isAnswered(known)) return { kind: 'Answered', answer: known.answer };
  return { kind: 'Unfinished', operationId: known.operationId, startedAt: known.startedAt };
}

function claimed({ tenant, key, bodyHash, operationId, now }: Claim): IdempotencyRecord {
  const expiresAt = now + IDEMPOTENCY_MS;
  return { tenant, key, bodyHash, operationId, startedAt: now, expiresAt, answer: null };
}

function isAnswered({ answer }: IdempotencyRecord): boolean {
  return answer !== null && answer !== undefined;
}

/** Answers of one batch: one for each call of it, and for each of their repetitions. */
const BATCH_ANSWERS_MAX = 10_000;

/** Paid answers, each under the attempt that paid for it. */
function answerRecords({ driver, writes }: StoreParts): AnswerRecords {
  const forgetText = ({ tenant, attemptId }: StoredAnswer): Promise<boolean> =>
    writes.run(ANSWERS, [tenant, attemptId], ({ record, set }) => {
      if (record === null) return false;
      set({ ...record, state: 'committed', text: null });
      return record.text !== null;
    });
  const ofBatch = async (tenant: string, batchId: string, promptHash?: string) => {
    const found = await driver.scan(ANSWERS, {
      index: 'byBatch',
      where: equal({ tenant, batchId }, { promptHash }),
      limit: BATCH_ANSWERS_MAX,
    });
    return found.toSorted((a, b) => a.at - b.at || (a.attemptId < b.attemptId ? -1 : 1));
  };
  return {
    // A late repetition must not bring back a text that was forgotten.
    async put(answer) {
      await driver.insert(ANSWERS, answer);
    },
    async find(tenant, batchId, promptHash) {
      const found = await ofBatch(tenant, batchId, promptHash);
      return found.findLast(({ text }) => text !== null) ?? found.at(-1) ?? null;
    },
    ofBatch: (tenant, batchId) => ofBatch(tenant, batchId),
    async close(tenant, batchId) {
      await Promise.all((await ofBatch(tenant, batchId)).map(forgetText));
    },
    async forget(tenant, { until, limit }) {
      const oldest = await driver.scan(ANSWERS, {
        where: [...equal({ tenant }), ['textAt', '<=', until]],
        order: ['textAt', 'attemptId'],
        limit,
      });
      const forgotten = await Promise.all(oldest.map(forgetText));
      return forgotten.filter(Boolean).length;
    },
    async tenantsWithText({ after, limit }) {
      const found = await tenantsBy(driver, ANSWERS, { column: 'textAt', after, limit });
      return found.map(({ group, least }) => ({ tenant: group, oldestAt: least }));
    },
  };
}

/** Kinds of a tenant's records except its policy, which is deleted last. */
export const OF_TENANT: readonly AnyKind[] = (KINDS as readonly AnyKind[]).filter(
  (kind) => hasTenant(kind) && kind.name !== POLICIES.name,
);

const RECEIPTS: ReadonlySet<string> = new Set([ERASURES.name, ERASURE_RECEIPTS.name]);

export async function eraseTenant(
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
