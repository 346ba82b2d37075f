/** What operations on summaries, dead letters and contexts take and answer. */
import { z } from 'zod';
import type { AssembledContext } from '#core/context/assemble-context.ts';
import { LAYOUTS } from '#core/context/context-parts.ts';
import { EXCLUSION_REASONS, INCLUSION_REASONS } from '#core/context/context-receipt.ts';
import type { LayerRelevance } from '#core/context/layer-relevance.ts';
import { Layer } from '#core/layer.ts';
import { Trust } from '#core/trust.ts';
import { Depth, Fact, Summary, Usage } from '#core/records/summary.ts';
import type { ServedSummary as CoreServedSummary } from '#core/refresh/served-summary.ts';
import { Freshness, ServedDepth, ShownScope } from './shared-answers.ts';
import {
  AskedIdentifiers,
  AskedLayer,
  listOf,
  Query,
  SaidTime,
  Tenant,
  Text,
  Time,
} from './shared-fields.ts';

export const GetSummary = z.strictObject({
  tenant: Tenant,
  layer: AskedLayer,
  identifiers: AskedIdentifiers,
  depth: Depth.default('paragraph').describe('Length of the text: at most 50, 200 or 500 tokens.'),
});

export const ServedMetadata = z.object({
  id: z.string().describe('Id of this version of the summary.'),
  layer: Layer,
  scopeId: z.string(),
  facts: listOf(Fact).describe('Facts of the summary, each with its sources.'),
  sourceHash: z.string(),
  sourceCount: z.int(),
  model: z.string(),
  usage: Usage,
  priceMicroDollars: z.int(),
  generatedAt: Time,
  checkedAt: Time.describe('When a refresh last found that it agrees with its sources.'),
  personalized: z.boolean(),
  freshness: Freshness,
});

export const SummaryAnswer = ServedMetadata.extend(ServedDepth.shape);

const ServedSummary = ServedMetadata.extend({
  depths: z.partialRecord(Depth, ServedDepth),
}) satisfies z.ZodType<CoreServedSummary>;

export const ListSummaries = z.strictObject({
  tenant: Tenant,
  identifiers: AskedIdentifiers,
  query: Query.optional().describe(
    'A question; with it, the answer says how relevant each layer is.',
  ),
});
export type ListSummaries = z.output<typeof ListSummaries>;

const Relevance = z
  .object({
    relevance: z.number(),
    similarity: z.number().nullable(),
    semanticScore: z.number().nullable(),
    keywordScore: z.number(),
  })
  .meta({ id: 'Relevance' }) satisfies z.ZodType<LayerRelevance>;

export const ListedSummaries = z.object({
  summaries: listOf(
    z.object({
      scope: ShownScope,
      summary: ServedSummary.nullable().describe('Null if none was made yet.'),
      freshness: Freshness,
      contextVector: Summary.shape.contextVector,
      relevance: Relevance.nullable().describe('Null without a `query`.'),
    }),
  ),
  skippedLayers: listOf(Layer).describe(
    'Layers that were not searched, because the call does not name their identifier.',
  ),
});
export type ListedSummaries = z.output<typeof ListedSummaries>;

export const ListDeadLetters = z.strictObject({
  tenant: Tenant,
  limit: z.int().min(1).max(1_000).default(100),
});

const DeadLetter = z.object({
  layer: Layer,
  scopeId: z.string(),
  code: z.string(),
  reason: z.string(),
  since: Time,
  changes: z.int().describe('Writes that its summary does not include yet.'),
});
export type DeadLetter = z.output<typeof DeadLetter>;

export const DeadLetters = z.object({ deadLetters: listOf(DeadLetter), total: z.int() });
export type DeadLetters = z.output<typeof DeadLetters>;

export const RetryDeadLetters = z.strictObject({
  tenant: Tenant,
  layer: Layer.optional(),
  scopeId: Text.min(1).max(256).optional(),
});

export const Retried = z.object({
  retried: z.int().describe('Number of scopes that are due again.'),
});

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
