/** What the operation that assembles a context takes and answers. */
import { z } from 'zod';
import type { AssembledContext } from '#core/context/assemble-context.ts';
import { LAYOUTS } from '#core/context/context-parts.ts';
import { EXCLUSION_REASONS, INCLUSION_REASONS } from '#core/context/context-receipt.ts';
import { Layer } from '#core/layer.ts';
import { Trust } from '#core/trust.ts';
import { Depth } from '#core/records/summary.ts';
import { Freshness } from './shared-answers.ts';
import { AskedIdentifiers, listOf, Query, SaidTime, Tenant } from './shared-fields.ts';

export const AssembleContext = z.strictObject({
  tenant: Tenant,
  identifiers: AskedIdentifiers,
  query: Query.describe('The question to the agent.'),
  maxTokens: z
    .int()
    .min(1)
    .optional()
    .describe(
      'Token limit of the context; default and maximum: the limit in the policy of the tenant.',
    ),
  layerSummaries: z
    .boolean()
    .default(true)
    .describe('Whether the context shows summaries of the open layers, in the room that is left.'),
  ownSession: z
    .boolean()
    .default(true)
    .describe('False if you show the messages of the named session to the model yourself.'),
  layout: z
    .enum(LAYOUTS)
    .default('byQuestion')
    .describe(
      'byQuestion: the question determines the depth of each summary. ' +
        'cacheStable: for prompt caches; what no question changes comes first, ' +
        'byte for byte.',
    ),
  at: SaidTime.optional().describe(
    'The time of the question, which "last week" counts from; now by default.',
  ),
});
export type AssembleContext = z.output<typeof AssembleContext>;

const ReceiptLine = z.object({
  kind: z.enum([
    'instructions',
    'layerSummary',
    'sessionSummary',
    'hotTurn',
    'pastTurn',
    'relatedEntity',
    'query',
  ]),
  id: z.string(),
  key: z.string().nullable().describe('The key of a memory; null for all other parts.'),
  layer: Layer.nullable(),
  included: z.boolean(),
  reason: z.enum([...INCLUSION_REASONS, ...EXCLUSION_REASONS]),
  depth: Depth.nullable(),
  tokens: z
    .number()
    .describe(
      'Tokens of the words of the part. The headings, days, speakers, marks and line breaks ' +
        'around it count only in `tokens` of the answer, so the parts add up to less.',
    ),
  sources: listOf(z.string()),
  freshness: Freshness.nullable(),
  trust: Trust.nullable(),
  relevance: z
    .number()
    .nullable()
    .describe(
      'How relevant the part is; null if Varve did not compare it, or for an ' +
        'earlier turn that fits nothing in the question.',
    ),
  similarity: z.number().nullable(),
  personalized: z.boolean().nullable(),
  sinceThen: listOf(z.string()).describe(
    'Sources that follow the summary because they are newer than it.',
  ),
});

const Assembled = z.object({
  text: z
    .string()
    .describe(
      'The context, to give to the agent. Later words replace a line that ends with “(earlier)”, ' +
        'and may replace one that ends with “(earlier? see 06-10)”.',
    ),
  tokens: z.int().describe('Tokens of the text; never above the limit.'),
  limit: z.int(),
  receipt: listOf(ReceiptLine).describe('Why each part is in the context or not.'),
}) satisfies z.ZodType<AssembledContext>;

export const ContextAnswer = Assembled.extend({
  budget: z
    .object({
      requested: z.int().nullable(),
      applied: z.int(),
      estimatedUsed: z.int(),
    })
    .describe(
      'The limit that was requested, the limit that was applied, and the tokens ' +
        'that the text uses.',
    ),
  stablePrefixTokens: z
    .number()
    .nullable()
    .describe(
      'How many leading tokens equal those of the last context of this caller in ' +
        'this process; null with the layout byQuestion.',
    ),
  degraded: z
    .boolean()
    .describe('True if memories were found by their words alone, without vectors.'),
  degradedReason: z.string().nullable(),
});
export type ContextAnswer = z.output<typeof ContextAnswer>;
