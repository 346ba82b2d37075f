/** Operations on memories by id: add, get, update and delete, one or many at a time. */
import { z } from 'zod';
import { ERRORS, type ErrorCode } from '#core/errors.ts';
import { BULK_ITEMS_MAX } from '#core/ports/memory-provider.ts';
import { MEMORY_LENGTH_MAX } from '#core/records/memory.ts';
import { CONTENT_KEY } from '#memory/new-memory.ts';
import { bulkAddMemories, bulkDeleteMemories } from '../bulk.ts';
import { TAKEN_ELSEWHERE } from '../parse.ts';
import { addMemory, deleteMemory, getMemory, updateMemory } from '../memories.ts';
import { ScopeEffect, SHOWN_MEMORY_EXAMPLE, ShownMemory } from './answers.ts';
import {
  AskedIdentifiers,
  AskedLayer,
  At,
  Content,
  IdempotencyKey,
  IncludeVector,
  listOf,
  MemoryId,
  MetadataFields,
  Tags,
  Tenant,
  Text,
} from './fields.ts';
import { operation } from './operation.ts';

/** A caller's own key. It must not start like the keys of `deduplicate`, to avoid confusion. */
const Key = Text.min(1)
  .max(512)
  .refine((key) => !key.startsWith(CONTENT_KEY), {
    error: `expected a key that does not begin with "${CONTENT_KEY}"`,
  });

const LENGTH_MAX = MEMORY_LENGTH_MAX.toLocaleString('en-US');

const NewMemory = z.strictObject({
  layer: AskedLayer,
  identifiers: AskedIdentifiers,
  content: Content.describe(`What is to be remembered, at most ${LENGTH_MAX} characters.`),
  key: Key.optional().describe('The caller’s own name of it, unique within its scope.'),
  onConflict: z
    .enum(['update', 'error'])
    .default('update')
    .describe(
      'Where a memory of the scope has the key and says something else: it says this from now ' +
        'on, or the call is refused with CONFLICT.',
    ),
  deduplicate: z
    .literal('Exact')
    .optional()
    .describe(
      'Content that the scope has already is not added again; its tags become those of both.',
    ),
  kind: z.enum(['memory', 'entity']).default('memory'),
  tags: Tags.default([]),
  metadata: MetadataFields.default({}).describe('JSON fields of the caller’s, to filter by.'),
  at: At.optional().describe('When it began to be true; now where absent.'),
  expiresAt: At.optional().describe('From then on it is not found; never where absent.'),
});

const AddMemory = z.strictObject({
  tenant: Tenant,
  ...NewMemory.shape,
  idempotencyKey: IdempotencyKey,
  includeVector: IncludeVector,
});
TAKEN_ELSEWHERE.add(AddMemory, { messages: 'memory.addMessages', memories: 'memory.bulkAdd' });
/** The parsed input, with its defaults filled in. */
export type AddMemory = z.output<typeof AddMemory>;

const MemoryAnswer = z.object({
  memory: ShownMemory,
  embeddingGenerated: z
    .boolean()
    .describe('False where nothing was to be embedded, or the embedder did not answer.'),
  deduplicated: z.boolean().describe('True where it said the same before, by its key or content.'),
  scope: ScopeEffect,
});
export type MemoryAnswer = z.output<typeof MemoryAnswer>;

const BulkAddMemories = z.strictObject({
  tenant: Tenant,
  memories: z.array(NewMemory).min(1).max(BULK_ITEMS_MAX),
  idempotencyKey: IdempotencyKey,
});
export type BulkAddMemories = z.output<typeof BulkAddMemories>;

const ItemFailure = z
  .object({
    ok: z.literal(false),
    error: z.object({
      code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
      message: z.string(),
      retryable: z.boolean(),
      details: z.record(z.string(), z.unknown()).readonly(),
    }),
  })
  .meta({ id: 'ItemFailure' });
export type ItemFailure = z.output<typeof ItemFailure>;

const AddedItem = z
  .object({
    ok: z.literal(true),
    id: z.string(),
    key: z.string().nullable(),
    version: z.number(),
    embeddingGenerated: z.boolean(),
    deduplicated: z.boolean(),
  })
  .meta({ id: 'AddedItem' });
export type AddedItem = z.output<typeof AddedItem>;

const DeletedItem = z.object({ ok: z.literal(true), id: z.string() }).meta({ id: 'DeletedItem' });
export type DeletedItem = z.output<typeof DeletedItem>;

function bulkAnswer<T extends z.ZodType>(item: T) {
  return z.object({
    items: listOf(z.union([item, ItemFailure])).describe('One for each item, in their order.'),
    succeeded: z.number(),
    failed: z.number(),
  });
}

const MemoryKey = z.strictObject({ tenant: Tenant, id: MemoryId });

const GetMemory = MemoryKey.extend({ includeVector: IncludeVector });
export type GetMemory = z.output<typeof GetMemory>;

const UpdateMemory = MemoryKey.extend({
  content: Content.optional().describe('The new text.'),
  tags: Tags.optional().describe('All of them; those that are not named are gone.'),
  metadata: MetadataFields.optional().describe('Fields to set; the others stay.'),
  expectedVersion: z
    .int()
    .min(1)
    .optional()
    .describe('Refused with CONFLICT where the memory has another version.'),
  idempotencyKey: IdempotencyKey,
  includeVector: IncludeVector,
});
export type UpdateMemory = z.output<typeof UpdateMemory>;

const DeleteMemory = MemoryKey.extend({ idempotencyKey: IdempotencyKey });
export type DeleteMemory = z.output<typeof DeleteMemory>;

const BulkDeleteMemories = z.strictObject({
  tenant: Tenant,
  ids: z.array(MemoryId).min(1).max(BULK_ITEMS_MAX),
  idempotencyKey: IdempotencyKey,
});
export type BulkDeleteMemories = z.output<typeof BulkDeleteMemories>;

const DeleteAnswer = z.object({
  success: z.literal(true),
  scope: ScopeEffect.nullable().describe('Null where there was no such memory.'),
});
export type DeleteAnswer = z.output<typeof DeleteAnswer>;

const WRITTEN_EXAMPLE: MemoryAnswer = {
  memory: SHOWN_MEMORY_EXAMPLE,
  embeddingGenerated: true,
  deduplicated: false,
  scope: { changes: 1, dueAt: null, trigger: null },
};
const ID = SHOWN_MEMORY_EXAMPLE.id;

export const memory = {
  add: operation({
    name: 'memory.add',
    kind: 'mutation',
    summary:
      'Adds a memory to the scope that the layer and the identifiers name. Messages go to ' +
      '`memory.addMessages`.',
    input: AddMemory,
    output: MemoryAnswer,
    example: {
      input: {
        tenant: 'acme',
        layer: 'user',
        identifiers: { userId: 'dana' },
        content: 'Dana wants the decision first.',
        tags: ['style'],
        metadata: { priority: 2 },
      },
      output: WRITTEN_EXAMPLE,
    },
    role: 'write',
    cost: 'embedding',
    errors: ['INVALID_LAYER', 'MISSING_IDENTIFIER', 'CONTENT_TOO_LONG', 'CONFLICT'],
    commands: ['demo'],
    run: addMemory,
  }),
  bulkAdd: operation({
    name: 'memory.bulkAdd',
    kind: 'mutation',
    summary:
      'Adds many memories; each has an outcome of its own. An input that does not fit refuses ' +
      'the whole call before anything is written.',
    input: BulkAddMemories,
    output: bulkAnswer(AddedItem),
    example: {
      input: {
        tenant: 'acme',
        memories: [
          {
            layer: 'project',
            identifiers: { projectId: 'checkout' },
            content: 'Checkout launches on December 1.',
            key: 'launch',
          },
        ],
      },
      output: {
        items: [
          {
            ok: true,
            id: ID,
            key: 'launch',
            version: 1,
            embeddingGenerated: true,
            deduplicated: false,
          },
        ],
        succeeded: 1,
        failed: 0,
      },
    },
    role: 'write',
    cost: 'embeddings',
    errors: ['CONFLICT'],
    commands: ['import', 'demo'],
    run: bulkAddMemories,
  }),
  get: operation({
    name: 'memory.get',
    kind: 'query',
    summary: 'One memory by its id; null for an unknown id, whosever it may be elsewhere.',
    input: GetMemory,
    output: ShownMemory.nullable(),
    example: { input: { tenant: 'acme', id: ID }, output: SHOWN_MEMORY_EXAMPLE },
    role: 'read',
    cost: 'none',
    errors: [],
    commands: ['demo'],
    run: getMemory,
  }),
  update: operation({
    name: 'memory.update',
    kind: 'mutation',
    summary: 'Changes the text, the tags or fields of the metadata of a memory.',
    input: UpdateMemory,
    output: MemoryAnswer,
    example: {
      input: { tenant: 'acme', id: ID, metadata: { priority: 3 }, expectedVersion: 1 },
      output: {
        ...WRITTEN_EXAMPLE,
        memory: { ...SHOWN_MEMORY_EXAMPLE, metadata: { priority: 3 }, version: 2 },
        embeddingGenerated: false,
      },
    },
    role: 'write',
    cost: 'embedding',
    errors: ['MEMORY_NOT_FOUND', 'CONFLICT', 'CONTENT_TOO_LONG'],
    commands: ['import', 'demo'],
    run: updateMemory,
  }),
  delete: operation({
    name: 'memory.delete',
    kind: 'mutation',
    summary:
      'Deletes a memory; what summaries say by it is gone at once. Succeeds for an unknown id ' +
      'too, so that a repeated call is no error.',
    input: DeleteMemory,
    output: DeleteAnswer,
    example: {
      input: { tenant: 'acme', id: ID },
      output: { success: true, scope: { changes: 2, dueAt: 1_795_273_215_000, trigger: 'Urgent' } },
    },
    role: 'write',
    cost: 'none',
    errors: ['CONFLICT'],
    commands: ['demo'],
    run: deleteMemory,
  }),
  bulkDelete: operation({
    name: 'memory.bulkDelete',
    kind: 'mutation',
    summary: 'Deletes many memories; what is not there, or is another’s, counts as deleted.',
    input: BulkDeleteMemories,
    output: bulkAnswer(DeletedItem),
    example: {
      input: { tenant: 'acme', ids: [ID] },
      output: { items: [{ ok: true, id: ID }], succeeded: 1, failed: 0 },
    },
    role: 'write',
    cost: 'none',
    errors: ['CONFLICT'],
    commands: { none: 'A program deletes what it added.' },
    run: bulkDeleteMemories,
  }),
};
