/** Schemas shared by the answers of several operations. */
import { z } from 'zod';
import { Layer } from '#core/layer.ts';
import { Memory } from '#core/records/memory.ts';
import { Trust } from '#core/trust.ts';
import { DeadLetter, ScopeRecord } from '#core/records/scope-record.ts';
import { Trigger } from '#core/records/summary.ts';
import type {
  FreshnessReport,
  ServedDepth as CoreServedDepth,
} from '#core/refresh/served-summary.ts';
import { STALE_REASONS } from '#core/refresh/staleness.ts';
import { listOf, Time } from './shared-fields.ts';

const { vector: Vector, ...withoutVector } = Memory.shape;

/** A memory in an answer, without its vector unless the caller asks for it. */
export const ShownMemory = z
  .object({
    ...withoutVector,
    id: withoutVector.id.describe('A UUIDv7, so that ids sort by the time of writing.'),
    scopeId: withoutVector.scopeId.describe(
      'The identifier of its layer, such as the id of a user.',
    ),
    contentHash: withoutVector.contentHash.describe('SHA-256 of the text.'),
    key: withoutVector.key.describe('The name that its author gave it, unique within its scope.'),
    origin: withoutVector.origin.describe(
      'How the memory came in, who stated it, and what it was derived from.',
    ),
    trust: withoutVector.trust.describe('How far Varve trusts it; set by the server.'),
    validFrom: withoutVector.validFrom.describe('When the statement began to be true.'),
    utcOffset: withoutVector.utcOffset.describe(
      'UTC offset of `validFrom` in minutes; absent for UTC.',
    ),
    validTo: withoutVector.validTo.describe(
      'When it ceased, or will cease, to be true; null for an open end.',
    ),
    supersededBy: withoutVector.supersededBy.describe(
      'The id of the memory that replaced it, or will at `validTo`.',
    ),
    isRepeat: withoutVector.isRepeat.describe(
      'True if it only repeats the memory of `supersededBy`, from another session, and takes its ' +
        'place if that session is deleted; otherwise absent.',
    ),
    mentions: withoutVector.mentions.describe(
      'Ids of memories of its scope that introduce whom or what it names; absent without one.',
    ),
    expiresAt: withoutVector.expiresAt.describe('When the memory expires and is no longer found.'),
    version: withoutVector.version.describe('1 at first, and one more with each change.'),
    tokenCount: withoutVector.tokenCount.describe('Tokens of the content, counted by cl100k.'),
    embeddingGeneration: withoutVector.embeddingGeneration.describe(
      'The embedding model that made its vector.',
    ),
    vector: Vector.optional().describe('Only with `includeVector`.'),
  })
  .meta({ id: 'Memory' });
export type ShownMemory = z.output<typeof ShownMemory>;

export const ScopeEffect = z
  .object({
    changes: z.int().describe('Writes that the summary of the scope does not include yet.'),
    dueAt: Time.nullable().describe('When the summary is due; null if nothing is.'),
    trigger: Trigger.nullable().describe('What made it due.'),
  })
  .meta({ id: 'ScopeEffect', description: 'What the write did to its scope.' });
/** The effect of a write on its scope, which shows a caller at once what became stale and due. */
export type ScopeEffect = z.output<typeof ScopeEffect>;

export const Freshness = z
  .object({
    stale: z.boolean(),
    reason: z.enum(STALE_REASONS).nullable().describe('Why it is stale; null while fresh.'),
    since: Time.nullable().describe('Since when it is stale; null while fresh.'),
    needsRegeneration: z.boolean(),
    dueAt: Time.nullable().describe('When it will be checked; null if nothing is due.'),
    trigger: Trigger.nullable().describe('What made it due.'),
    changes: z.int().describe('Writes that the summary does not include yet.'),
    hold: ScopeRecord.shape.hold.describe(
      'Why Varve does not refresh it before `until`: a failure, or what the ' +
        'budget did not have. A caller that is bound to identifiers does not see ' +
        'the amounts.',
    ),
    deadLetter: DeadLetter.omit({ recipeHash: true })
      .nullable()
      .describe('Why it became a dead letter.'),
  })
  .meta({
    id: 'Freshness',
    description: 'Whether the text says what its sources say.',
  }) satisfies z.ZodType<FreshnessReport>;

export const ServedDepth = z
  .object({
    text: z
      .string()
      .describe('The summary, followed by what was added or changed since, the newest first.'),
    tokens: z.int().describe('Tokens of the text, counted by cl100k.'),
    sentences: listOf(
      z.object({
        text: z.string(),
        sources: listOf(z.string()).describe('Ids of the memories or turns that it rests on.'),
        trust: Trust.describe('The lowest trust of its sources.'),
        sinceThen: z.boolean().describe('Whether it is newer than the summary.'),
      }),
    ),
    cut: z.boolean().describe('Whether it was shortened to fit.'),
  })
  .meta({ id: 'ServedText' }) satisfies z.ZodType<CoreServedDepth>;

export const ShownScope = z.object({ tenant: z.string(), layer: Layer, scopeId: z.string() });

/** A memory for the examples. */
export const SHOWN_MEMORY_EXAMPLE: ShownMemory = {
  tenant: 'acme',
  id: '019aa5c2-7c1e-7b52-9f0e-6a1f0b1583cb',
  layer: 'user',
  scopeId: 'dana',
  kind: 'memory',
  content: 'Dana wants the decision first.',
  contentHash: '5d0b8f4d6a0f8f5b3b0f5a5d6e7c8f9a0b1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e',
  key: null,
  tags: ['style'],
  metadata: { priority: 2 },
  origin: { channel: 'api', principal: 'local', sources: [] },
  trust: 'stated',
  validFrom: 1_795_273_200_000,
  validTo: null,
  supersededBy: null,
  expiresAt: null,
  state: 'active',
  version: 1,
  createdAt: 1_795_273_200_000,
  updatedAt: 1_795_273_200_000,
  tokenCount: 6,
  embeddingGeneration: 'lexical-384-1',
};

export const FRESH_EXAMPLE: z.output<typeof Freshness> = {
  stale: false,
  reason: null,
  since: null,
  needsRegeneration: false,
  dueAt: null,
  trigger: null,
  changes: 0,
  hold: null,
  deadLetter: null,
};
