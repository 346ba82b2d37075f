/** A summary: cited facts of one refresh, and the texts made of them. */
import { z } from 'zod';
import { Layer } from '../layer.ts';
import { TenantId } from '../scope.ts';
import { Trust } from '../trust.ts';

/** Depths from the shortest to the longest. */
export const DEPTHS = ['sentence', 'paragraph', 'detailed'] as const;
export const Depth = z.enum(DEPTHS);
export type Depth = z.infer<typeof Depth>;

/** The most tokens of each depth's text, in cl100k tokens (SUM-01). */
export const DEPTH_TOKENS_MAX: Readonly<Record<Depth, number>> = {
  sentence: 50,
  paragraph: 200,
  detailed: 500,
};

/** How a number that no source contains was computed, and from which sources. */
export const Derivation = z.strictObject({
  operation: z.enum(['sum', 'count', 'difference', 'average', 'min', 'max', 'duration']),
  ids: z.array(z.string().max(512)).min(1).max(64),
});
export type Derivation = z.infer<typeof Derivation>;

/** Where the words of a fact come from if they are not the model's. */
const FACT_MARKS = ['SourceWording'] as const;

/** One cited statement. */
export const Fact = z.strictObject({
  text: z.string(),
  /** Ids of the memories or turns it rests on; at least one. */
  sources: z.array(z.string()).min(1),
  /** The words of a source that it rests on, if they are in one place. */
  quote: z.string().nullable(),
  speaker: z.string().nullable(),
  trust: Trust,
  /** Time of its newest source, in milliseconds since the epoch. */
  at: z.int().min(0),
  /** Absent if sources contain every number. */
  derived: Derivation.optional(),
  /** The depths whose texts it was written for; absent if one list of facts serves all depths. */
  depths: z.array(Depth).min(1).optional(),
  /** Absent if the words are those of the model's answer. */
  marks: z.array(z.enum(FACT_MARKS)).optional(),
});
export type Fact = z.infer<typeof Fact>;

/** The text of one depth; each sentence lists the facts it rests on by index. */
export const DepthText = z.strictObject({
  text: z.string(),
  tokens: z.int().min(0),
  sentences: z.array(z.strictObject({ text: z.string(), facts: z.array(z.int().min(0)) })),
  /** True if a text had to be shortened to fit; a cut is never silent. */
  cut: z.boolean(),
});
export type DepthText = z.infer<typeof DepthText>;

export const Usage = z.strictObject({
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
});
export type Usage = z.infer<typeof Usage>;

const TRIGGERS = ['Changes', 'Interval', 'MaxAge', 'Urgent', 'Recipe', 'Requested'] as const;
export const Trigger = z.enum(TRIGGERS);
/** What made a scope due. */
export type Trigger = z.infer<typeof Trigger>;

export const Summary = z.strictObject({
  tenant: TenantId,
  layer: Layer,
  scopeId: z.string(),
  /** Empty for the general summary; a user or session for a personalized one. */
  audience: z.string(),
  /** Identifies this version of the summary; every refresh that writes one makes a new id. */
  id: z.string(),
  facts: z.array(Fact),
  depths: z.partialRecord(Depth, DepthText),
  sourceHash: z.string(),
  sourceCount: z.int().min(0),
  recipeHash: z.string(),
  model: z.string(),
  usage: Usage,
  priceMicroDollars: z.int().min(0),
  trigger: Trigger,
  generatedAt: z.int().min(0),
  /** When a refresh last found it equal to its sources. */
  checkedAt: z.int().min(0),
  personalized: z.boolean(),
  personalizationContext: z.string().nullable(),
  /** Facts that failed grounding, stored separately with the reason. */
  droppedFacts: z.array(z.strictObject({ text: z.string(), reason: z.string() })),
  contextVector: z.strictObject({ generation: z.string(), values: z.array(z.number()) }).nullable(),
});
export type Summary = z.infer<typeof Summary>;

/** A stable part of a large scope, with the facts made from it (design 6.16). */
export const Segment = z.strictObject({
  tenant: TenantId,
  layer: Layer,
  scopeId: z.string(),
  /** Hash over its level, its input and the recipe: another input gives another segment. */
  segmentId: z.string(),
  /** 0: made from sources. Above 0: chosen from the facts of segments one level below. */
  level: z.int().min(0),
  /** Hash over its own sources, or over the ids of the segments below it. */
  sourceHash: z.string(),
  recipeHash: z.string(),
  facts: z.array(Fact),
});
export type Segment = z.infer<typeof Segment>;
