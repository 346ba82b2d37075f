/** The input and the answer of the operation that explains where a text comes from. */
import { z } from 'zod';
import { Layer } from '#core/layer.ts';
import { Origin, MEMORY_ACTIONS } from '#core/records/memory.ts';
import { Trust } from '#core/trust.ts';
import { Review } from '#core/records/review.ts';
import { AskedIdentifiers, listOf, Tenant, Text, Time } from './shared-fields.ts';

const REF_LENGTH_MAX = 4_096;
/** Maximum sources that one answer shows; the facts have the ids of all. */
export const SOURCES_SHOWN_MAX = 20;

export const AskWhy = z.strictObject({
  tenant: Tenant,
  ref: Text.min(1)
    .max(REF_LENGTH_MAX)
    .describe(
      'What to explain: the id of a memory, a turn, a summary or a line, as other answers and ' +
        'receipts show it; the name of a layer, for its summary; or words from a fact, a line of ' +
        'MEMORY.md or a context.',
    ),
  identifiers: AskedIdentifiers,
});
export type AskWhy = z.output<typeof AskWhy>;

const STATES = [
  'Current',
  'Stale',
  'Superseded',
  'Expired',
  'Quarantined',
  'Refused',
  'Deleted',
  'TextGone',
  'Erased',
] as const;

const Source = z
  .object({
    id: z.string(),
    kind: z
      .enum(['memory', 'turn', 'line', 'unknown'])
      .describe('`unknown`: erased, or not visible to this caller.'),
    state: z
      .enum(STATES)
      .nullable()
      .describe(
        '`Expired`: a memory whose `expiresAt` has passed. `Quarantined`: held back until a ' +
          'person approves it. `Refused`: held back for good. ' +
          '`TextGone`: a turn that was deleted or compacted. `Erased`: a receipt names it; only ' +
          'callers who may read receipts see this. Null if it is unknown.',
      ),
    text: z
      .string()
      .nullable()
      .describe('Null if it was deleted; for a compacted turn, its quotes.'),
    layer: Layer.nullable(),
    scopeId: z.string().nullable(),
    at: Time.nullable().describe('When it was said, or when it was deleted or erased.'),
    by: z.string().nullable().describe('Who said, stored, deleted or erased it.'),
    restsOn: listOf(z.string()).describe('Ids of its sources.'),
  })
  .meta({ id: 'WhySource' });
export type WhySource = z.output<typeof Source>;

export const Why = z.object({
  kind: z.enum(['memory', 'turn', 'summary', 'fact', 'line']).describe('What `ref` refers to.'),
  id: z.string().describe('Its id; for a fact, the id of its summary.'),
  layer: Layer,
  scopeId: z.string(),
  text: z.string().nullable().describe('Null if it was deleted.'),
  state: z.enum(STATES),
  review: Review.pick({ id: true, rule: true, state: true, decision: true })
    .nullable()
    .describe('For a turn that a rule holds back: which rule, and what a person decided.'),
  at: Time.nullable().describe('When it was said or made.'),
  by: z.string().nullable().describe('Who stated it: a principal, a speaker, a model or a file.'),
  channel: Origin.shape.channel.nullable().describe('How a memory came in.'),
  supersededBy: z
    .string()
    .nullable()
    .describe('What replaced a memory, or will on a day to come while its `state` is `Current`.'),
  made: z
    .object({
      model: z.string(),
      inputTokens: z.int(),
      outputTokens: z.int(),
      priceMicroDollars: z.int(),
      at: Time,
    })
    .nullable()
    .describe('What made the summary, and what that cost. Null if no model made it.'),
  facts: listOf(
    z.object({
      text: z.string(),
      sources: listOf(z.string()),
      quote: z.string().nullable().describe('The words of the source.'),
      trust: Trust,
    }),
  ),
  sources: listOf(Source).describe('Its sources, and what those were taken from.'),
  sourcesLeftOut: z
    .number()
    .describe(`How many more sources there are, above ${String(SOURCES_SHOWN_MAX)}.`),
  changes: listOf(
    z.object({
      version: z.int(),
      at: Time,
      action: z.enum(MEMORY_ACTIONS),
      by: z.string().describe('The caller.'),
    }),
  ).describe('The changes of a memory, the newest first.'),
  citedBy: listOf(
    z.object({ summaryId: z.string(), layer: Layer, scopeId: z.string(), fact: z.string() }),
  ).describe('Facts of summaries that rest on it.'),
  writes: listOf(
    z.object({
      at: Time,
      principal: z.string(),
      operation: z.string(),
      outcome: z.string(),
    }),
  )
    .nullable()
    .describe('Calls in the audit that name it; null if the caller may not read the audit.'),
});
export type Why = z.output<typeof Why>;
