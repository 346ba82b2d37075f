/**
 * Search over the layers that a caller's identifiers open (design 6.7 to 6.9).
 *
 * Flow: scopes → query vectors and terms → one query per scope, all started together → one answer
 * by calibrated score. Where a leg can't be asked, the other answers and the answer says so.
 */
import { accessibleScopes, scopeOf } from '#core/identifiers.ts';
import type { Layer } from '#core/layer.ts';
import type { SearchAnswer, SearchRequest } from '#core/ports/memory-provider.ts';
import { mergeHits } from '#core/search/merge.ts';
import type { ScopeHits, ScopeQuery } from '#core/search/scope-search.ts';
import type { Scope } from '#core/scope.ts';
import { policyInForce } from '#core/policy/tenant-policy.ts';
import { countByLayer, type Call } from './operation.ts';
import type { EngineParts } from './parts.ts';
import { DEGRADATIONS, queryVectors, type QueryVectors } from './query-vectors.ts';

/**
 * Candidates of each leg and scope: more than are asked for, since some fall out as duplicates or
 * below the threshold, and what one leg ranks low the other may rank high.
 */
const CANDIDATES_MIN = 20;
const CANDIDATES_FACTOR = 2;

const NO_VECTORS: QueryVectors = { vectors: [], calibrations: new Map(), degradation: null };

/** @throws VarveError INVALID_LAYER, MISSING_IDENTIFIER, FILTER_TOO_BROAD */
export async function searchMemories(
  parts: EngineParts,
  call: Call,
  request: SearchRequest,
): Promise<SearchAnswer> {
  const { ports } = parts;
  const { mode, query, limit, threshold, order, explain } = request;
  const { scopes, skippedLayers } = await scopesOf(parts, call, request);
  const asked = mode === 'keyword' ? NO_VECTORS : await queryVectors(parts, call, query);
  const { vectors, calibrations, degradation } = asked;
  // A search by meaning without a vector is answered by words, and says so.
  const byWords = mode !== 'semantic' || vectors.length === 0;
  const scopeQuery: ScopeQuery = {
    conditions: { ...request.conditions, now: ports.platform.clock() },
    terms: byWords ? ports.analyzer.terms(query) : null,
    vectors,
    limit: Math.max(CANDIDATES_MIN, limit * CANDIDATES_FACTOR),
  };
  const answers = await searchAll(parts, call, { scopes, scopeQuery });
  const merged = mergeHits(answers, { threshold, limit, order, explain, calibrations });
  const searchedLayers = scopes.map(({ layer }) => layer);
  measure(parts, { merged, searchedLayers, degradation });
  return {
    ...merged,
    searchedLayers,
    skippedLayers,
    degraded: degradation !== null,
    degradedReason: degradation === null ? null : DEGRADATIONS[degradation],
    paths: explain
      ? answers.map(({ path, compared }, at) => ({
          layer: searchedLayers[at] ?? 'company',
          path,
          compared,
        }))
      : [],
  };
}

/** Named layers need their identifiers; without names those that are open are searched. */
async function scopesOf(
  { ports: { store } }: EngineParts,
  call: Call,
  { identifiers, layers }: SearchRequest,
): Promise<{ scopes: readonly Scope[]; skippedLayers: readonly Layer[] }> {
  const { hierarchy } = await call.retried(() => policyInForce(store.policies, call.tenant));
  const caller = { identifiers, hierarchy };
  if (layers === null) return accessibleScopes(call.tenant, caller);
  const named = new Set(layers);
  return {
    scopes: [...named].map((layer) => scopeOf(call.tenant, layer, caller)),
    skippedLayers: [],
  };
}

/** Starts every query before it waits for any (MEM-16). */
async function searchAll(
  { ports: { store } }: EngineParts,
  call: Call,
  { scopes, scopeQuery }: { scopes: readonly Scope[]; scopeQuery: ScopeQuery },
): Promise<readonly ScopeHits[]> {
  return Promise.all(
    scopes.map((scope) => call.retried(() => store.memories.search(scope, scopeQuery))),
  );
}

function measure(
  { ports: { metrics } }: EngineParts,
  {
    merged,
    searchedLayers,
    degradation,
  }: {
    merged: Pick<SearchAnswer, 'hits'>;
    searchedLayers: readonly Layer[];
    degradation: string | null;
  },
): void {
  for (const { layer, count } of countByLayer(merged.hits)) {
    if (searchedLayers.some((searched) => searched === layer)) {
      metrics.observe('memory_search_results', { layer }, count);
    }
  }
  if (degradation !== null) metrics.count('memory_search_degraded_total', { reason: degradation });
}
