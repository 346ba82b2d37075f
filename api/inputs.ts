/** Inputs of the procedures: one schema for tRPC, the library and later REST and MCP. */
import { z } from 'zod';
import { Identifiers } from '#core/identifiers.ts';
import { Layer } from '#core/layer.ts';
import { BULK_ITEMS_MAX } from '#core/ports/memory-provider.ts';
import { CONTENT_LENGTH_MAX, TAGS_MAX } from '#core/records/memory.ts';
import { Depth } from '#core/records/summary.ts';
import { TenantId } from '#core/scope.ts';
import { isStorable, NOT_STORABLE } from '#core/text.ts';
import { CONTENT_KEY } from '#memory/new-memory.ts';
import { isObject, metadataProblem, type Metadata } from './metadata.ts';

const TAG_LENGTH_MAX = 128;
export const QUERY_LENGTH_MAX = 8_192;
const TURNS_PER_CALL_MAX = 1_000;
/** The last millisecond of the year 9999, the last that ISO 8601 writes with four digits. */
const AT_MAX = 253_402_300_799_999;

export const Text = z.string().refine(isStorable, { error: NOT_STORABLE });
export const Tags = z.array(Text.min(1).max(TAG_LENGTH_MAX)).max(TAGS_MAX);
const MetadataFields = z
  .custom<Metadata>(isObject, { error: 'expected an object' })
  .superRefine((fields, context) => {
    const problem = metadataProblem(fields);
    if (problem === null) return;
    context.addIssue({ code: 'custom', path: [...problem.path], message: problem.expected });
  });
const Millis = z.int().min(0).max(AT_MAX);
/** Milliseconds since the epoch, or an ISO 8601 date and time with its offset. */
export const At = z.union([
  Millis,
  z.iso.datetime({ offset: true }).transform(Date.parse).pipe(Millis),
]);

/** Length is checked apart, so that its error carries the maximum (MEM-25). */
const Content = Text.refine((text) => text.trim() !== '', { error: 'expected some text' });

/** A caller's own key. What begins like the keys of `deduplicate` could be taken for one. */
const Key = Text.min(1)
  .max(512)
  .refine((key) => !key.startsWith(CONTENT_KEY), {
    error: `expected a key that does not begin with "${CONTENT_KEY}"`,
  });
const IdempotencyKey = Text.min(1).max(256);
export const MemoryId = Text.min(1).max(128);
const IncludeVector = z.boolean().default(false);

const NewMemory = z.strictObject({
  /** Checked by `scopeOf`, so that an unknown layer is INVALID_LAYER and not a schema error. */
  layer: z.string(),
  identifiers: Identifiers.default({}),
  content: Content,
  key: Key.optional(),
  /** Content that the scope has already is not added again; its tags become those of both. */
  deduplicate: z.literal('Exact').optional(),
  kind: z.enum(['memory', 'entity']).default('memory'),
  tags: Tags.default([]),
  metadata: MetadataFields.default({}),
  at: At.optional(),
  expiresAt: At.optional(),
});

export const AddMemory = z.strictObject({
  tenant: TenantId,
  ...NewMemory.shape,
  /** The same key and body give the first answer, for 7 days. */
  idempotencyKey: IdempotencyKey.optional(),
  includeVector: IncludeVector,
});
export type AddMemory = z.input<typeof AddMemory>;

export const BulkAddMemories = z.strictObject({
  tenant: TenantId,
  memories: z.array(NewMemory).min(1).max(BULK_ITEMS_MAX),
  idempotencyKey: IdempotencyKey.optional(),
});
export type BulkAddMemories = z.input<typeof BulkAddMemories>;

export const MemoryKey = z.strictObject({ tenant: TenantId, id: MemoryId });

export const GetMemory = MemoryKey.extend({ includeVector: IncludeVector });
export type GetMemory = z.input<typeof GetMemory>;

export const DeleteMemory = MemoryKey.extend({ idempotencyKey: IdempotencyKey.optional() });
export type DeleteMemory = z.input<typeof DeleteMemory>;

export const BulkDeleteMemories = z.strictObject({
  tenant: TenantId,
  ids: z.array(MemoryId).min(1).max(BULK_ITEMS_MAX),
  idempotencyKey: IdempotencyKey.optional(),
});
export type BulkDeleteMemories = z.input<typeof BulkDeleteMemories>;

export const UpdateMemory = MemoryKey.extend({
  content: Content.optional(),
  tags: Tags.optional(),
  metadata: MetadataFields.optional(),
  expectedVersion: z.int().min(1).optional(),
  idempotencyKey: IdempotencyKey.optional(),
  includeVector: IncludeVector,
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
  /** Answers how relevant each layer is to it. */
  query: Text.min(1).max(QUERY_LENGTH_MAX).optional(),
});
export type ListSummaries = z.input<typeof ListSummaries>;

/** `Due`: only what is due; `Stale`: every summary that is not up to date. */
export const RefreshTenant = z.strictObject({
  tenant: TenantId,
  kind: z.enum(['Due', 'Stale']).default('Stale'),
});
export type RefreshTenant = z.input<typeof RefreshTenant>;

/** A calendar month in UTC, `2026-11`. */
const Period = z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])$/u, { error: 'expected YYYY-MM' });
/** More than any model has cost in a month; sums of grants stay exact integers. */
const GRANTED_MAX = 1_000_000_000_000;

/** The period is the current one by default. */
export const GetBudget = z.strictObject({ tenant: TenantId, period: Period.optional() });
export type GetBudget = z.input<typeof GetBudget>;

export const GrantBudget = z.strictObject({
  tenant: TenantId,
  /** The current period or the next one. */
  period: Period.optional(),
  tokens: z.int().min(0).max(GRANTED_MAX).default(0),
  microDollars: z.int().min(0).max(GRANTED_MAX).default(0),
  /** Why; kept with the grant. */
  reason: Text.min(1).max(1_000),
  /** The same key grants once; without a period also across the turn of a month. */
  key: Text.min(1).max(256).optional(),
});
export type GrantBudget = z.input<typeof GrantBudget>;

export const ListDeadLetters = z.strictObject({
  tenant: TenantId,
  limit: z.int().min(1).max(1_000).default(100),
});
export type ListDeadLetters = z.input<typeof ListDeadLetters>;

/** Every dead letter of the tenant, or those of a layer or of one scope. */
export const RetryDeadLetters = z.strictObject({
  tenant: TenantId,
  layer: Layer.optional(),
  scopeId: Text.min(1).max(256).optional(),
});
export type RetryDeadLetters = z.input<typeof RetryDeadLetters>;

/** Old turns of a tenant; with `dryRun` nothing is written. */
export const CompactMemory = z.strictObject({
  tenant: TenantId,
  dryRun: z.boolean().default(false),
});
export type CompactMemory = z.input<typeof CompactMemory>;

export const CompactionStatus = z.strictObject({ tenant: TenantId });
export type CompactionStatus = z.input<typeof CompactionStatus>;

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
