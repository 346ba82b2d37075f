/** Messages whose lasting statements are to be kept, and what became of each statement. */
import { z } from 'zod';
import { EXTRACTION_EVENTS, STATEMENT_KINDS } from '#core/records/extracted-statement.ts';
import { Layer } from '#core/layer.ts';
import { EXTRACTION_FIELDS } from '../metadata.ts';
import {
  AskedIdentifiers,
  At,
  listOf,
  MessageContent,
  MetadataFields,
  Tenant,
  Text,
} from './fields.ts';

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
          .describe('A message of the same id has its effect once, also where it is sent again.'),
        role: z.enum(['user', 'assistant', 'system', 'tool']),
        speaker: Text.max(256).optional().describe('Who spoke, where a role says too little.'),
        content: MessageContent,
        at: At.optional().describe('When it was said; now where absent.'),
      }),
    )
    .min(1)
    .max(MESSAGES_PER_CALL_MAX)
    .describe('In their order.'),
  metadata: MetadataFields.refine(
    (fields) => EXTRACTION_FIELDS.every((name) => !Object.hasOwn(fields, name)),
    { error: `expected none of ${EXTRACTION_FIELDS.join(', ')}, which extraction sets itself` },
  )
    .optional()
    .describe('Fields of every memory that is kept, beside those that extraction sets itself.'),
  expiresAt: At.optional().describe('From then on they are not found; never where absent.'),
});
export type AddMessages = z.output<typeof AddMessages>;

export const ExtractionResult = z.object({
  event: z
    .enum(EXTRACTION_EVENTS)
    .describe(
      'SUPERSEDE: added in place of what it ends. NOOP: known, or outdated by a newer one.',
    ),
  id: z
    .string()
    .nullable()
    .describe('Of the memory that says it; null where that was deleted since.'),
  text: z.string().describe('The words of the message, as they are kept.'),
  supersedes: listOf(z.string()).describe('Ids of memories that are true no more.'),
  kind: z.enum(STATEMENT_KINDS),
  layer: Layer.describe('Where it is kept.'),
  source: z.string().describe('Id of the message that says it.'),
  reason: z.enum(['Known', 'Outdated']).optional().describe('Of a NOOP.'),
});

export const AddMessagesAnswer = z.object({
  results: listOf(ExtractionResult).describe(
    'One for each statement that lasts, in order; most messages say none.',
  ),
});
export type AddMessagesAnswer = z.output<typeof AddMessagesAnswer>;
