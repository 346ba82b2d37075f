/**
 * Erasures: what is under way, and the receipts of what is done. A receipt proves what was erased
 * and repeats none of it: ids stand in it as fingerprints, and each receipt has the hash of the one
 * before.
 */
import { z } from 'zod';
import { IDENTIFIER_LENGTH_MAX } from '../identifiers.ts';
import { TenantId } from '../scope.ts';

/** Erasures of a tenant that are not done; more are refused. */
export const PENDING_ERASURES_MAX = 16;
/** Fingerprints of one kind in a receipt; of the rest it says how many they are. */
export const FINGERPRINTS_MAX = 1_000;

const At = z.int().min(0);
const Id = z.string().min(1).max(IDENTIFIER_LENGTH_MAX);

/** What an erasure is of: a memory, a session, a person, or everything of the tenant. */
export const ErasureTarget = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('Memory'), id: Id }),
  z.strictObject({ kind: z.literal('Session'), id: Id }),
  z.strictObject({ kind: z.literal('User'), id: Id }),
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
/** What is erased, or is to be. */
export type ErasedIds = Readonly<Partial<Record<ErasedKind, readonly string[]>>>;

export const ErasedOfKind = z.strictObject({
  kind: z.enum(ERASED_KINDS),
  count: z.int().min(0),
  /** SHA-256 over the receipt's id, the kind and the id, each on a line: its first 32 digits. */
  fingerprints: z.array(z.string()).max(FINGERPRINTS_MAX).readonly(),
});
export type ErasedOfKind = z.infer<typeof ErasedOfKind>;

export const PendingErasure = z.strictObject({
  id: z.string(),
  /** Null once all of it is gone: its name would be the last trace of it. */
  target: ErasureTarget.nullable(),
  /** What it is of, as the receipt will say it. */
  of: z.strictObject({
    kind: z.enum(['Memory', 'Session', 'User', 'Tenant']),
    fingerprint: z.string().nullable(),
  }),
  by: z.string(),
  /** The receipt of an erasure that a restored backup had undone; null for a first one. */
  again: z.string().nullable(),
  requestedAt: At,
  erased: z.array(ErasedOfKind).readonly(),
});
export type PendingErasure = z.infer<typeof PendingErasure>;

/** What a ledger outside of the database keeps of one erasure; it names only the tenant. */
export const ErasureEntry = z.strictObject({
  /** Rises by one with each erasure of the store, of whatever tenant. */
  number: z.int().min(1),
  /** The store that it was erased from. */
  store: z.string().min(1),
  tenant: TenantId,
  id: z.string().min(1),
  of: PendingErasure.shape.of,
});
export type ErasureEntry = z.infer<typeof ErasureEntry>;

/**
 * The progress of a store: a ledger that is ahead shows that the store was restored from a backup.
 */
export const ErasureHead = z.strictObject({
  /** One record a store. */
  name: z.literal('head'),
  store: z.string().min(1),
  /** Of the last entry. */
  number: z.int().min(0),
  /** After which entry erasures are to be done again; null where none is. */
  againAfter: z.int().min(0).nullable(),
});
export type ErasureHead = z.infer<typeof ErasureHead>;

/** What the files of the database still may have of it. */
export const FileTraces = z.strictObject({
  engine: z.enum(['sqlite', 'mongodb']),
  /** Whether the database rewrote its files, or returned the space of what was deleted. */
  rewritten: z.boolean(),
  /** Where the database keeps what was deleted for a while, out of the reach of its clients. */
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
  /** Hash of the previous receipt; that of an empty text for the first one. */
  previousHash: z.string(),
  /** SHA-256 over all the other fields. */
  hash: z.string(),
});
export type ErasureReceipt = z.infer<typeof ErasureReceipt>;

/** The anchor of a tenant's receipts. */
export const ErasureLedger = z.strictObject({
  tenant: TenantId,
  /** Receipts so far. */
  receipts: z.int().min(0),
  /** Of the last receipt. */
  hash: z.string(),
  pending: z.array(PendingErasure).max(PENDING_ERASURES_MAX),
});
export type ErasureLedger = z.infer<typeof ErasureLedger>;
