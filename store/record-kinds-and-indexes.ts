/**
 * Declares every kind of record that the store keeps: its key, the columns for conditions and
 * orders, its indexes, and its anchor. A new kind is declared here and in a file of its own.
 */
import { nextCheckAt } from '#core/refresh/when-to-refresh.ts';
import type { HistoryStart } from '#core/sources/memory-history.ts';
import { expiryOf } from '#core/sources/memory-lifecycle.ts';
import type { Account, LedgerEntry } from '#core/records/account.ts';
import type { ApiKey } from '#core/records/api-key.ts';
import type { PaidAnswer } from '#core/records/paid-answer.ts';
import type { IdempotencyRecord } from '#core/records/idempotency.ts';
import type { AuditEntry } from '#core/records/audit-entry.ts';
import type { Document } from '#core/records/document.ts';
import { dueAtOf, type DreamSchedule } from '#core/records/dream-schedule.ts';
import type { EmbeddingState } from '#core/records/embedding-state.ts';
import type { ErasureHead, ErasureLedger, ErasureReceipt } from '#core/records/erasure.ts';
import type { EventRecord } from '#core/records/event.ts';
import type { MemoryChange, Memory } from '#core/records/memory.ts';
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import type { PolicyRecord } from '#core/records/policy.ts';
import { pendingAtOf, type Proposal } from '#core/records/proposal.ts';
import type { Review } from '#core/records/review.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Segment, Summary } from '#core/records/summary.ts';
import type { SavedSessionAnalysis } from '#core/records/session-analysis.ts';
import type { SessionRecord } from '#core/records/session.ts';
import type { SubjectRecord } from '#core/records/subject-record.ts';
import type { Turn } from '#core/records/turn.ts';
import type { Variant } from '#core/records/variant.ts';
import type { RefreshRequestRecord } from '#core/records/refresh-request.ts';
import { heldSince } from '#core/retention/when-to-compact.ts';
import type { Scope } from '#core/scope.ts';
import type { Calibration } from '#core/search/calibration.ts';
import { hiddenFrom } from '#core/search/memory-conditions.ts';
import { equal, recordKind, type AnyKind, type Key } from './storage-driver.ts';

/** Later than every date. */
export const NEVER = Number.MAX_SAFE_INTEGER;

/** Characters of a content hash that the index keeps. */
const CONTENT_START = 8;

/** A scope in its stored form. */
export interface StoredScope extends ScopeRecord {
  /** Sources that ended before this time are no longer in its hash and counts: it was recounted. */
  readonly forgottenBefore: number;
}

export interface StoredVector {
  readonly generation: string;
  readonly vector: readonly number[];
}

/** A memory in its stored form, with the vectors of all generations. */
export interface StoredMemory extends Omit<Memory, 'vector'> {
  /** Whether its lane entered the hash of its scope when it was written. */
  readonly counted: boolean;
  /** Stands for the first entry of its history, so that an add writes one record less. */
  readonly historyStart: HistoryStart;
  /** Ids of memories that it superseded, or would have: they hold again if it is deleted. */
  readonly ended?: readonly string[];
  /** Ids of memories that link to it by their `mentions`. */
  readonly mentionedBy?: readonly string[];
  /** Null if a scan left them out; such a memory must not be written. */
  readonly vectors: readonly StoredVector[] | null;
}

/** Maps a caller's key to its memory. */
interface MemoryKey extends Scope {
  readonly key: string;
  readonly id: string;
}

export interface Citations extends Scope {
  readonly audience: string;
  /** Ids of the sources that the facts of the summary rest on. */
  readonly sources: readonly string[];
}

export interface FenceRecord {
  readonly cluster: string;
  /** Epoch of the latest leader. */
  readonly epoch: number;
}

export const REFRESH_REQUESTS = recordKind<RefreshRequestRecord>({
  name: 'refreshRequests',
  key: ['tenant'],
  columns: {
    /** While a request is open: since when. Tenants wait in this order. */
    openSince: ({ wanted, acknowledged, wantedAt }) => (wanted > acknowledged ? wantedAt : null),
  },
  indexes: { byOpen: { columns: ['openSince', 'tenant'], whereSet: 'openSince' } },
});

export const EVENTS = recordKind<EventRecord>({ name: 'events', key: ['tenant', 'id'] });

export const IDEMPOTENCY = recordKind<IdempotencyRecord>({
  name: 'idempotency',
  key: ['tenant', 'key'],
  fields: ['expiresAt'],
  indexes: { byEnd: { columns: ['tenant', 'expiresAt'] } },
});

export const API_KEYS = recordKind<ApiKey>({ name: 'apiKeys', key: ['tenant', 'id'] });

export const AUDIT_ENTRIES = recordKind<AuditEntry>({
  name: 'auditEntries',
  key: ['tenant', 'id'],
  fields: ['at', 'expiresAt'],
  indexes: { byEnd: { columns: ['tenant', 'expiresAt'] } },
});

/** The anchor of a tenant's receipts. */
export const ERASURES = recordKind<ErasureLedger>({
  name: 'erasures',
  key: ['tenant'],
  columns: {
    /** While an erasure is unfinished: when the oldest such erasure was requested. */
    openSince: ({ pending }) =>
      pending.length === 0 ? null : Math.min(...pending.map(({ requestedAt }) => requestedAt)),
  },
  indexes: { byOpen: { columns: ['openSince', 'tenant'], whereSet: 'openSince' } },
});

/** A single record: how far the ledger outside the database must be. */
export const ERASURE_HEADS = recordKind<ErasureHead>({ name: 'erasureHeads', key: ['name'] });

export const ERASURE_RECEIPTS = recordKind<ErasureReceipt>({
  name: 'erasureReceipts',
  key: ['tenant', 'sequence'],
});

export const ANSWERS = recordKind<PaidAnswer>({
  name: 'answers',
  key: ['tenant', 'attemptId'],
  fields: ['batchId', 'promptHash'],
  columns: {
    /** When it was stored, while it has its text. */
    textAt: ({ text, at }) => (text === null ? null : at),
  },
  indexes: {
    byBatch: { columns: ['tenant', 'batchId', 'promptHash'] },
    byText: { columns: ['tenant', 'textAt'], whereSet: 'textAt' },
  },
});

export const ACCOUNTS = recordKind<Account>({ name: 'accounts', key: ['tenant', 'period'] });

/** Entries belong to the account of the period in which their attempt was first reserved. */
export const LEDGER = recordKind<LedgerEntry>({
  name: 'ledger',
  key: ['tenant', 'attemptId'],
  isShared: true,
  fields: ['batchId', 'purpose', 'period', 'reservedAt'],
  columns: {
    /** When it was reserved, while it is not settled. */
    openSince: ({ state, reservedAt }) => (state === 'Reserved' ? reservedAt : null),
  },
  indexes: {
    byTime: { columns: ['tenant', 'reservedAt', 'attemptId'] },
    byBatch: { columns: ['tenant', 'batchId', 'reservedAt'] },
    byPurpose: { columns: ['tenant', 'purpose', 'period', 'attemptId'] },
    byOpen: { columns: ['openSince', 'tenant', 'attemptId'], whereSet: 'openSince' },
  },
});

export const FENCES = recordKind<FenceRecord>({ name: 'policyFences', key: ['cluster'] });

export const POLICIES = recordKind<PolicyRecord>({
  name: 'policies',
  key: ['tenant'],
  fields: ['epoch', 'releasedAt'],
  columns: {
    cluster: ({ owner }) => owner.cluster,
  },
  indexes: {
    byCluster: { columns: ['cluster', 'epoch', 'tenant'] },
    byRelease: { columns: ['releasedAt', 'tenant'], whereSet: 'releasedAt' },
  },
});

export const MODEL_PROVIDERS = recordKind<ModelProviderRecord>({
  name: 'modelProviders',
  key: ['name'],
  columns: { cluster: ({ owner }) => owner.cluster, epoch: ({ epoch }) => epoch },
  indexes: { byCluster: { columns: ['cluster', 'epoch', 'name'] } },
});

export const SUBJECTS = recordKind<SubjectRecord>({
  name: 'subjects',
  key: ['tenant', 'subject'],
  fields: ['subjectId'],
  columns: {
    hasNew: ({ hasNew }) => Number(hasNew),
  },
  indexes: {
    byId: { columns: ['tenant', 'subjectId'] },
    byNew: { columns: ['tenant', 'hasNew', 'subject'] },
  },
});

/** Documents belong to their subject, whether or not that has a record. */
export const DOCUMENTS = recordKind<Document>({
  name: 'documents',
  key: ['tenant', 'subject', 'path', 'version'],
  columns: { callerKey: ({ key }) => key },
  indexes: {
    byCallerKey: { columns: ['tenant', 'subject', 'path', 'callerKey'], whereSet: 'callerKey' },
  },
});

export const DREAM_SCHEDULES = recordKind<DreamSchedule>({
  name: 'dreamSchedules',
  key: ['tenant', 'name'],
  columns: { dueAt: (schedule) => dueAtOf(schedule) },
  indexes: { byDue: { columns: ['dueAt', 'tenant', 'name'], whereSet: 'dueAt' } },
});

export const PROPOSALS = recordKind<Proposal>({
  name: 'proposals',
  key: ['tenant', 'id'],
  fields: ['subject', 'state'],
  columns: {
    pendingAt: (proposal) => pendingAtOf(proposal),
  },
  indexes: {
    bySubject: { columns: ['tenant', 'subject', 'id'] },
    byState: { columns: ['tenant', 'state', 'id'] },
    byPending: { columns: ['pendingAt', 'tenant', 'id'], whereSet: 'pendingAt' },
  },
});

/** The anchor of its memories, turns, summaries, segments and variants. */
export const SCOPES = recordKind<StoredScope>({
  name: 'scopes',
  key: ['tenant', 'layer', 'scopeId'],
  columns: {
    lookAt: (record) => nextCheckAt(record),
    urgent: (record) => Number(isUrgent(record)),
    leaseUntil: ({ lease }) => lease?.until ?? null,
    claimId: ({ lease }) => lease?.claimId ?? null,
    batchId: ({ lease }) => lease?.batchId ?? null,
    /** Set for every scope, to find the next tenant that has one. */
    known: () => 1,
  },
  indexes: {
    byDue: { columns: ['tenant', 'urgent', 'lookAt'], whereSet: 'lookAt' },
    // The only queries across tenants: whose turn is next, and whose lease ends too late.
    byDueOfAll: { columns: ['lookAt', 'tenant', 'leaseUntil'], whereSet: 'lookAt' },
    byLease: { columns: ['leaseUntil', 'tenant'], whereSet: 'leaseUntil' },
    byClaim: { columns: ['tenant', 'claimId'], whereSet: 'claimId' },
    byBatch: { columns: ['tenant', 'batchId'], whereSet: 'batchId' },
    byTenant: { columns: ['tenant', 'known'] },
  },
});

/** Belong to their scope. */
export const VARIANTS = recordKind<Variant>({
  name: 'variants',
  key: ['tenant', 'layer', 'scopeId', 'audience'],
  fields: ['lastReadAt', 'dueAt'],
  columns: {
    leaseUntil: ({ lease }) => lease?.until ?? null,
    claimId: ({ lease }) => lease?.claimId ?? null,
    batchId: ({ lease }) => lease?.batchId ?? null,
  },
  indexes: {
    byDue: { columns: ['tenant', 'dueAt'], whereSet: 'dueAt' },
    byDueOfAll: { columns: ['dueAt', 'tenant', 'leaseUntil'], whereSet: 'dueAt' },
    byLease: { columns: ['leaseUntil', 'tenant'], whereSet: 'leaseUntil' },
    byRead: { columns: ['tenant', 'layer', 'scopeId', 'lastReadAt'] },
    byClaim: { columns: ['tenant', 'claimId'], whereSet: 'claimId' },
    byBatch: { columns: ['tenant', 'batchId'], whereSet: 'batchId' },
  },
});

/** Belong to their scope. */
export const SUMMARIES = recordKind<Summary>({
  name: 'summaries',
  key: ['tenant', 'layer', 'scopeId', 'audience'],
});

/** The reverse of every citation, separate from the summary's text; belongs to the scope. */
export const CITATIONS = recordKind<Citations>({
  name: 'citations',
  key: ['tenant', 'layer', 'scopeId', 'audience'],
});

/** Belong to their scope. */
export const SEGMENTS = recordKind<Segment>({
  name: 'segments',
  key: ['tenant', 'layer', 'scopeId', 'segmentId'],
});

/** Belong to the scope of their session. */
export const TURNS = recordKind<Turn>({
  name: 'turns',
  key: ['tenant', 'sessionId', 'sequence'],
  fields: ['id'],
  columns: {
    /** Since when it has its text, while it has it. */
    textAt: (turn) => (turn.compactedAt === null ? heldSince(turn) : null),
  },
  indexes: {
    byId: { columns: ['tenant', 'sessionId', 'id'] },
    byText: { columns: ['tenant', 'textAt', 'sessionId'], whereSet: 'textAt' },
  },
});

/** Belong to the scope of their session. */
export const SESSION_ANALYSES = recordKind<SavedSessionAnalysis>({
  name: 'sessionAnalyses',
  key: ['tenant', 'layer', 'scopeId'],
});

/** A review belongs to the scope of what it is about. */
export const REVIEWS = recordKind<Review>({
  name: 'reviews',
  key: ['tenant', 'id'],
  fields: ['state', 'sourceId'],
  indexes: {
    byState: { columns: ['tenant', 'state', 'id'] },
    bySource: { columns: ['tenant', 'sourceId', 'id'] },
  },
});

/** The sessions that exist; their turns belong to the scope of the session. */
export const SESSIONS = recordKind<SessionRecord>({
  name: 'sessions',
  key: ['tenant', 'sessionId'],
  fields: ['opener'],
  columns: {
    /** Newest first. */
    age: ({ lastAt }) => -lastAt,
    flushId: ({ flush }) => flush?.id ?? null,
    flushDueAt: ({ flush }) => flush?.dueAt ?? null,
  },
  indexes: {
    byOpener: { columns: ['tenant', 'opener', 'age', 'sessionId'] },
    byFlush: { columns: ['tenant', 'flushId'], whereSet: 'flushId' },
    byFlushDue: { columns: ['flushDueAt', 'tenant', 'sessionId'], whereSet: 'flushDueAt' },
  },
  isListedOften: true,
});

/** Belong to their scope. */
export const MEMORIES = recordKind<StoredMemory>({
  name: 'memories',
  key: ['tenant', 'id'],
  fields: [
    'layer',
    'scopeId',
    'kind',
    'state',
    'contentHash',
    'tokenCount',
    'validFrom',
    'validTo',
    'expiresAt',
    'updatedAt',
    'embeddingGeneration',
  ],
  columns: {
    /**
     * Enough to distinguish nearly all hashes; with whole hashes, every write would touch more
     * pages.
     */
    contentStart: ({ contentHash }) => contentStartOf(contentHash),
    endsAt: (memory) => expiryOf(memory),
    /** Until when it is a source; null if it is not. */
    liveUntil: (memory) => (memory.state === 'active' ? (expiryOf(memory) ?? NEVER) : null),
    /** From when on searches omit it. */
    hiddenAt: (memory) => hiddenFrom(memory) ?? NEVER,
  },
  indexes: {
    byScope: { columns: ['tenant', 'layer', 'scopeId', 'id'] },
    byContent: { columns: ['tenant', 'contentStart'] },
  },
});

/** Keys belong to their scope: each key has at most one live memory in a scope. */
export const MEMORY_KEYS = recordKind<MemoryKey>({
  name: 'memoryKeys',
  key: ['tenant', 'layer', 'scopeId', 'key'],
});

/** Belong to the scope of their memory. */
export const MEMORY_CHANGES = recordKind<MemoryChange>({
  name: 'memoryChanges',
  key: ['tenant', 'memoryId', 'version'],
});

/** State of all generations in which a tenant's memories have vectors. */
export const EMBEDDING_STATES = recordKind<EmbeddingState>({
  name: 'embeddingStates',
  key: ['tenant'],
  columns: {
    /** Set while the model is being changed. */
    changing: ({ phase }) => (phase === 'Steady' ? null : phase),
  },
  indexes: { byChange: { columns: ['tenant', 'changing'], whereSet: 'changing' } },
});

/** Belongs to the model, not to anything anybody said, and to no tenant. */
export const CALIBRATIONS = recordKind<Calibration>({ name: 'calibrations', key: ['generation'] });

/** All kinds. Those that readers see come first, so that an erasure begins with them. */
export const KINDS = [
  SUMMARIES,
  CITATIONS,
  VARIANTS,
  SEGMENTS,
  MEMORIES,
  MEMORY_KEYS,
  MEMORY_CHANGES,
  SESSION_ANALYSES,
  TURNS,
  REVIEWS,
  SESSIONS,
  EMBEDDING_STATES,
  SCOPES,
  DOCUMENTS,
  PROPOSALS,
  SUBJECTS,
  DREAM_SCHEDULES,
  ANSWERS,
  LEDGER,
  ACCOUNTS,
  REFRESH_REQUESTS,
  EVENTS,
  IDEMPOTENCY,
  API_KEYS,
  AUDIT_ENTRIES,
  ERASURE_HEADS,
  ERASURE_RECEIPTS,
  ERASURES,
  POLICIES,
  FENCES,
  MODEL_PROVIDERS,
  CALIBRATIONS,
] as const satisfies readonly AnyKind[];

/** Returns the part of a content hash that the index keeps. */
export function contentStartOf(contentHash: string): string {
  return contentHash.slice(0, CONTENT_START);
}

/** The key of a scope's record. */
export function scopeKeyOf({ tenant, layer, scopeId }: Scope): Key {
  return [tenant, layer, scopeId];
}

/** Returns the conditions for records of a scope. */
export function ofScope({ tenant, layer, scopeId }: Scope) {
  return equal({ tenant, layer, scopeId });
}

/** Returns the conditions for turns of a session. */
export function ofSession({ tenant, sessionId }: Pick<Turn, 'tenant' | 'sessionId'>) {
  return equal({ tenant, sessionId });
}

/**
 * Dropped sources make a scope urgent, even if a count of changes makes it due slightly earlier.
 */
function isUrgent(record: Pick<ScopeRecord, 'dueTrigger' | 'droppedSources'>): boolean {
  return record.dueTrigger === 'Urgent' || record.droppedSources.length > 0;
}
