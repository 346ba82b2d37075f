/** What the store keeps: one kind of row per record, each with its key and its group. */
import type { Account, LedgerEntry } from '#core/records/account.ts';
import type { StoredAnswer } from '#core/records/answer.ts';
import type { IdempotencyRecord } from '#core/records/bookkeeping.ts';
import type { Document } from '#core/records/document.ts';
import type { DreamSchedule } from '#core/records/dream-schedule.ts';
import type { EmbeddingState } from '#core/records/embedding-state.ts';
import type { EventRecord } from '#core/records/event.ts';
import type { Memory } from '#core/records/memory.ts';
import type { MemoryChange } from '#core/records/memory-change.ts';
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import type { PolicyRecord } from '#core/records/policy-record.ts';
import type { Proposal } from '#core/records/proposal.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Segment } from '#core/records/segment.ts';
import type { SubjectRecord } from '#core/records/subject-record.ts';
import type { Summary } from '#core/records/summary.ts';
import type { Turn } from '#core/records/turn.ts';
import type { Variant } from '#core/records/variant.ts';
import type { WakeRecord } from '#core/records/wake.ts';
import type { Scope } from '#core/scope.ts';
import type { Calibration } from '#core/search/calibration.ts';

export interface OwnVector {
  readonly generation: string;
  readonly vector: readonly number[];
}

/** A memory whose vectors, of all generations, stand beside it. */
export interface MemoryRow extends Omit<Memory, 'vector'> {
  /**
   * True while its lane is in the source hash of its scope. A source that ends by itself stays
   * counted until a refresh recounts, so the state alone does not tell.
   */
  readonly counted: boolean;
  readonly vectors: readonly OwnVector[];
}

/** The length of every vector of a generation. */
export interface GenerationRow {
  readonly tenant: string;
  readonly generation: string;
  readonly dimensions: number;
}

/** The latest leader of a cluster that fenced the earlier ones. */
export interface FenceRow {
  readonly cluster: string;
  readonly epoch: number;
}

export interface Rows {
  readonly memories: MemoryRow;
  readonly changes: MemoryChange;
  readonly turns: Turn;
  readonly scopes: ScopeRecord;
  readonly summaries: Summary;
  readonly segments: Segment;
  readonly variants: Variant;
  readonly accounts: Account;
  readonly ledger: LedgerEntry;
  readonly answers: StoredAnswer;
  readonly policies: PolicyRecord;
  readonly fences: FenceRow;
  readonly modelProviders: ModelProviderRecord;
  readonly wakes: WakeRecord;
  readonly events: EventRecord;
  readonly idempotency: IdempotencyRecord;
  readonly embeddingStates: EmbeddingState;
  readonly generations: GenerationRow;
  readonly calibrations: Calibration;
  readonly documents: Document;
  readonly subjects: SubjectRecord;
  readonly dreamSchedules: DreamSchedule;
  readonly proposals: Proposal;
}

type Parts = readonly (string | number)[];

export interface Shape<T> {
  readonly keyOf: (row: T) => Parts;
  /** Rows of one group are read without a look at the others. */
  readonly groupOf: (row: T) => Parts;
}

const scopeOf = ({ tenant, layer, scopeId }: Scope): Parts => [tenant, layer, scopeId];
const tenantOf = ({ tenant }: { readonly tenant: string }): Parts => [tenant];

export const SHAPES: { readonly [N in keyof Rows]: Shape<Rows[N]> } = {
  memories: { keyOf: ({ tenant, id }) => [tenant, id], groupOf: scopeOf },
  changes: {
    keyOf: ({ tenant, memoryId, version, at, action }) => [tenant, memoryId, version, at, action],
    groupOf: ({ tenant, memoryId }) => [tenant, memoryId],
  },
  turns: {
    keyOf: ({ tenant, sessionId, id }) => [tenant, sessionId, id],
    groupOf: ({ tenant, sessionId }) => [tenant, sessionId],
  },
  scopes: { keyOf: scopeOf, groupOf: tenantOf },
  summaries: { keyOf: (row) => [...scopeOf(row), row.audience], groupOf: tenantOf },
  segments: { keyOf: (row) => [...scopeOf(row), row.segmentId], groupOf: scopeOf },
  variants: { keyOf: (row) => [...scopeOf(row), row.audience], groupOf: tenantOf },
  accounts: { keyOf: ({ tenant, period }) => [tenant, period], groupOf: tenantOf },
  ledger: { keyOf: ({ tenant, attemptId }) => [tenant, attemptId], groupOf: tenantOf },
  answers: { keyOf: ({ tenant, attemptId }) => [tenant, attemptId], groupOf: tenantOf },
  policies: { keyOf: tenantOf, groupOf: tenantOf },
  fences: { keyOf: ({ cluster }) => [cluster], groupOf: () => [] },
  modelProviders: { keyOf: ({ name }) => [name], groupOf: () => [] },
  wakes: { keyOf: tenantOf, groupOf: tenantOf },
  events: { keyOf: ({ tenant, id }) => [tenant, id], groupOf: tenantOf },
  idempotency: { keyOf: ({ tenant, key }) => [tenant, key], groupOf: tenantOf },
  embeddingStates: { keyOf: tenantOf, groupOf: tenantOf },
  generations: { keyOf: ({ tenant, generation }) => [tenant, generation], groupOf: tenantOf },
  calibrations: { keyOf: ({ generation }) => [generation], groupOf: () => [] },
  documents: {
    keyOf: ({ tenant, subject, path, version }) => [tenant, subject, path, version],
    groupOf: ({ tenant, subject }) => [tenant, subject],
  },
  subjects: { keyOf: ({ tenant, subject }) => [tenant, subject], groupOf: tenantOf },
  dreamSchedules: { keyOf: ({ tenant, name }) => [tenant, name], groupOf: tenantOf },
  proposals: { keyOf: ({ tenant, id }) => [tenant, id], groupOf: tenantOf },
};

/** Everything that a store holds; a store opened over it goes on from there. */
export type Contents = { readonly [N in keyof Rows]: Map<string, Rows[N]> };

export function emptyContents(): Contents {
  return {
    memories: new Map(),
    changes: new Map(),
    turns: new Map(),
    scopes: new Map(),
    summaries: new Map(),
    segments: new Map(),
    variants: new Map(),
    accounts: new Map(),
    ledger: new Map(),
    answers: new Map(),
    policies: new Map(),
    fences: new Map(),
    modelProviders: new Map(),
    wakes: new Map(),
    events: new Map(),
    idempotency: new Map(),
    embeddingStates: new Map(),
    generations: new Map(),
    calibrations: new Map(),
    documents: new Map(),
    subjects: new Map(),
    dreamSchedules: new Map(),
    proposals: new Map(),
  };
}
