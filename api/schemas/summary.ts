/** What operations on summaries and dead letters take and answer. */
import { z } from 'zod';
import type { LayerRelevance } from '#core/context/layer-relevance.ts';
import { Layer } from '#core/layer.ts';
import { Depth, Fact, Summary, Usage } from '#core/records/summary.ts';
import type { ServedSummary as CoreServedSummary } from '#core/refresh/served-summary.ts';
import { Freshness, ServedDepth, ShownScope } from './shared-answers.ts';
import {
  AskedIdentifiers,
  AskedLayer,
  listOf,
  Query,
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
