/** Inputs of the procedures: one schema for tRPC, the library and later REST and MCP. */
import { z } from 'zod';
import { Identifiers } from '#core/identifiers.ts';
import { CONTENT_LENGTH_MAX, TAGS_MAX } from '#core/records/memory.ts';
import { Depth } from '#core/records/summary.ts';
import { TenantId } from '#core/scope.ts';
import { isStorable, NOT_STORABLE } from '#core/text.ts';
import { isObject, metadataProblem, type Metadata } from './metadata.ts';

const TAG_LENGTH_MAX = 128;
const QUERY_LENGTH_MAX = 8_192;
const TURNS_PER_CALL_MAX = 1_000;
/** The last millisecond of the year 9999, the last that ISO 8601 writes with four digits. */
const AT_MAX = 253_402_300_799_999;

const Text = z.string().refine(isStorable, { error: NOT_STORABLE });
const Tags = z.array(Text.min(1).max(TAG_LENGTH_MAX)).max(TAGS_MAX);
const MetadataFields = z
  .custom<Metadata>(isObject, { error: 'expected an object' })
  .superRefine((fields, context) => {
    const problem = metadataProblem(fields);
    if (problem === null) return;
    context.addIssue({ code: 'custom', path: [...problem.path], message: problem.expected });
  });
const Millis = z.int().min(0).max(AT_MAX);
/** Milliseconds since the epoch, or an ISO 8601 date and time with its offset. */
const At = z.union([Millis, z.iso.datetime({ offset: true }).transform(Date.parse).pipe(Millis)]);

/** Length is checked apart, so that its error carries the maximum (MEM-25). */
const Content = Text.refine((text) => text.trim() !== '', { error: 'expected some text' });

export const AddMemory = z.strictObject({
  tenant: TenantId,
  /** Checked by `scopeOf`, so that an unknown layer is INVALID_LAYER and not a schema error. */
  layer: z.string(),
  identifiers: Identifiers.default({}),
  content: Content,
  key: Text.min(1).max(512).optional(),
  kind: z.enum(['memory', 'entity']).default('memory'),
  tags: Tags.default([]),
  metadata: MetadataFields.default({}),
  at: At.optional(),
  expiresAt: At.optional(),
});
export type AddMemory = z.input<typeof AddMemory>;

export const MemoryKey = z.strictObject({ tenant: TenantId, id: Text.min(1).max(128) });
export type MemoryKey = z.input<typeof MemoryKey>;

export const UpdateMemory = MemoryKey.extend({
  content: Content.optional(),
  tags: Tags.optional(),
  metadata: MetadataFields.optional(),
  expectedVersion: z.int().min(1).optional(),
});
export type UpdateMemory = z.input<typeof UpdateMemory>;

export const AppendTurns = z.strictObject({
  tenant: TenantId,
  sessionId: Text.min(1).max(256),
  turns: z
    .array(
      z.strictObject({
        id: Text.min(1).max(256).optional(),
        role: z.enum(['user', 'assistant', 'system', 'tool']),
        speaker: Text.max(256).optional(),
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

/** `Due`: only what is due; `Stale`: every summary that is not up to date. */
export const RefreshTenant = z.strictObject({
  tenant: TenantId,
  kind: z.enum(['Due', 'Stale']).default('Stale'),
});
export type RefreshTenant = z.input<typeof RefreshTenant>;

export const AssembleContext = z.strictObject({
  tenant: TenantId,
  identifiers: Identifiers.default({}),
  query: Text.min(1).max(QUERY_LENGTH_MAX),
  /** Capped by the tenant's policy, whose value is the default. */
  maxTokens: z.int().min(1).optional(),
  /** Whether summaries of the accessible layers use what is left of the limit. */
  layerSummaries: z.boolean().default(false),
});
export type AssembleContext = z.input<typeof AssembleContext>;

export { CONTENT_LENGTH_MAX };
