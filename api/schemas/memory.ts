/** What operations on memories by id take and answer, and the operation that reads messages. */
import { z } from 'zod';
import { ERRORS, type ErrorCode } from '#core/error-codes.ts';
import { Layer } from '#core/layer.ts';
import { BULK_ITEMS_MAX } from '#core/ports/memory-provider.ts';
import {
  EXTRACTION_EVENTS,
  RULES_REASONS,
  STATEMENT_KINDS,
} from '#core/records/extracted-statement.ts';
import { MEMORY_LENGTH_MAX } from '#core/records/memory.ts';
import { CONTENT_KEY } from '#memory/new-memory.ts';
import { EXTRACTION_FIELDS } from '#core/sources/metadata-limits.ts';
import { TAKEN_ELSEWHERE } from '../parse-input.ts';
import { ScopeEffect, ShownMemory } from './shared-answers.ts';
import {
  AskedIdentifiers,
  AskedLayer,
  At,
  Content,
  IdempotencyKey,
  IncludeVector,
  listOf,
  MemoryId,
  SaidText,
  MetadataFields,
  Name,
  SaidTime,
  SessionId,
  Speaker,
  Tags,
  Tenant,
  Text,
} from './shared-fields.ts';

/** A caller's own key. It must not start like the keys of `deduplicate`, to avoid confusion. */
const Key = Name.min(1)
  .max(512)
  .refine((key) => !key.startsWith(CONTENT_KEY), {
    error: `expected a key that does not begin with "${CONTENT_KEY}"`,
  });

const LENGTH_MAX = MEMORY_LENGTH_MAX.toLocaleString('en-US');

const NewMemory = z.strictObject({
  layer: AskedLayer,
  identifiers: AskedIdentifiers,
  content: Content.describe(`The text to remember, at most ${LENGTH_MAX} characters.`),
  key: Key.optional().describe('Your own name for the memory, unique within its scope.'),
  onConflict: z
    .enum(['update', 'error'])
    .default('update')
    .describe(
      'What to do if a memory of the scope has this key and another text: update ' +
        'the memory, or refuse the call with CONFLICT. A text that was true before that of the ' +
        'memory (by `at`) does not change it: it is added as superseded by it.',
    ),
  deduplicate: z
    .literal('Exact')
    .optional()
    .describe(
      'Text that the scope already has is not added again: its memory gets the later time, the ' +
        'tags and metadata of both, and the expiry of the repeat. If another value has replaced ' +
        'it meanwhile, the repeat is added as the newest statement.',
    ),
  kind: z.enum(['memory', 'entity']).default('memory'),
  tags: Tags.default([]),
  metadata: MetadataFields.default({}).describe('Your own JSON fields, to filter by.'),
  at: SaidTime.optional().describe(
    'When it was said or began to be true; now by default. A memory dated in ' +
      'the future holds from that day: before it, the memory ends no other one, ' +
      'and contexts show it as coming.',
  ),
  expiresAt: At.optional().describe(
    'When the memory expires and is no longer found; later than now and than `at`. By default, ' +
      'it never expires.',
  ),
});

export const AddMemory = z.strictObject({
  tenant: Tenant,
  ...NewMemory.shape,
  idempotencyKey: IdempotencyKey,
  includeVector: IncludeVector,
});
TAKEN_ELSEWHERE.add(AddMemory, {
  messages: 'memory.addMessages takes it',
  memories: 'memory.bulkAdd takes it',
});
/** The parsed input, with its defaults filled in. */
export type AddMemory = z.output<typeof AddMemory>;

export const MemoryAnswer = z
  .object({
    memory: ShownMemory,
    embeddingGenerated: z
      .boolean()
      .describe('False if there was nothing to embed, or the embedder did not answer.'),
    deduplicated: z
      .boolean()
      .describe('True if the scope already had this memory, by its key or its content.'),
    scope: ScopeEffect,
  })
  .meta({ id: 'StoredMemory' });
export type MemoryAnswer = z.output<typeof MemoryAnswer>;

/** How extraction made a memory, as an export tells it. */
const Extracted = z.strictObject({
  sessionId: SessionId,
  turnId: Name.min(1).max(256),
  supersedes: z.array(MemoryId).max(BULK_ITEMS_MAX).default([]),
  repeats: MemoryId.optional(),
});

const BulkMemory = NewMemory.extend({
  extracted: Extracted.optional().describe(
    'Only for a memory that Varve extracted elsewhere: the turn that it comes from and is ' +
      'deleted with, the memories of its scope that it ends, and the one that it only repeats.',
  ),
});

export const BulkAddMemories = z.strictObject({
  tenant: Tenant,
  memories: z.array(BulkMemory).min(1).max(BULK_ITEMS_MAX),
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

export const AddedItem = z
  .object({
    ok: z.literal(true),
    id: z.string(),
    key: z.string().nullable(),
    version: z.int(),
    embeddingGenerated: z.boolean(),
    deduplicated: z.boolean(),
  })
  .meta({ id: 'AddedItem' });
export type AddedItem = z.output<typeof AddedItem>;

export const DeletedItem = z
  .object({ ok: z.literal(true), id: z.string() })
  .meta({ id: 'DeletedItem' });
export type DeletedItem = z.output<typeof DeletedItem>;

export function bulkAnswerSchema<T extends z.ZodType>(item: T) {
  return z.object({
    items: listOf(z.union([item, ItemFailure])).describe(
      'One entry for each item, in the order of the input.',
    ),
    succeeded: z.int(),
    failed: z.int(),
  });
}

const MemoryKey = z.strictObject({ tenant: Tenant, id: MemoryId });

export const GetMemory = MemoryKey.extend({ includeVector: IncludeVector });

export const UpdateMemory = MemoryKey.extend({
  content: Content.optional().describe('The new text.'),
  tags: Tags.optional().describe('The complete list: tags that it does not name are removed.'),
  metadata: MetadataFields.optional().describe('Fields to set; the others stay.'),
  expectedVersion: z
    .int()
    .min(1)
    .optional()
    .describe(
      'The version that you read. If the memory has another one, Varve refuses ' +
        'the call with CONFLICT.',
    ),
  idempotencyKey: IdempotencyKey,
  includeVector: IncludeVector,
});

export const DeleteMemory = MemoryKey.extend({ idempotencyKey: IdempotencyKey });

export const BulkDeleteMemories = z.strictObject({
  tenant: Tenant,
  ids: z.array(MemoryId).min(1).max(BULK_ITEMS_MAX),
  idempotencyKey: IdempotencyKey,
});

export const DeleteAnswer = z.object({
  success: z.literal(true),
  deleted: z.boolean().describe('False if no memory had this id; nothing changed.'),
  scope: ScopeEffect.nullable().describe('Null if no memory had this id.'),
});

const MESSAGES_PER_CALL_MAX = 200;

export const AddMessages = z.strictObject({
  tenant: Tenant,
  identifiers: AskedIdentifiers,
  messages: z
    .array(
      z.strictObject({
        id: Text.min(1)
          .max(256)
          .optional()
          .describe('A message with the same id and text takes effect once, even if sent again.'),
        role: z.enum(['user', 'assistant', 'system', 'tool']),
        speaker: Speaker.describe('The name of the speaker, if the role is not enough.'),
        content: SaidText.max(MEMORY_LENGTH_MAX),
        at: SaidTime.optional().describe('When it was said; now by default.'),
      }),
    )
    .min(1)
    .max(MESSAGES_PER_CALL_MAX)
    .describe('In the order in which they were said.'),
  extractBy: z
    .enum(['Policy', 'Rules'])
    .default('Policy')
    .describe(
      'Who reads the messages: whoever the policy of the tenant names in `extraction.by`, or ' +
        'rules, which cost nothing and answer at once.',
    ),
  metadata: MetadataFields.refine(
    (fields) => EXTRACTION_FIELDS.every((name) => !Object.hasOwn(fields, name)),
    { error: `expected none of ${EXTRACTION_FIELDS.join(', ')}, which extraction sets itself` },
  )
    .optional()
    .describe('Fields for every memory that is kept, in addition to those that extraction sets.'),
  expiresAt: At.optional().describe(
    'When the memories expire and are no longer found; later than now and than every `at`. By ' +
      'default, they never expire.',
  ),
});

export const ExtractionResult = z.object({
  event: z
    .enum(EXTRACTION_EVENTS)
    .describe(
      'ADD: new. SUPERSEDE: added, and ends older memories. NOOP: already known, ' +
        'or outdated by a newer memory.',
    ),
  id: z
    .string()
    .nullable()
    .describe('Id of the memory that says it; null if that memory has been deleted.'),
  text: z.string().describe('The text of the memory, in the words of the message or of the model.'),
  supersedes: listOf(z.string()).describe('Ids of the memories that it ends.'),
  kind: z.enum(STATEMENT_KINDS),
  layer: Layer.describe('The layer that keeps it.'),
  source: z.string().describe('Id of the message that says it.'),
  reason: z.enum(['Known', 'Outdated']).optional().describe('Why the event is NOOP.'),
});

export const AddMessagesAnswer = z.object({
  results: listOf(ExtractionResult).describe(
    'One entry for each lasting statement. Most messages contain none.',
  ),
  extractedBy: z
    .enum(['Model', 'Rules'])
    .describe('Who read the messages; `Rules` if they read only some of them.'),
  reason: z
    .enum(RULES_REASONS)
    .optional()
    .describe(
      'Why rules read messages although the policy names a model. NoModel: none is configured. ' +
        'WorkersOnly: this process may not read its key. Unavailable, Refused, Unusable: it did ' +
        'not answer, refused the call, or answered something else. Unsupported: the messages ' +
        'support nothing of its answer. TooLong: the messages are more than it reads in one ' +
        'call. BudgetExhausted: the budget has no room for the call.',
    ),
});
export type AddMessagesAnswer = z.output<typeof AddMessagesAnswer>;
