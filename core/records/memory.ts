/** A memory: one stored record, the unit that callers add, get, change and delete. */
import { z } from 'zod';
import { Layer } from '../layer.ts';
import { TenantId } from '../scope.ts';
import { UTC_OFFSET_MAX } from '../said-at.ts';
import { Trust } from '../trust.ts';

/** The most of a text that is read, embedded or summarized at once, in UTF-16 code units. */
export const CONTENT_LENGTH_MAX = 32_768;
/** Longest content of one memory, in UTF-16 code units. Longer texts are imported in sections. */
export const MEMORY_LENGTH_MAX = 8 * CONTENT_LENGTH_MAX;
export const TAGS_MAX = 64;
export const METADATA_BYTES_MAX = 16_384;

export const Origin = z.strictObject({
  /** How it came in; `promotion`: a person approved it as a copy of a narrower layer's memory. */
  channel: z.enum(['api', 'import', 'extraction', 'dream', 'promotion']),
  principal: z.string().max(256),
  /** Ids of what it was derived from; empty for what a caller stated. */
  sources: z.array(z.string()),
});
export type Origin = z.infer<typeof Origin>;

const At = z.int().min(0);

export const Memory = z.strictObject({
  tenant: TenantId,
  /** UUIDv7, so ids sort by the time of writing. */
  id: z.string(),
  layer: Layer,
  scopeId: z.string(),
  kind: z.enum(['memory', 'entity']),
  content: z.string(),
  contentHash: z.string(),
  /** Chosen by the caller, optional; unique within tenant and scope. */
  key: z.string().nullable(),
  tags: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()),
  origin: Origin,
  trust: Trust,
  /** When the statement began and ceased to be true, in milliseconds since the epoch. */
  validFrom: At,
  /** Minutes that the clock of `validFrom` was ahead of UTC; absent for UTC. */
  utcOffset: z.int().min(-UTC_OFFSET_MAX).max(UTC_OFFSET_MAX).optional(),
  validTo: At.nullable(),
  supersededBy: z.string().nullable(),
  expiresAt: At.nullable(),
  state: z.enum(['active', 'superseded', 'quarantined']),
  /**
   * Only repeats the memory that `supersededBy` names, from another source, and takes its place if
   * that one is deleted with its own source.
   */
  isRepeat: z.literal(true).optional(),
  /** Ids of memories of its scope that introduce whom or what it names; absent without one. */
  mentions: z.array(z.string()).optional(),
  version: z.int().min(1),
  createdAt: At,
  updatedAt: At,
  /** cl100k tokens of the content, counted once, at write. */
  tokenCount: z.int().min(0),
  embeddingGeneration: z.string().nullable(),
  vector: z.array(z.number()).nullable(),
});
export type Memory = z.infer<typeof Memory>;

/** What an update of a memory sets. */
export interface MemoryPatch {
  /** Includes `validFrom`: a changed statement is valid from the change and counts as newer. */
  readonly content?: Pick<
    Memory,
    'content' | 'contentHash' | 'tokenCount' | 'vector' | 'embeddingGeneration' | 'validFrom'
  >;
  readonly tags?: readonly string[];
  /** Merged into the existing metadata; a null value removes its field. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Refused with CONFLICT if the memory has another version. */
  readonly expectedVersion?: number;
}

export const MEMORY_ACTIONS = [
  'Added',
  'Updated',
  'United',
  'Superseded',
  'Restored',
  'Deleted',
] as const;

/** One change of a memory: who did what, when, and what was there before. */
export const MemoryChange = z.strictObject({
  tenant: TenantId,
  memoryId: z.string(),
  layer: Layer,
  scopeId: z.string(),
  /** The version that the change made; for a deletion, the last version plus one. */
  version: z.int().min(1),
  at: z.int().min(0),
  principal: z.string(),
  action: z.enum(MEMORY_ACTIONS),
  /** Previous values of the fields that changed; erased with the memory. */
  before: z.record(z.string(), z.unknown()),
});
export type MemoryChange = z.infer<typeof MemoryChange>;
