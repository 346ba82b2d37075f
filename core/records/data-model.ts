/**
 * The data model in one table: every record, its schema and its key. Each key begins with the
 * tenant. Later issues add fields to a schema; keys do not change.
 */
import type { z } from 'zod';
import { Account, LedgerEntry } from './account.ts';
import { StoredAnswer } from './answer.ts';
import { AuditEntry, IdempotencyRecord, OutboxEntry } from './bookkeeping.ts';
import { Document } from './document.ts';
import { DreamSchedule } from './dream-schedule.ts';
import { EmbeddingState } from './embedding-state.ts';
import { EventRecord } from './event.ts';
import { Lineage } from './lineage.ts';
import { Memory } from './memory.ts';
import { MemoryChange } from './memory-change.ts';
import { PolicyRecord } from './policy-record.ts';
import { Proposal } from './proposal.ts';
import { ScopeRecord } from './scope-record.ts';
import { Segment } from './segment.ts';
import { SubjectRecord } from './subject-record.ts';
import { Summary } from './summary.ts';
import { Turn } from './turn.ts';
import { Variant } from './variant.ts';
import { WakeRecord } from './wake.ts';

interface RecordKind {
  readonly schema: z.ZodObject;
  readonly key: readonly ['tenant', ...string[]];
}

export const DATA_MODEL = {
  memories: { schema: Memory, key: ['tenant', 'id'] },
  memoryChanges: { schema: MemoryChange, key: ['tenant', 'memoryId', 'version'] },
  embeddings: { schema: EmbeddingState, key: ['tenant'] },
  turns: { schema: Turn, key: ['tenant', 'sessionId', 'sequence'] },
  scopes: { schema: ScopeRecord, key: ['tenant', 'layer', 'scopeId'] },
  summaries: { schema: Summary, key: ['tenant', 'layer', 'scopeId', 'audience'] },
  segments: { schema: Segment, key: ['tenant', 'layer', 'scopeId', 'segmentId'] },
  variants: { schema: Variant, key: ['tenant', 'layer', 'scopeId', 'audience'] },
  answers: { schema: StoredAnswer, key: ['tenant', 'attemptId'] },
  accounts: { schema: Account, key: ['tenant', 'period'] },
  ledger: { schema: LedgerEntry, key: ['tenant', 'attemptId'] },
  documents: { schema: Document, key: ['tenant', 'subject', 'path', 'version'] },
  subjects: { schema: SubjectRecord, key: ['tenant', 'subject'] },
  dreamSchedules: { schema: DreamSchedule, key: ['tenant', 'name'] },
  proposals: { schema: Proposal, key: ['tenant', 'id'] },
  lineage: {
    schema: Lineage,
    key: ['tenant', 'sourceId', 'kind', 'layer', 'scopeId', 'part'],
  },
  policies: { schema: PolicyRecord, key: ['tenant'] },
  wakes: { schema: WakeRecord, key: ['tenant'] },
  events: { schema: EventRecord, key: ['tenant', 'id'] },
  outbox: { schema: OutboxEntry, key: ['tenant', 'id'] },
  idempotency: { schema: IdempotencyRecord, key: ['tenant', 'key'] },
  audit: { schema: AuditEntry, key: ['tenant', 'id'] },
} as const satisfies Record<string, RecordKind>;
