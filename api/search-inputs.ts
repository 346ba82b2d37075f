/** Inputs of the procedures that read many memories: search, list, history. */
import { z } from 'zod';
import { Identifiers } from '#core/identifiers.ts';
import { LAYERS } from '#core/layer.ts';
import {
  LIST_LIMIT_DEFAULT,
  LIST_LIMIT_MAX,
  SEARCH_LIMIT_DEFAULT,
  SEARCH_LIMIT_MAX,
  THRESHOLD_DEFAULT,
} from '#core/ports/memory-provider.ts';
import { TenantId } from '#core/scope.ts';
import { Filter } from '#core/search/filter.ts';
import { SEARCH_MODES } from '#core/search/scope-search.ts';
import { MemoryKey, QUERY_LENGTH_MAX, Tags, Text } from './inputs.ts';

const HISTORY_LIMIT_DEFAULT = 20;
const HISTORY_LIMIT_MAX = 100;
const CURSOR_LENGTH_MAX = 512;

/** Which memories are looked at, whatever is asked of them. */
const Conditions = z.strictObject({
  tenant: TenantId,
  identifiers: Identifiers.default({}),
  /**
   * Absent for all that the identifiers open. Names are checked by `scopeOf`, so that an unknown
   * one is INVALID_LAYER.
   */
  layers: z.array(z.string()).min(1).max(LAYERS.length).optional(),
  /** One of these is enough. */
  tags: Tags.default([]),
  filter: Filter.optional(),
  kind: z.enum(['memory', 'entity']).optional(),
  /** False to see superseded memories too. */
  latestOnly: z.boolean().default(true),
  includeVector: z.boolean().default(false),
});

/** The schema of a filter takes anything, so as to bound it first; callers are told what it is. */
type Filtered<T> = Omit<T, 'filter'> & { filter?: Filter | undefined };

export const SearchMemories = Conditions.extend({
  query: Text.min(1).max(QUERY_LENGTH_MAX),
  mode: z.enum(SEARCH_MODES).default('hybrid'),
  limit: z.int().min(1).max(SEARCH_LIMIT_MAX).default(SEARCH_LIMIT_DEFAULT),
  threshold: z.number().min(0).max(1).default(THRESHOLD_DEFAULT),
  order: z.enum(['precedence', 'relevance']).default('precedence'),
  explain: z.boolean().default(false),
});
export type SearchMemories = Filtered<z.input<typeof SearchMemories>>;

export const ListMemories = Conditions.extend({
  order: z.enum(['newest', 'oldest']).default('newest'),
  /** As the page before gave it, sent with the same conditions. */
  cursor: z.string().min(1).max(CURSOR_LENGTH_MAX).optional(),
  limit: z.int().min(1).max(LIST_LIMIT_MAX).default(LIST_LIMIT_DEFAULT),
});
export type ListMemories = Filtered<z.input<typeof ListMemories>>;

export const MemoryHistory = MemoryKey.extend({
  /** The version that the page before ended with. */
  beforeVersion: z.int().min(1).optional(),
  limit: z.int().min(1).max(HISTORY_LIMIT_MAX).default(HISTORY_LIMIT_DEFAULT),
});
export type MemoryHistory = z.input<typeof MemoryHistory>;
