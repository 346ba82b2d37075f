/** What mem0's clients send, with their field names. */
import { DAY_MS } from '#core/duration.ts';
import { z } from 'zod';
import { Identifiers } from '#core/identifiers.ts';
import { isPlainObject } from '#core/sources/metadata-limits.ts';
import { Content, MetadataFields, Query, Tags } from '../schemas/shared-fields.ts';

const SECOND_MS = 1_000;
const PAGE_SIZE_DEFAULT = 100;
const PAGE_SIZE_MAX = 500;
const BATCH_ITEMS_MAX = 1_000;
const TOP_K_DEFAULT = 10;
const TOP_K_MAX = 1_000;

const { userId, agentId, projectId, sessionId } = Identifiers.shape;
const EntityIds = z.strictObject({
  user_id: userId.nullish(),
  agent_id: agentId.nullish(),
  app_id: projectId.nullish(),
  run_id: sessionId.nullish(),
});

export type AskedEntities = z.output<typeof EntityIds>;

const Any = z.unknown().optional();
/**
 * Fields that are accepted without effect: who pays, formats of one answer, and hints for a model
 * that Varve does not call. The tenant comes from the key or the address, never from a field.
 */
const NO_EFFECT = {
  org_id: Any,
  project_id: Any,
  org_name: Any,
  project_name: Any,
  api_version: Any,
  version: Any,
  async_mode: Any,
  enable_graph: Any,
  source: Any,
};

const Filters = z.unknown().optional();

/** Only text is kept; a message without words, such as a tool call, is ignored. */
const MessageText = z
  .union(
    [
      z.string(),
      z.array(z.object({ type: z.literal('text'), text: z.string() })),
      z.object({ type: z.literal('text'), text: z.string() }),
    ],
    'expected a text: Varve keeps no images or files',
  )
  .nullish()
  .transform((content) => {
    if (content === null || content === undefined || typeof content === 'string') return content;
    return [content]
      .flat()
      .map(({ text }) => text)
      .join('\n');
  });

const Message = z.object({
  role: z.enum(['user', 'assistant', 'system', 'tool']),
  content: MessageText,
  name: z.string().optional(),
});
type Message = z.output<typeof Message>;

/** Accepts one message, or its text alone, in place of a list. */
function listed(messages: unknown): unknown {
  if (typeof messages === 'string') return [{ role: 'user', content: messages }];
  return isPlainObject(messages) ? [messages] : messages;
}

export const AddBody = z.strictObject({
  messages: z.preprocess(
    listed,
    z.array(Message, 'expected a text, or messages of role and content').min(1),
  ),
  ...EntityIds.shape,
  filters: Filters,
  metadata: MetadataFields.nullish(),
  infer: z.boolean().default(true),
  timestamp: z
    .number('expected seconds since 1970')
    .transform((seconds) => Math.round(seconds * SECOND_MS))
    .nullish(),
  // The last day on which the memory is found; in Varve, it ends with the millisecond after that
  // day.
  expiration_date: z.iso
    .date('expected a day, such as 2027-01-31')
    .transform((day) => Date.parse(day) + DAY_MS)
    .nullish(),
  ...NO_EFFECT,
  output_format: Any,
  custom_categories: Any,
  custom_instructions: Any,
  agent_custom_instructions: Any,
  structured_data_schema: Any,
});
export type AddBody = z.output<typeof AddBody>;

const Selecting = {
  ...EntityIds.shape,
  filters: Filters,
  metadata: z.record(z.string(), z.unknown()).nullish(),
  categories: Tags.nullish(),
  latest_only: z.boolean().nullish(),
  show_expired: z.literal(false, 'expected false: Varve shows nothing that has expired').nullish(),
  fields: Any,
  output_format: z.string().nullish(),
  ...NO_EFFECT,
};

export const SearchBody = z.strictObject({
  query: Query,
  top_k: z.int().min(1).max(TOP_K_MAX).nullish(),
  limit: z.int().min(1).max(TOP_K_MAX).nullish(),
  threshold: z.number().min(0).max(1).nullish(),
  ...Selecting,
  rerank: Any,
  keyword_search: Any,
  filter_memories: Any,
  reference_date: Any,
});

export function topKOf({ top_k: topK, limit }: z.output<typeof SearchBody>): number {
  return topK ?? limit ?? TOP_K_DEFAULT;
}

const PageNumber = z.coerce.number().pipe(z.int().min(1));
export const Page = z.strictObject({
  page: PageNumber.nullish().transform((page) => page ?? 1),
  page_size: PageNumber.pipe(z.int().max(PAGE_SIZE_MAX))
    .nullish()
    .transform((size) => size ?? PAGE_SIZE_DEFAULT),
});
export type Page = z.output<typeof Page>;

export const ListBody = z.strictObject({ ...Selecting, ...Page.shape });

/** In a query string, `latest_only` is a word. */
export const ListQuery = ListBody.extend({ latest_only: z.stringbool().optional() });

export const EntitiesQuery = z.strictObject({ ...Page.shape, ...NO_EFFECT });

export const UpdateBody = z
  .strictObject({
    text: Content.optional(),
    metadata: MetadataFields.nullish(),
    ...NO_EFFECT,
  })
  .refine(({ text, metadata }) => text !== undefined || metadata != null, {
    path: ['text'],
    error: 'expected a text or metadata',
  });

/** The clients write an object into the address in a form that can't be read back. */
export const DeleteAllQuery = z.strictObject({
  ...EntityIds.shape,
  filters: z.undefined('expected user_id, agent_id, app_id or run_id by themselves').optional(),
  ...NO_EFFECT,
});

export const DeleteQuery = z.strictObject({
  ...NO_EFFECT,
  delete_linked: z
    .enum(['false', 'False'], 'expected false: what a memory superseded is never found again')
    .optional(),
});

const MemoryIdField = z.string().min(1);
export const BatchUpdateBody = z.strictObject({
  memories: z
    .array(
      z.strictObject({
        memory_id: MemoryIdField,
        text: Content.optional(),
        metadata: MetadataFields.nullish(),
      }),
    )
    .min(1)
    .max(BATCH_ITEMS_MAX),
  ...NO_EFFECT,
});

export const BatchDeleteBody = z.strictObject({
  memories: z
    .array(z.strictObject({ memory_id: MemoryIdField }))
    .min(1)
    .max(BATCH_ITEMS_MAX),
  ...NO_EFFECT,
});

export const Nothing = z.strictObject({ ...NO_EFFECT });
