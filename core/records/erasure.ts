/**
 * Erasures: pending ones, and receipts of completed ones. A receipt proves what was erased and
 * repeats none of it: ids appear only as fingerprints. Each receipt contains the hash of the one
 * before.
 */
import { z } from 'zod';
import { IDENTIFIER_LENGTH_MAX } from '../identifiers.ts';
import { TenantId } from '../scope.ts';

/** The most pending erasures of a tenant; further ones are refused. */
export const PENDING_ERASURES_MAX = 16;
/** The most fingerprints of one kind in a receipt; `count` includes the rest. */
export const FINGERPRINTS_MAX = 1_000;

const At = z.int().min(0);
const Id = z.string().min(1).max(IDENTIFIER_LENGTH_MAX);

/** What to erase: a memory, a turn, a session, a person, or everything of the tenant. */
export const ErasureTarget = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('Memory'), id: Id }),
  z.strictObject({ kind: z.literal('Session'), id: Id }),
  z.strictObject({ kind: z.literal('User'), id: Id }),
  /** Its id is unique only within its session. */
  z.strictObject({ kind: z.literal('Turn'), sessionId: Id, id: Id }),
  z.strictObject({ kind: z.literal('Tenant') }),
]);
export type ErasureTarget = z.infer<typeof ErasureTarget>;

export const ERASED_KINDS = [
  'Memory',
  'Turn',
  'Session',
  'User',
  'Document',
  'Line',
  'Proposal',
  'ApiKey',
  'Call',
  'AuditEntry',
  'Record',
] as const;
export type ErasedKind = (typeof ERASED_KINDS)[number];
/** Ids that are erased or will be. */
export type ErasedIds = Readonly<Partial<Record<ErasedKind, readonly string[]>>>;

export const ErasedOfKind = z.strictObject({
  kind: z.enum(ERASED_KINDS),
  count: z.int().min(0),
  /** The first 32 digits of SHA-256 over the receipt's id, the kind and the id, each on a line. */
  fingerprints: z.array(z.string()).max(FINGERPRINTS_MAX).readonly(),
});
export type ErasedOfKind = z.infer<typeof ErasedOfKind>;

export const PendingErasure = z.strictObject({
  id: z.string(),
  /** Null once everything is gone, because its name would be the last trace. */
  target: ErasureTarget.nullable(),
  /** What is erased, as the receipt will name it. */
  of: z.strictObject({
    kind: z.enum(['Memory', 'Session', 'User', 'Turn', 'Tenant']),
    fingerprint: z.string().nullable(),
  }),
  by: z.string(),
  /** The receipt of an earlier erasure that a restored backup undid; null for a first erasure. */
  again: z.string().nullable(),
  requestedAt: At,
  erased: z.array(ErasedOfKind).readonly(),
});
export type PendingErasure = z.infer<typeof PendingErasure>;

/** What a ledger outside the database keeps of one erasure; it names only the tenant. */
export const ErasureEntry = z.strictObject({
  /** Rises by one with each erasure in the store, of any tenant. */
  number: z.int().min(1),
  /** The store that the data was erased from. */
  store: z.string().min(1),
  tenant: TenantId,
  id: z.string().min(1),
  of: PendingErasure.shape.of,
});
export type ErasureEntry = z.infer<typeof ErasureEntry>;

/**
 * The progress of a store. A ledger that is ahead shows that the store was restored from a backup.
 */
export const ErasureHead = z.strictObject({
  /** One record per store. */
  name: z.literal('head'),
  store: z.string().min(1),
  /** Number of the last entry. */
  number: z.int().min(0),
  /** Entries after this one must be erased again; null if there are none. */
  againAfter: z.int().min(0).nullable(),
});
export type ErasureHead = z.infer<typeof ErasureHead>;

/** Traces of erased data that the database's files may still contain. */
export const FileTraces = z.strictObject({
  engine: z.enum(['sqlite', 'mongodb']),
  /** Whether the database rewrote its files, or freed the space of deleted data. */
  rewritten: z.boolean(),
  /** Where the database keeps deleted data for a while, out of reach of its clients. */
  remains: z.array(z.enum(['FreedBlocks', 'Journal', 'Oplog'])).readonly(),
});
export type FileTraces = z.infer<typeof FileTraces>;

export const ErasureReceipt = z.strictObject({
  tenant: TenantId,
  /** From 1, without gaps. */
  sequence: z.int().min(1),
  id: z.string(),
  of: PendingErasure.shape.of,
  by: z.string(),
  again: PendingErasure.shape.again,
  requestedAt: At,
  erasedAt: At,
  erased: z.array(ErasedOfKind).readonly(),
  files: FileTraces,
  /** Hash of the previous receipt; for the first one, the hash of an empty text. */
  previousHash: z.string(),
  /** SHA-256 over all other fields. */
  hash: z.string(),
});
export type ErasureReceipt = z.infer<typeof ErasureReceipt>;

/** The anchor of a tenant's receipts. */
export const ErasureLedger = z.strictObject({
  tenant: TenantId,
  /** Receipts so far. */
  receipts: z.int().min(0),
  /** Hash of the last receipt. */
  hash: z.string(),
  pending: z.array(PendingErasure).max(PENDING_ERASURES_MAX),
});
export type ErasureLedger = z.infer<typeof ErasureLedger>;
