/** Finds which layers a question is about by their summaries, without a model call. */
import { VarveError } from '#core/errors.ts';
import { DEPTHS, type Summary } from '#core/records/summary.ts';
import { layerRelevances, type LayerRelevance } from '#core/context/layer-relevance.ts';
import type { ServedSummary } from '#core/refresh/served-summary.ts';
import type { QueryVector } from '#core/search/scope-search.ts';
import type { ApiPorts } from './api-ports.ts';
import type { Principal } from './principal.ts';

interface Question {
  readonly tenant: string;
  readonly query: string;
}

/** The summary of a scope, as compared with a question. */
interface Compared {
  readonly summary: ServedSummary | null;
  readonly contextVector: Summary['contextVector'];
}

/** Returns null if the embedder can't be asked: words alone then decide how relevant a layer is. */
export async function queryVector(
  { provider, platform }: ApiPorts,
  { name }: Principal,
  { tenant, query }: Question,
): Promise<QueryVector | null> {
  try {
    return await provider.generateEmbedding(tenant, query, { by: name, purpose: 'query' });
  } catch (error) {
    if (!(error instanceof VarveError) || error.code === 'CANCELLED') throw error;
    platform.log.info({ tenant, code: error.code }, 'question not embedded; words alone decide');
    return null;
  }
}

/** Returns one relevance per summary, in the same order; a layer without a text has none. */
export async function relevances(
  { analyzer, store }: ApiPorts,
  { query, vector }: { query: string; vector: QueryVector | null },
  summaries: readonly Compared[],
): Promise<readonly LayerRelevance[]> {
  const calibration =
    vector === null ? null : await store.embeddings.calibration(vector.generation);
  const asked = { terms: analyzer.terms(query), vector, calibration };
  return layerRelevances(
    asked,
    summaries.map(({ summary, contextVector }) => ({
      sentences: deepestSentences(summary).map(({ text }) => analyzer.terms(text)),
      contextVector,
    })),
  );
}

function deepestSentences(summary: Compared['summary']) {
  const deepest = DEPTHS.findLast((depth) => summary?.depths[depth] !== undefined);
  return deepest === undefined ? [] : (summary?.depths[deepest]?.sentences ?? []);
}
