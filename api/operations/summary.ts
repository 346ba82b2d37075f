/**
 * Operations on summaries, on those that are dead letters, and on contexts built from summaries.
 */
import { z } from 'zod';
import {
  EXCLUSION_REASONS,
  INCLUSION_REASONS,
  LAYOUTS,
  type AssembledContext,
} from '#core/context/context-parts.ts';
import type { LayerRelevance } from '#core/context/relevance.ts';
import { Layer } from '#core/layer.ts';
import { Trust } from '#core/records/memory.ts';
import { Depth, Fact, Summary, Usage } from '#core/records/summary.ts';
import type { ServedSummary as CoreServedSummary } from '#core/refresh/served-summary.ts';
import { contextFor } from '../context.ts';
import { listDeadLetters, retryDeadLetters } from '../dead-letters.ts';
import { getSummary, listSummaries } from '../summaries.ts';
import { FRESH_EXAMPLE, Freshness, ServedDepth, ShownScope } from './answers.ts';
import { AskedIdentifiers, AskedLayer, At, listOf, Query, Tenant, Text, Time } from './fields.ts';
import { operation } from './operation.ts';

const GetSummary = z.strictObject({
  tenant: Tenant,
  layer: AskedLayer,
  identifiers: AskedIdentifiers,
  depth: Depth.default('paragraph').describe('At most 50, 200 or 500 tokens.'),
});
export type GetSummary = z.output<typeof GetSummary>;

const ServedMetadata = z.object({
  id: z.string().describe('Of this generation of the summary.'),
  layer: Layer,
  scopeId: z.string(),
  facts: listOf(Fact).describe('What it says, each with the sources it rests on.'),
  sourceHash: z.string(),
  sourceCount: z.number(),
  model: z.string(),
  usage: Usage,
  priceMicroDollars: z.number(),
  generatedAt: Time,
  checkedAt: Time.describe('When a refresh last found it equal to its sources.'),
  personalized: z.boolean(),
  freshness: Freshness,
});

const SummaryAnswer = ServedMetadata.extend(ServedDepth.shape);
export type SummaryAnswer = z.output<typeof SummaryAnswer>;

const ServedSummary = ServedMetadata.extend({
  depths: z.partialRecord(Depth, ServedDepth),
}) satisfies z.ZodType<CoreServedSummary>;

const ListSummaries = z.strictObject({
  tenant: Tenant,
  identifiers: AskedIdentifiers,
  query: Query.optional().describe('The answer then says how relevant each layer is to it.'),
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

const ListedSummaries = z.object({
  summaries: listOf(
    z.object({
      scope: ShownScope,
      summary: ServedSummary.nullable().describe('Null where none was made yet.'),
      freshness: Freshness,
      contextVector: Summary.shape.contextVector,
      relevance: Relevance.nullable().describe('Null where no question was asked.'),
    }),
  ),
  skippedLayers: listOf(Layer).describe('Layers without their identifier.'),
});
export type ListedSummaries = z.output<typeof ListedSummaries>;

const ListDeadLetters = z.strictObject({
  tenant: Tenant,
  limit: z.int().min(1).max(1_000).default(100),
});
export type ListDeadLetters = z.output<typeof ListDeadLetters>;

const DeadLetter = z.object({
  layer: Layer,
  scopeId: z.string(),
  code: z.string(),
  reason: z.string(),
  since: Time,
  changes: z.number().describe('Writes that its summary does not know of.'),
});
export type DeadLetter = z.output<typeof DeadLetter>;

const DeadLetters = z.object({ deadLetters: listOf(DeadLetter), total: z.number() });
export type DeadLetters = z.output<typeof DeadLetters>;

const RetryDeadLetters = z.strictObject({
  tenant: Tenant,
  layer: Layer.optional(),
  scopeId: Text.min(1).max(256).optional(),
});
export type RetryDeadLetters = z.output<typeof RetryDeadLetters>;

const Retried = z.object({ retried: z.number().describe('Scopes that are due again.') });
export type Retried = z.output<typeof Retried>;

const AssembleContext = z.strictObject({
  tenant: Tenant,
  identifiers: AskedIdentifiers,
  query: Query.describe('What the agent is asked.'),
  maxTokens: z
    .int()
    .min(1)
    .optional()
    .describe('Capped by the policy of the tenant, whose value is the default.'),
  layerSummaries: z
    .boolean()
    .default(true)
    .describe('Whether summaries of the open layers are shown, and use what is left.'),
  ownSession: z
    .boolean()
    .default(true)
    .describe('False if the caller itself shows the messages of the session that it names.'),
  layout: z
    .enum(LAYOUTS)
    .default('byQuestion')
    .describe(
      'cacheStable puts what no question changes first and keeps its bytes, for caches of prompts.',
    ),
  at: At.optional().describe('When it is asked, for "last week" and the like; now where absent.'),
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
  key: z.string().nullable().describe('The caller’s own name of a memory; null of all others.'),
  layer: Layer.nullable(),
  included: z.boolean(),
  reason: z.enum([...INCLUSION_REASONS, ...EXCLUSION_REASONS]),
  depth: Depth.nullable(),
  tokens: z.number(),
  sources: listOf(z.string()),
  freshness: Freshness.nullable(),
  trust: Trust.nullable(),
  relevance: z.number().nullable(),
  similarity: z.number().nullable(),
  personalized: z.boolean().nullable(),
  sinceThen: listOf(z.string()).describe(
    'Those of the sources that stand behind a summary because they are newer than it.',
  ),
});

const Assembled = z.object({
  text: z.string().describe('What the agent is handed.'),
  tokens: z.number().describe('Of the text; never above the limit.'),
  limit: z.number(),
  receipt: listOf(ReceiptLine).describe('Why each part is in or out.'),
}) satisfies z.ZodType<AssembledContext>;

const ContextAnswer = Assembled.extend({
  budget: z
    .object({
      requested: z.number().nullable(),
      applied: z.number(),
      estimatedUsed: z.number(),
    })
    .describe('What was asked for, what the cap left of it, and what the text uses.'),
  stablePrefixTokens: z
    .number()
    .nullable()
    .describe(
      'Leading tokens that the last context of this caller and process had too; null in the ' +
        'layout byQuestion.',
    ),
  degraded: z.boolean().describe('Whether related memories were found by their words alone.'),
  degradedReason: z.string().nullable(),
});
export type ContextAnswer = z.output<typeof ContextAnswer>;

const SENTENCE = {
  text: 'Dana prefers answers that begin with the decision.',
  sources: ['019aa5c2-7c1e-7b52-9f0e-6a1f0b1583cb'],
  trust: 'stated' as const,
  sinceThen: false,
};
const DEPTH = { text: SENTENCE.text, tokens: 8, sentences: [SENTENCE], cut: false };
const METADATA: z.output<typeof ServedMetadata> = {
  id: '019aa5c9-1111-7a52-8f0e-000000000001',
  layer: 'user',
  scopeId: 'dana',
  facts: [
    {
      text: SENTENCE.text,
      sources: SENTENCE.sources,
      quote: null,
      speaker: null,
      trust: 'stated',
      at: 1_795_273_200_000,
    },
  ],
  sourceHash: '8c6a1f0b1583cb00',
  sourceCount: 8,
  model: 'extractive',
  usage: { inputTokens: 156, outputTokens: 37 },
  priceMicroDollars: 0,
  generatedAt: 1_795_273_260_000,
  checkedAt: 1_795_273_260_000,
  personalized: false,
  freshness: FRESH_EXAMPLE,
};

export const summary = {
  get: operation({
    name: 'summary.get',
    kind: 'query',
    summary: 'The summary of one layer at one depth; null where it was not made.',
    input: GetSummary,
    output: SummaryAnswer.nullable(),
    example: {
      input: {
        tenant: 'acme',
        layer: 'user',
        identifiers: { userId: 'dana' },
        depth: 'sentence',
      },
      output: { ...METADATA, ...DEPTH },
    },
    role: 'read',
    cost: 'none',
    errors: ['INVALID_LAYER', 'MISSING_IDENTIFIER'],
    commands: {
      none: 'varve context shows summaries beside their receipt, and varve demo at every depth.',
    },
    run: getSummary,
  }),
  list: operation({
    name: 'summary.list',
    kind: 'query',
    summary:
      'The summaries of all layers that the identifiers open, the more specific first, with ' +
      'how fresh each is.',
    input: ListSummaries,
    output: ListedSummaries,
    example: {
      input: { tenant: 'acme', identifiers: { userId: 'dana' } },
      output: {
        summaries: [
          {
            scope: { tenant: 'acme', layer: 'user', scopeId: 'dana' },
            summary: { ...METADATA, depths: { sentence: DEPTH } },
            freshness: FRESH_EXAMPLE,
            contextVector: null,
            relevance: null,
          },
        ],
        skippedLayers: ['agent', 'session', 'project', 'team', 'org', 'company'],
      },
    },
    role: 'read',
    cost: 'embedding',
    errors: [],
    commands: ['demo', 'import'],
    run: listSummaries,
  }),
  deadLetters: operation({
    name: 'summary.deadLetters',
    kind: 'query',
    summary: 'Dead letters: scopes that failed three times, the oldest first.',
    input: ListDeadLetters,
    output: DeadLetters,
    example: {
      input: { tenant: 'acme' },
      output: {
        deadLetters: [
          {
            layer: 'project',
            scopeId: 'checkout',
            code: 'MODEL_OUTPUT_INVALID',
            reason: 'The answer of the model is no JSON.',
            since: 1_795_273_200_000,
            changes: 3,
          },
        ],
        total: 1,
      },
    },
    role: 'operate',
    cost: 'none',
    errors: [],
    commands: ['summaries dead-letters'],
    run: listDeadLetters,
  }),
  retry: operation({
    name: 'summary.retry',
    kind: 'mutation',
    summary: 'Makes dead letters due again: all of a tenant, those of a layer, or one.',
    input: RetryDeadLetters,
    output: Retried,
    example: { input: { tenant: 'acme', layer: 'project' }, output: { retried: 1 } },
    role: 'operate',
    cost: 'none',
    errors: [],
    commands: ['summaries retry'],
    run: retryDeadLetters,
  }),
};

export const context = {
  assemble: operation({
    name: 'context.assemble',
    kind: 'query',
    summary:
      'Assembles the context for a question inside a token limit, with a receipt that says why ' +
      'each part is in or out.',
    input: AssembleContext,
    output: ContextAnswer,
    example: {
      input: {
        tenant: 'acme',
        identifiers: { userId: 'dana', projectId: 'checkout' },
        query: 'When does the checkout launch?',
        maxTokens: 900,
      },
      output: {
        text: 'Question\n\nWhen does the checkout launch?',
        tokens: 9,
        limit: 900,
        receipt: [
          {
            kind: 'query',
            id: 'query',
            key: null,
            layer: null,
            included: true,
            reason: 'Always',
            depth: null,
            tokens: 9,
            sources: [],
            freshness: null,
            trust: null,
            relevance: null,
            similarity: null,
            personalized: null,
            sinceThen: [],
          },
        ],
        budget: { requested: 900, applied: 900, estimatedUsed: 9 },
        stablePrefixTokens: null,
        degraded: false,
        degradedReason: null,
      },
    },
    role: 'read',
    cost: 'embedding',
    errors: ['CONTEXT_LIMIT_TOO_SMALL'],
    commands: ['context', 'demo'],
    run: contextFor,
  }),
};
