/** What operations that find memories take and answer. */
import { z } from 'zod';
import { Layer, LAYERS } from '#core/layer.ts';
import {
  LIST_LIMIT_DEFAULT,
  LIST_LIMIT_MAX,
  SEARCH_LIMIT_DEFAULT,
  SEARCH_LIMIT_MAX,
  THRESHOLD_DEFAULT,
} from '#core/search/search-defaults.ts';
import { MemoryChange } from '#core/records/memory.ts';
import { Trust } from '#core/trust.ts';
import { Filter } from '#core/search/filter.ts';
import { SEARCH_MODES, SEARCH_PATHS } from '#core/search/scope-search.ts';
import { ShownMemory } from './shared-answers.ts';
import {
  AskedIdentifiers,
  AskedLayer,
  IncludeVector,
  listOf,
  MemoryId,
  Query,
  SaidTime,
  Tags,
  Tenant,
  Time,
  UtcOffset,
  pageStart,
} from './shared-fields.ts';

const HISTORY_LIMIT_DEFAULT = 20;
const HISTORY_LIMIT_MAX = 100;
const CURSOR_LENGTH_MAX = 512;

/** The schema of a filter accepts anything, to bound its size first; callers see the real shape. */
const AskedFilter = (Filter as z.ZodType<Filter, Filter>).meta({
  type: 'object',
  description:
    'On metadata: `{ field, eq | ne | in | contains | exists | gt | gte | lt | lte }`, joined by ' +
    '`and`, `or`, `not`.',
});

/** The conditions that select memories, shared by all queries. */
const Conditions = z.strictObject({
  tenant: Tenant,
  identifiers: AskedIdentifiers,
  layers: z
    .array(AskedLayer)
    .min(1)
    .max(LAYERS.length)
    .optional()
    .describe('If omitted, all layers that the identifiers open.'),
  tags: Tags.default([]).describe('A memory with any of these tags matches.'),
  filter: AskedFilter.optional(),
  kind: z.enum(['memory', 'entity']).optional(),
  latestOnly: z.boolean().default(true).describe('False includes superseded memories.'),
  includeVector: IncludeVector,
});

/** The record types that a search covers, each a kind of hit. */
const HIT_SOURCES = ['memory', 'turn', 'line'] as const;

export const SearchMemories = Conditions.extend({
  query: Query.describe('The question, in words.'),
  sources: z
    .array(z.enum(HIT_SOURCES))
    .min(1)
    .max(HIT_SOURCES.length)
    .default([...HIT_SOURCES])
    .describe(
      'What to search: memories, turns of past sessions, lines of MEMORY.md and ' +
        'of the latest daily files. With `tags`, `filter` or `kind`, only memories.',
    ),
  at: SaidTime.optional().describe(
    'The time of the question, which "last week" counts from; now by default.',
  ),
  mode: z
    .enum(SEARCH_MODES)
    .default('hybrid')
    .describe(
      'By words, by meaning, or by both. Without an embedding model, `semantic` compares words, ' +
        'and `degradedReason` says so.',
    ),
  limit: z.int().min(1).max(SEARCH_LIMIT_MAX).default(SEARCH_LIMIT_DEFAULT),
  threshold: z
    .number()
    .min(0)
    .max(1)
    .default(THRESHOLD_DEFAULT)
    .describe(
      'The search leaves out hits below this score, except a hit that replaces a shown one, or ' +
        'that likely corrects it.',
    ),
  order: z
    .enum(['precedence', 'relevance'])
    .default('precedence')
    .describe(
      'precedence: the more specific layer first. relevance: the better score ' +
        'first. What replaces a hit always comes before it.',
    ),
  explain: z
    .boolean()
    .default(false)
    .describe('Whether the answer explains how each hit was found.'),
});
export type SearchMemories = z.output<typeof SearchMemories>;
/** The input as callers write it. */
export type AskedSearch = z.input<typeof SearchMemories>;

const Score = z.number().nullable();
const HitExplanation = z.object({
  cosine: Score,
  generation: z.string().nullable(),
  keyword: Score,
  similarity: Score,
  semanticScore: Score,
  keywordScore: Score,
  path: z.enum(SEARCH_PATHS),
});

const TurnHit = z.object({
  sessionId: z.string(),
  speaker: z.string().describe('The name of the speaker, or the role if the turn has no name.'),
  role: z.string(),
  content: z.string().describe('The whole turn; `text` is the part that fits best.'),
  trust: Trust,
});

const LineHit = z.object({
  subject: z.object({ kind: z.enum(['agent', 'user']), id: z.string() }),
  path: z.string().describe('MEMORY.md or a daily file.'),
  heading: z.string().nullable(),
  sources: listOf(z.string()).describe('Ids of the memories and turns that the line rests on.'),
  trust: Trust,
});

const ShownHit = z.object({
  source: z
    .enum(HIT_SOURCES)
    .describe('A memory, a turn of a past session, or a line of a Markdown file.'),
  id: z.string().describe('Id of the memory, the turn or the line.'),
  text: z.string().describe('The text; of a long memory or turn, the part that fits best.'),
  layer: Layer,
  at: Time.describe('When it began to be true, or when it was said.'),
  utcOffset: UtcOffset,
  score: z
    .number()
    .describe(
      '0 to 1; means the same for every source and embedding model. A memory ' +
        'that is shown instead of the turn it was made from has the better of both ' +
        'scores.',
    ),
  memory: ShownMemory.nullable().describe('Null if the hit has another source.'),
  turn: TurnHit.nullable(),
  line: LineHit.nullable(),
  outdated: z
    .boolean()
    .describe(
      'Whether later words of the user, or another hit, replace it. Contexts mark it ' +
        '“(earlier)”. Memories of more than 1,000 characters are not compared, nor the last ' +
        'results beyond 10,000 characters.',
    ),
  outdatedInPart: z
    .boolean()
    .describe(
      'Whether they replace a part of it, and the rest holds; “(in part earlier)” in a context. ' +
        'False where `outdated` is true.',
    ),
  conflictsWith: listOf(z.string()).describe(
    'Ids of hits that give the same thing another value, if it is not certain ' +
      'which one holds: a hit with nearly the same words in one layer, or a ' +
      'newer one in a broader layer. Contexts mark the latter “(newer: team)”.',
  ),
  explanation: HitExplanation.nullable().describe(
    'How the memory itself was found, without the turn that it replaces in the ' +
      'answer; only with `explain`.',
  ),
});
export type ShownHit = z.output<typeof ShownHit>;

const NothingFound = z.object({
  scopes: listOf(z.object({ layer: Layer, id: z.string(), memories: z.int() })).describe(
    'How many searched scopes hold memories.',
  ),
  sessions: z.int().describe('How many past sessions were searched.'),
  lines: z.int().describe('How many lines of files were searched.'),
  moreIdentifiers: listOf(z.string()).describe(
    'Identifiers that the call does not name and that would open scopes with data.',
  ),
  elsewhere: listOf(z.object({ layer: Layer, id: z.string() })).describe(
    'Scopes with data that the call does not open, at most three of each layer. Empty for a ' +
      'caller that is bound to identifiers or layers.',
  ),
  nearestScore: z.number().nullable().describe('The best score below the threshold.'),
});
export type NothingFound = z.output<typeof NothingFound>;

export const SearchAnswer = z.object({
  hits: listOf(ShownHit).describe(
    'In the requested order. A hit that replaces another one comes before it, even below the ' +
      'threshold. A later statement of the user that likely corrects a hit in other words ' +
      'follows that hit, with its own score; no mark says which one holds.',
  ),
  searchedLayers: listOf(Layer),
  skippedLayers: listOf(Layer).describe(
    'Layers that were not searched, because the call does not name their identifier.',
  ),
  duplicates: listOf(
    z.object({ id: z.string(), layer: Layer, of: z.string(), similarity: z.number() }),
  ).describe('Hits left out because another hit says the same.'),
  degraded: z.boolean().describe('True if the search could use only words or only vectors.'),
  degradedReason: z.string().nullable(),
  nearestMisses: listOf(z.object({ id: z.string(), score: z.number() })).describe(
    'The best scores below the threshold.',
  ),
  nothingFound: NothingFound.nullable().describe('Null if there are hits.'),
  paths: listOf(z.object({ layer: Layer, path: z.enum(SEARCH_PATHS), compared: z.int() })).describe(
    'How each scope was searched; only with `explain`.',
  ),
});
export type SearchAnswer = z.output<typeof SearchAnswer>;

export const ListMemories = Conditions.extend({
  order: z.enum(['newest', 'oldest']).default('newest'),
  markOutdated: z
    .boolean()
    .default(true)
    .describe(
      'Whether to compare the memories of the page with each other and with the newest 100 of ' +
        'the listed scopes, and to mark what these replace. False is faster.',
    ),
  cursor: pageStart(z.string().min(1).max(CURSOR_LENGTH_MAX)).describe(
    '`nextCursor` of the previous page; send it with the same conditions.',
  ),
  limit: z.int().min(1).max(LIST_LIMIT_MAX).default(LIST_LIMIT_DEFAULT),
});
export type ListMemories = z.output<typeof ListMemories>;

const ListedMemory = ShownMemory.extend({
  outdated: z
    .boolean()
    .optional()
    .describe(
      'Whether a newer memory replaces it, as in a search. Absent if it was not compared: ' +
        'without `markOutdated`, beyond the first 100 of a page, if its day is to come, if it ' +
        'has more than 1,000 characters, and beyond 10,000 characters of a page.',
    ),
  outdatedInPart: z
    .boolean()
    .optional()
    .describe('Whether a newer memory replaces a part of it, and the rest holds.'),
  outdatedBy: listOf(z.string())
    .optional()
    .describe('Ids of the memories that replace it, whole or in part.'),
}).meta({ id: 'ListedMemory' });
export type ListedMemory = z.output<typeof ListedMemory>;

export const ListAnswer = z.object({
  memories: listOf(ListedMemory),
  nextCursor: z.string().nullable().describe('Null on the last page.'),
  totalCount: z.int(),
});
export type ListAnswer = z.output<typeof ListAnswer>;

export const MemoryHistory = z.strictObject({
  tenant: Tenant,
  id: MemoryId,
  beforeVersion: z
    .int()
    .min(1)
    .optional()
    .describe('The version that the previous page ended with.'),
  limit: z.int().min(1).max(HISTORY_LIMIT_MAX).default(HISTORY_LIMIT_DEFAULT),
});
export type MemoryHistory = z.output<typeof MemoryHistory>;

export const HistoryAnswer = z.object({ changes: listOf(MemoryChange) });
export type HistoryAnswer = z.output<typeof HistoryAnswer>;
