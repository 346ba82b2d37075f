/** Procedure: the context for a query, inside a token limit, with its receipt. Reads only. */
import { accessibleScopes } from '#core/identifiers.ts';
import { assembleContext } from '#core/context.ts';
import type { AssembledContext, PartText, SummaryPart, WholePart } from '#core/context-parts.ts';
import type { Turn } from '#core/records/turn.ts';
import { DEPTHS, type Depth } from '#core/records/summary.ts';
import type { Neighbour } from '#core/ports/store.ts';
import type { Scope } from '#core/scope.ts';
import { sourceDate } from '#core/source.ts';
import { policyInForce } from '#core/tenant-policy.ts';
import { cosine, similarityOf } from '#core/vector.ts';
import { AssembleContext } from './inputs.ts';
import { parseInput } from './parse.ts';
import type { ApiPorts } from './ports.ts';
import { authorize, type Principal } from './principal.ts';
import { readSummary, type ScopeSummary } from './summaries.ts';

/** A related memory is at least this share as near to the query as the nearest one. */
const NEARNESS_SHARE_MIN = 0.5;

export interface ContextAnswer extends AssembledContext {
  /** What was asked for, what the tenant's cap left of it, and what the text uses (ENG-09). */
  readonly budget: {
    readonly requested: number | null;
    readonly applied: number;
    readonly estimatedUsed: number;
  };
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
  const { store, platform, embedder, tokens } = ports;
  const policy = await policyInForce(store.policies, tenant);
  const { hierarchy, context } = policy;
  const { scopes } = accessibleScopes(tenant, { identifiers, hierarchy });
  const [vector = []] = await embedder.embed([query], {});
  const { generation } = embedder;
  const [summaries, turns, neighbours] = await Promise.all([
    Promise.all(summaryScopes(scopes, asked).map((scope) => readSummary(ports, policy, scope))),
    identifiers.sessionId === undefined
      ? []
      : store.turns.latest({ tenant, sessionId: identifiers.sessionId }, context.hotTurnsLimit),
    store.memories.nearest(scopes, {
      generation,
      vector,
      limit: context.relatedEntitiesLimit,
      now: platform.clock(),
    }),
  ]);
  const parts = summaries.flatMap((summary) => summaryPart(summary, { generation, vector }));
  const limit = Math.min(maxTokens ?? context.maxTokens, context.maxTokens);
  const assembled = assembleContext(
    {
      limit,
      query,
      instructions: context.instructions,
      sessionSummary: parts.find(({ layer }) => layer === 'session') ?? null,
      hotTurns: turns.map(turnPart),
      relatedEntities: related(neighbours).map(memoryPart),
      layerSummaries: parts.filter(({ layer }) => layer !== 'session'),
    },
    tokens,
  );
  const budget = { requested: maxTokens ?? null, applied: limit, estimatedUsed: assembled.tokens };
  return { ...assembled, budget };
}

/** The session's summary always; the others where they were asked for. */
function summaryScopes(
  scopes: readonly Scope[],
  { layerSummaries }: { layerSummaries: boolean },
): readonly Scope[] {
  return layerSummaries ? scopes : scopes.filter(({ layer }) => layer === 'session');
}

/**
 * The candidates for related entities: what is far less like the query than the best one only takes
 * room from the summaries. A share, since cosines of different embedders have different scales.
 */
function related(neighbours: readonly Neighbour[]): readonly Neighbour[] {
  const best = Math.max(0, ...neighbours.map(({ cosine: value }) => value));
  return neighbours.filter(({ cosine: value }) => value > 0 && value >= best * NEARNESS_SHARE_MIN);
}

function summaryPart(
  { scope, summary, contextVector }: ScopeSummary,
  query: { generation: string; vector: readonly number[] },
): SummaryPart[] {
  if (summary === null) return [];
  const depths: Partial<Record<Depth, PartText>> = {};
  for (const depth of DEPTHS) {
    const shown = summary.depths[depth];
    if (shown === undefined || shown.text === '') continue;
    const sources = [...new Set(shown.sentences.flatMap((each) => each.sources))];
    depths[depth] = { text: shown.text, sources };
  }
  const comparable = contextVector?.generation === query.generation ? contextVector.values : null;
  const relevance = comparable === null ? 0 : similarityOf(cosine(comparable, query.vector));
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

function memoryPart({ memory, cosine: value }: Neighbour): WholePart {
  return {
    kind: 'relatedEntity',
    id: memory.id,
    layer: memory.layer,
    // Statements may differ, and then the newer one holds.
    text: `${memory.content} ${sourceDate(memory.validFrom)}`,
    sources: [memory.id],
    trust: memory.trust,
    relevance: similarityOf(value),
  };
}
