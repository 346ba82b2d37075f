/**
 * Searches the layers that a caller's identifiers open (design 6.7 to 6.9).
 *
 * Flow: scopes → query vectors and terms → one query per scope, all started together → one answer
 * by calibrated score. If one leg is unavailable, the other answers and the result says so.
 */
import type { Scope } from '#core/scope.ts';
import { accessibleScopes, resolveScope } from '#core/resolve-scope.ts';
import type { Layer } from '#core/layer.ts';
import type { SearchAnswer, SearchRequest } from '#core/ports/memory-provider.ts';
import { asksForTasks } from '#core/extraction/open-tasks.ts';
import { mergeHits } from '#core/search/merge-layers.ts';
import type { Memory } from '#core/records/memory.ts';
import type { ScopeQuery, QueryVector } from '#core/search/scope-search.ts';
import { policyInForce } from '#core/policy/policy-in-force.ts';
import { countByLayer, type Call } from './measured-call.ts';
import type { ProviderParts } from './provider-parts.ts';
import { VarveError } from '#core/errors.ts';
import type { ErrorCode } from '#core/error-codes.ts';
import { questionWindows } from '#core/recall/question/dates-in-question.ts';
import { preferenceFor } from '#core/recall/question/time-window.ts';
import { questionTerms } from '#core/recall/words/recall-terms.ts';
import { localTime } from '#core/said-at.ts';
import type { Calibrations, GenerationScale } from '#core/search/memory-hit-score.ts';
import { withReplacements } from './replacements-of-hits.ts';
import { withOpenTasks } from './add-open-tasks-to-search.ts';
import { generationsToSearch, type Generation } from './embedding-generations.ts';

/**
 * Messages for the reasons why a query is compared without vectors. `{until}` is the time at which
 * a rate limit ends.
 */
const DEGRADATIONS = {
  EmbedderFailed: 'The embedder could not be reached, so memories were found by their words alone.',
  EmbedderRefusesKey:
    'The embedding endpoint refuses the key, so memories were found by their words alone. Check ' +
    'VARVE_EMBEDDING_API_KEY, the option embedding.apiKey, or the Secret of the ModelProvider.',
  EmbedderRefuses:
    'The embedder refuses the call, so memories were found by their words alone; varve doctor ' +
    'says what to change.',
  EmbedderUnusable:
    'The embedder answers, but not with vectors of the configured model, so memories were found ' +
    'by their words alone; varve doctor says what to change.',
  EmbedderSlow: 'The embedder did not answer in time, so memories were found by their words alone.',
  EmbedderRateLimited:
    'The embedder is rate limited and takes calls again {until}; memories were found by their ' +
    'words alone.',
  BudgetExhausted: 'The budget does not allow an embedding; memories were found by their words.',
  GenerationNotServed:
    'No configured embedder makes vectors like those of these memories, found by their words ' +
    'alone. Configure it again, or change with varve embeddings migrate.',
  TargetFailed:
    'The new embedding model could not be reached; memories that only it has seen were found by ' +
    'their words alone.',
  TargetRefuses:
    'The new embedding model refuses the call; memories that only it has seen were found by ' +
    'their words alone. varve doctor says what to change.',
  TargetUnusable:
    'The new embedding model answers, but not with its vectors; memories that only it has seen ' +
    'were found by their words alone. varve doctor says what to change.',
  TargetRateLimited:
    'The new embedding model is rate limited and takes calls again {until}; memories that only ' +
    'it has seen were found by their words alone.',
} as const satisfies Record<string, string>;
/** Not a failure: the installation has no model that a search by meaning could ask. */
const ONLY_WORDS =
  'The configured embedder compares words, not meaning, so the words alone decided. For a search ' +
  'by meaning, configure an embedding model, such as VARVE_EMBEDDER=local.';

interface Degradation {
  readonly reason: keyof typeof DEGRADATIONS;
  /** In milliseconds since the epoch; null if unknown. */
  readonly until: number | null;
}

function degradedText({ reason, until }: Degradation): string {
  const when = until === null ? 'later' : `at ${new Date(until).toISOString()}`;
  return DEGRADATIONS[reason].replace('{until}', when);
}

/** HTTP statuses of an endpoint that refuses the key. */
const KEY_REFUSED: ReadonlySet<unknown> = new Set([401, 403]);
/** The reasons for the new model during a model change. A reason not listed counts as a failure. */
const TARGET_DEGRADATIONS: Partial<Record<Degradation['reason'], Degradation['reason']>> = {
  EmbedderRateLimited: 'TargetRateLimited',
  EmbedderRefuses: 'TargetRefuses',
  EmbedderRefusesKey: 'TargetRefuses',
  EmbedderUnusable: 'TargetUnusable',
};
const DEGRADATION_OF: Partial<Record<ErrorCode, Degradation['reason']>> = {
  BUDGET_EXHAUSTED: 'BudgetExhausted',
  FORBIDDEN: 'EmbedderRefusesKey',
  MODEL_OUTPUT_INVALID: 'EmbedderUnusable',
  PROVIDER_REJECTED: 'EmbedderRefuses',
  RATE_LIMITED: 'EmbedderRateLimited',
  TIMEOUT: 'EmbedderSlow',
  // No key of a ModelProvider can be read, or its endpoint refuses it.
  UNAUTHENTICATED: 'EmbedderRefusesKey',
};

interface QueryVectors {
  /**
   * The active generation comes first: while a model change fills the other generation, all
   * memories are then compared on one scale. Otherwise a memory with both vectors would rank below
   * all that have only the old one.
   */
  readonly vectors: readonly QueryVector[];
  readonly calibrations: Calibrations;
  /** Null if all generations of the tenant are compared. */
  readonly degradation: Degradation | null;
}

/** @throws VarveError CANCELLED */
async function queryVectors(
  parts: ProviderParts,
  call: Call,
  query: string,
): Promise<QueryVectors> {
  const { active, target } = await generationsToSearch(parts.ports, call);
  const [own, beside] = await Promise.all([
    queryVector(parts, call, { generation: active, query }),
    target === null ? null : queryVector(parts, call, { generation: target, query }),
  ]);
  if (own.ok) parts.backfill.noteReached(call.tenant, 'Read');
  const found = [own, beside].flatMap((each) => (each?.ok === true ? [each] : []));
  return {
    vectors: found.map(({ vector }) => vector),
    calibrations: new Map(found.map(({ vector, scale }) => [vector.generation, scale])),
    degradation: degradationOf(own, beside),
  };
}

type Found =
  | { readonly ok: true; readonly vector: QueryVector; readonly scale: GenerationScale }
  | { readonly ok: false; readonly degradation: Degradation };

function degradationOf(own: Found, beside: Found | null): Degradation | null {
  if (!own.ok) return own.degradation;
  if (beside?.ok !== false) return null;
  const { reason, until } = beside.degradation;
  return { reason: TARGET_DEGRADATIONS[reason] ?? 'TargetFailed', until };
}

/** Returns a vector together with its calibration, since a cosine means nothing without it. */
async function queryVector(
  { ports, vectors, calibrations, queryWaits }: ProviderParts,
  call: Call,
  { generation: { name, embedder }, query }: { generation: Generation; query: string },
): Promise<Found> {
  if (embedder === null) {
    return { ok: false, degradation: { reason: 'GenerationNotServed', until: null } };
  }
  try {
    return await queryWaits.within(embedder, async (asked) => {
      const vector = await vectors.query(call, asked, query);
      const { unrelatedCosine } = await calibrations.of(call, asked);
      const scale = { unrelatedCosine, quality: embedder.quality };
      return { ok: true, vector: { generation: name, vector }, scale };
    });
  } catch (error) {
    if (!(error instanceof VarveError) || error.code === 'CANCELLED') throw error;
    const { code } = error;
    ports.platform.log.warn({ tenant: call.tenant, code, generation: name }, 'query not embedded');
    return { ok: false, degradation: degradationBy(error, ports.platform.clock()) };
  }
}

function degradationBy({ code, details }: VarveError, now: number): Degradation {
  const { retryAfterMs, status } = details;
  if (code === 'PROVIDER_REJECTED' && KEY_REFUSED.has(status)) {
    return { reason: 'EmbedderRefusesKey', until: null };
  }
  const isKnown = code === 'RATE_LIMITED' && typeof retryAfterMs === 'number';
  return {
    reason: DEGRADATION_OF[code] ?? 'EmbedderFailed',
    until: isKnown ? now + retryAfterMs : null,
  };
}

/**
 * Minimum candidates per leg and scope. It exceeds the requested number, since duplicates and hits
 * below the threshold drop out, and one leg may rank high what the other ranks low.
 */
const CANDIDATES_MIN = 20;
const CANDIDATES_FACTOR = 2;

const NO_VECTORS: QueryVectors = { vectors: [], calibrations: new Map(), degradation: null };

/** @throws VarveError INVALID_LAYER, MISSING_IDENTIFIER, FILTER_TOO_BROAD */
export async function searchMemories(
  parts: ProviderParts,
  call: Call,
  request: SearchRequest,
): Promise<SearchAnswer> {
  const { ports } = parts;
  const { mode, query, limit, threshold, order, explain } = request;
  const { scopes, skippedLayers } = await scopesOf(parts, call, request);
  const asked = mode === 'keyword' ? NO_VECTORS : await queryVectors(parts, call, query);
  const { vectors, calibrations, degradation } = asked;
  // A semantic search without a vector falls back to words, and the answer says so.
  const byWords = mode !== 'semantic' || vectors.length === 0;
  const scopeQuery: ScopeQuery = {
    conditions: { ...request.conditions, now: ports.platform.clock() },
    terms: byWords ? questionTerms(ports.analyzer, query) : null,
    vectors,
    limit: Math.max(CANDIDATES_MIN, limit * CANDIDATES_FACTOR),
  };
  // Every query starts before any is waited for (MEM-16).
  const candidates = await Promise.all(
    scopes.map((scope) => call.retried(() => ports.store.memories.search(scope, scopeQuery))),
  );
  const { conditions } = scopeQuery;
  const answers =
    mode === 'hybrid' && asksForTasks(query)
      ? await withOpenTasks(ports, call, { scopes, conditions, answers: candidates })
      : candidates;
  const { at = conditions.now } = request;
  const isStanding = ({ validTo }: Memory) =>
    !conditions.latestOnly || validTo === null || validTo > at;
  const standing = answers.map((found) => ({
    ...found,
    candidates: found.candidates.filter(({ memory }) => isStanding(memory)),
  }));
  const windows = questionWindows(query, at);
  const timePreference = ({ validFrom, utcOffset }: Memory) =>
    preferenceFor(localTime({ at: validFrom, utcOffset }), windows);
  const merging = { query, threshold, limit, order, explain, calibrations, byWords, at };
  const found = mergeHits(standing, { ...merging, timePreference });
  const merged = await withReplacements(ports, call, { scopes, conditions, found, isStanding });
  const searchedLayers = scopes.map(({ layer }) => layer);
  measure(parts, { merged, searchedLayers, degradation });
  const degradedReason =
    degradation !== null
      ? degradedText(degradation)
      : mode === 'semantic' && comparesOnlyWords(calibrations)
        ? ONLY_WORDS
        : null;
  return {
    ...merged,
    searchedLayers,
    skippedLayers,
    degraded: degradedReason !== null,
    degradedReason,
    paths: explain
      ? answers.map(({ path, compared }, at) => ({
          layer: searchedLayers[at] ?? 'company',
          path,
          compared,
        }))
      : [],
  };
}

function comparesOnlyWords(calibrations: Calibrations): boolean {
  return [...calibrations.values()].every(({ quality }) => quality === 'keyword');
}

/** Named layers require their identifiers; without names, all open layers are searched. */
async function scopesOf(
  { ports: { store } }: ProviderParts,
  call: Call,
  { identifiers, layers }: SearchRequest,
): Promise<{ scopes: readonly Scope[]; skippedLayers: readonly Layer[] }> {
  const { hierarchy } = await call.retried(() => policyInForce(store.policies, call.tenant));
  const caller = { identifiers, hierarchy };
  if (layers === null) return accessibleScopes(call.tenant, caller);
  const named = new Set(layers);
  return {
    scopes: [...named].map((layer) => resolveScope(call.tenant, layer, caller)),
    skippedLayers: [],
  };
}

function measure(
  { ports: { metrics } }: ProviderParts,
  {
    merged,
    searchedLayers,
    degradation,
  }: {
    merged: Pick<SearchAnswer, 'hits'>;
    searchedLayers: readonly Layer[];
    degradation: Degradation | null;
  },
): void {
  for (const { layer, count } of countByLayer(merged.hits)) {
    if (searchedLayers.some((searched) => searched === layer)) {
      metrics.observe('memory_search_results', { layer }, count);
    }
  }
  if (degradation !== null) {
    metrics.count('memory_search_degraded_total', { reason: degradation.reason });
  }
}
