/** Inputs of the procedures: one schema for tRPC, the library and later REST and MCP. */
import { z } from 'zod';
import { Identifiers } from '#core/identifiers.ts';
import { CONTENT_LENGTH_MAX, TAGS_MAX } from '#core/records/memory.ts';
import { Depth } from '#core/records/summary.ts';
import { TenantId } from '#core/scope.ts';

const TAG_LENGTH_MAX = 128;
const METADATA_FIELDS_MAX = 64;
const QUERY_LENGTH_MAX = 8_192;
const TURNS_PER_CALL_MAX = 1_000;

const Tags = z.array(z.string().min(1).max(TAG_LENGTH_MAX)).max(TAGS_MAX);
const Metadata = z
  .record(z.string().max(256), z.json())
  .refine((fields) => Object.keys(fields).length <= METADATA_FIELDS_MAX, {
    error: `at most ${String(METADATA_FIELDS_MAX)} fields`,
  });
/** Milliseconds since the epoch, or an ISO 8601 date and time with its offset. */
const At = z.union([z.int().min(0), z.iso.datetime({ offset: true }).transform(Date.parse)]);

/** Length is checked apart, so that its error carries the maximum (MEM-25). */
const Content = z.string().min(1);

export const AddMemory = z.strictObject({
  tenant: TenantId,
  /** Checked by `scopeOf`, so that an unknown layer is INVALID_LAYER and not a schema error. */
  layer: z.string(),
  identifiers: Identifiers.default({}),
  content: Content,
  key: z.string().min(1).max(512).optional(),
  kind: z.enum(['memory', 'entity']).default('memory'),
  tags: Tags.default([]),
  metadata: Metadata.default({}),
  at: At.optional(),
  expiresAt: At.optional(),
});
export type AddMemory = z.input<typeof AddMemory>;

export const MemoryKey = z.strictObject({ tenant: TenantId, id: z.string().min(1).max(128) });
export type MemoryKey = z.input<typeof MemoryKey>;

export const UpdateMemory = MemoryKey.extend({
  content: Content.optional(),
  tags: Tags.optional(),
  metadata: Metadata.optional(),
  expectedVersion: z.int().min(1).optional(),
});
export type UpdateMemory = z.input<typeof UpdateMemory>;

export const AppendTurns = z.strictObject({
  tenant: TenantId,
  sessionId: z.string().min(1).max(256),
  turns: z
    .array(
      z.strictObject({
        id: z.string().min(1).max(256).optional(),
        role: z.enum(['user', 'assistant', 'system', 'tool']),
        speaker: z.string().max(256).optional(),
        content: Content.max(CONTENT_LENGTH_MAX),
        at: At.optional(),
      }),
    )
    .min(1)
    .max(TURNS_PER_CALL_MAX),
});
export type AppendTurns = z.input<typeof AppendTurns>;

export const GetSummary = z.strictObject({
  tenant: TenantId,
  layer: z.string(),
  identifiers: Identifiers.default({}),
  depth: Depth.default('paragraph'),
});
export type GetSummary = z.input<typeof GetSummary>;

export const ListSummaries = z.strictObject({
  tenant: TenantId,
  identifiers: Identifiers.default({}),
});
export type ListSummaries = z.input<typeof ListSummaries>;

export const AssembleContext = z.strictObject({
  tenant: TenantId,
  identifiers: Identifiers.default({}),
  query: z.string().min(1).max(QUERY_LENGTH_MAX),
  /** Capped by the tenant's policy, whose value is the default. */
  maxTokens: z.int().min(1).optional(),
  /** Whether summaries of the accessible layers use what is left of the limit. */
  layerSummaries: z.boolean().default(false),
});
export type AssembleContext = z.input<typeof AssembleContext>;

export { CONTENT_LENGTH_MAX };
