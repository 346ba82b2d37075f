/** Procedure: the context for a query, inside a token limit, with its receipt. Reads only. */
import { accessibleScopes, type Identifiers } from '#core/identifiers.ts';
import { assembleContext } from '#core/context.ts';
import type { AssembledContext, PartText, SummaryPart, WholePart } from '#core/context-parts.ts';
import type { Layer } from '#core/layer.ts';
import type { Turn } from '#core/records/turn.ts';
import { DEPTHS, type Depth } from '#core/records/summary.ts';
import type { SearchAnswer } from '#core/ports/memory-provider.ts';
import type { SearchHit } from '#core/search/search-result.ts';
import { VarveError } from '#core/errors.ts';
import type { Scope } from '#core/scope.ts';
import { sourceDate } from '#core/source.ts';
import { policyInForce } from '#core/tenant-policy.ts';
import { cosine, similarityOf } from '#core/vector.ts';
import { AssembleContext } from './inputs.ts';
import { parseInput } from './parse.ts';
import type { ApiPorts } from './ports.ts';
import { openScopes, authorize, type Principal } from './principal.ts';
import { readSummary, type ScopeSummary } from './summaries.ts';

/** A related memory is at least this share as near to the query as the nearest one, by one leg. */
const NEARNESS_SHARE_MIN = 0.5;

const NOTHING_RELATED: Pick<SearchAnswer, 'hits' | 'degraded' | 'degradedReason'> = {
  hits: [],
  degraded: false,
  degradedReason: null,
};

export interface ContextAnswer extends AssembledContext {
  /** What was asked for, what the tenant's cap left of it, and what the text uses (ENG-09). */
  readonly budget: {
    readonly requested: number | null;
    readonly applied: number;
    readonly estimatedUsed: number;
  };
  /** Whether related memories were found by their words alone, and why. */
  readonly degraded: boolean;
  readonly degradedReason: string | null;
}

/** @throws VarveError CONTEXT_LIMIT_TOO_SMALL with what is required */
export async function contextFor(
  ports: ApiPorts,
  principal: Principal,
  input: unknown,
): Promise<ContextAnswer> {
  const asked = parseInput(AssembleContext, input);
  const { tenant, identifiers, query, maxTokens } = asked;
  authorize(principal, { tenant, identifiers });
  const { store, tokens } = ports;
  const policy = await policyInForce(store.policies, tenant);
  const { hierarchy, context } = policy;
  const named = accessibleScopes(tenant, { identifiers, hierarchy });
  const scopes = openScopes(principal, named.scopes);
  // A bound principal has the layers named that are its own; others have all that are open.
  const isBound = Object.keys(principal.bound).length > 0;
  const layers = isBound ? scopes.map(({ layer }) => layer) : null;
  const [summaries, turns, found, vector] = await Promise.all([
    Promise.all(summaryScopes(scopes, asked).map((scope) => readSummary(ports, policy, scope))),
    identifiers.sessionId === undefined
      ? []
      : store.turns.latest({ tenant, sessionId: identifiers.sessionId }, context.hotTurnsLimit),
    candidates(ports, principal, { ...asked, layers, limit: context.relatedEntitiesLimit }),
    queryVector(ports, principal, { tenant, query }),
  ]);
  const parts = summaries.flatMap((summary) => summaryPart(summary, vector));
  const limit = Math.min(maxTokens ?? context.maxTokens, context.maxTokens);
  const assembled = assembleContext(
    {
      limit,
      query,
      instructions: context.instructions,
      sessionSummary: parts.find(({ layer }) => layer === 'session') ?? null,
      hotTurns: turns.map(turnPart),
      relatedEntities: related(found.hits).map(memoryPart),
      layerSummaries: parts.filter(({ layer }) => layer !== 'session'),
    },
    tokens,
  );
  const budget = { requested: maxTokens ?? null, applied: limit, estimatedUsed: assembled.tokens };
  const { degraded, degradedReason } = found;
  return { ...assembled, budget, degraded, degradedReason };
}

/** The session's summary always; the others where they were asked for. */
function summaryScopes(
  scopes: readonly Scope[],
  { layerSummaries }: { layerSummaries: boolean },
): readonly Scope[] {
  return layerSummaries ? scopes : scopes.filter(({ layer }) => layer === 'session');
}

/** Asks for the best by both legs without a threshold: `related` draws the line by the best one. */
async function candidates(
  { provider }: ApiPorts,
  { name }: Principal,
  {
    tenant,
    identifiers,
    query,
    layers,
    limit,
  }: AssembleContext & { identifiers: Identifiers; layers: readonly Layer[] | null; limit: number },
): Promise<typeof NOTHING_RELATED> {
  if (limit === 0) return NOTHING_RELATED;
  const request = {
    query,
    identifiers,
    limit,
    layers,
    mode: 'hybrid',
    threshold: 0,
    order: 'relevance',
    conditions: { latestOnly: true, tags: [], filter: null, kind: null },
    explain: true,
  } as const;
  return provider.search(tenant, request, { by: name });
}

interface GenerationVector {
  readonly generation: string;
  readonly vector: readonly number[];
}

/** Null where the embedder can't be asked: summaries are then ordered by precedence alone. */
async function queryVector(
  { provider, platform }: ApiPorts,
  { name }: Principal,
  { tenant, query }: { tenant: string; query: string },
): Promise<GenerationVector | null> {
  try {
    return await provider.generateEmbedding(tenant, query, { by: name, purpose: 'query' });
  } catch (error) {
    if (!(error instanceof VarveError) || error.code === 'CANCELLED') throw error;
    platform.log.info({ tenant, code: error.code }, 'context without the vector of its query');
    return null;
  }
}

/**
 * What is far less like the query than the best hit, by meaning and by words, only takes room from
 * the summaries. Shares of each leg's best, since a fixed threshold would empty the context of a
 * tenant whose memories are all about other things than it is asked.
 */
function related(hits: readonly SearchHit[]): readonly SearchHit[] {
  const nearest = new Map<string, number>();
  let bestShare = 0;
  for (const { explanation } of hits) {
    const { generation, cosine: value, keyword } = legsOf(explanation);
    nearest.set(generation, Math.max(value, nearest.get(generation) ?? 0));
    bestShare = Math.max(bestShare, keyword);
  }
  return hits.filter(({ explanation }) => {
    const { generation, cosine: value, keyword } = legsOf(explanation);
    const best = nearest.get(generation) ?? 0;
    return (
      (value > 0 && value >= best * NEARNESS_SHARE_MIN) ||
      (keyword > 0 && keyword >= bestShare * NEARNESS_SHARE_MIN)
    );
  });
}

/** Cosines of different generations have different scales, and are compared within their own. */
function legsOf(explanation: SearchHit['explanation']) {
  const { generation = null, cosine: value = null, keyword = null } = explanation ?? {};
  return { generation: generation ?? '', cosine: value ?? 0, keyword: keyword ?? 0 };
}

function summaryPart(
  { scope, summary, contextVector }: ScopeSummary,
  query: GenerationVector | null,
): SummaryPart[] {
  if (summary === null) return [];
  const depths: Partial<Record<Depth, PartText>> = {};
  for (const depth of DEPTHS) {
    const shown = summary.depths[depth];
    if (shown === undefined || shown.text === '') continue;
    const sources = [...new Set(shown.sentences.flatMap((each) => each.sources))];
    depths[depth] = { text: shown.text, sources };
  }
  const isComparable = query !== null && contextVector?.generation === query.generation;
  const relevance = isComparable ? similarityOf(cosine(contextVector.values, query.vector)) : 0;
  const { id, freshness } = summary;
  return [{ id, layer: scope.layer, depths, freshness, relevance }];
}

function turnPart(turn: Turn): WholePart {
  return {
    kind: 'hotTurn',
    id: turn.id,
    layer: 'session',
    text: `${turn.speaker ?? turn.role}: ${turn.content}`,
    sources: [turn.id],
    trust: turn.trust,
    relevance: 1,
  };
}

function memoryPart({ memory, score }: SearchHit): WholePart {
  return {
    kind: 'relatedEntity',
    id: memory.id,
    layer: memory.layer,
    // Statements may differ, and then the newer one holds.
    text: `${memory.content} ${sourceDate(memory.validFrom)}`,
    sources: [memory.id],
    trust: memory.trust,
    relevance: score,
  };
}
