/** Assembles the context for a query within a token limit, with its receipt. Read-only. */
import { accessibleScopes } from '#core/resolve-scope.ts';
import { turnPart, turnsAndPassages, wholeGroups } from '#core/context/latest-turns.ts';
import { assembleContext } from '#core/context/assemble-context.ts';
import { partTextOf } from '#core/context/context-text.ts';
import { depthsOf, type PartText, type SummaryPart } from '#core/context/context-parts.ts';
import type { ReceiptLine } from '#core/context/context-receipt.ts';
import { memoriesAndTurns } from '#core/recall/turn-overlap.ts';
import {
  comparedLayers,
  withOutdatedMarked,
  type ComparedLayers,
  type LayerFacts,
} from '#core/recall/outdated/mark-outdated.ts';
import { recallTerms } from '#core/recall/words/recall-terms.ts';
import { unrelatedMarked } from '#core/recall/recall-hits.ts';
import { endingByUser, saidLately } from '#core/recall/outdated/replacements.ts';
import { DEPTHS, type Depth } from '#core/records/summary.ts';
import { NOT_COMPARED, type LayerRelevance } from '#core/context/layer-relevance.ts';
import { localTime } from '#core/said-at.ts';
import { policyInForce } from '#core/policy/policy-in-force.ts';
import type { ApiPorts } from './api-ports.ts';
import {
  openScopes,
  authorize,
  authorizedSession,
  isBound,
  mayUseLayer,
  type Principal,
} from './principal.ts';
import { recallPassages } from './recall-past-turns.ts';
import { relatedMemories } from './related-memories.ts';
import { queryVector, relevances } from './relevant-layers.ts';
import type { AssembleContext, ContextAnswer } from './schemas/context.ts';
import { countRetrieval, readSummary, type ReadSummary, type ScopeSummary } from './summaries.ts';
import { variantReadingOf } from './read-variant.ts';

/** @throws VarveError CONTEXT_LIMIT_TOO_SMALL with the required size */
export async function contextFor(
  ports: ApiPorts,
  principal: Principal,
  asked: AssembleContext,
): Promise<ContextAnswer> {
  const { tenant, identifiers, query, maxTokens, ownSession, layerSummaries, layout } = asked;
  authorize(principal, { tenant, identifiers });
  const { store, tokens } = ports;
  const sessionId = mayUseLayer(principal, 'session') ? identifiers.sessionId : undefined;
  if (sessionId !== undefined && isBound(principal)) {
    await authorizedSession(ports, principal, { tenant, sessionId });
  }
  const policy = await policyInForce(store.policies, tenant);
  const { hierarchy, context } = policy;
  const limit = Math.min(maxTokens ?? context.maxTokens, context.maxTokens);
  const named = accessibleScopes(tenant, { identifiers, hierarchy });
  const scopes = openScopes(principal, named.scopes);
  const shownScopes = layerSummaries ? scopes : scopes.filter(({ layer }) => layer === 'session');
  // For a bound principal, name the layers it owns; for others, null means all open layers.
  const layers = isBound(principal) ? scopes.map(({ layer }) => layer) : null;
  const reading = variantReadingOf(principal, { policy, identifiers, turnsApart: true });
  const [summaries, latest, found, vector] = await Promise.all([
    Promise.all(shownScopes.map((scope) => readSummary(ports, reading, scope))),
    sessionId === undefined || !ownSession
      ? []
      : store.turns.latest({ tenant, sessionId }, context.hotTurnsLimit),
    relatedMemories(ports, principal, {
      tenant,
      identifiers,
      query,
      layers,
      limit: context.relatedEntitiesLimit,
      maxTokens: limit,
      now: asked.at ?? { at: ports.platform.clock() },
    }),
    queryVector(ports, principal, { tenant, query }),
  ]);
  const lastTurn = latest.at(-1);
  const said = wholeGroups(latest);
  // If the latest turn is the query, the query was asked when that turn was said.
  const saidNow = lastTurn?.content === query ? lastTurn : { at: ports.platform.clock() };
  const at = localTime(asked.at ?? saidNow);
  const past = await recallPassages(ports, principal, {
    tenant,
    identifiers,
    query,
    at,
    vector,
    ownSession,
    limit,
  });
  const { turns, passages } = turnsAndPassages(said, past.passages, {
    limit,
    ownSessionId: identifiers.sessionId,
    ownSession,
  });
  const [compared, calibration] = await Promise.all([
    relevances(ports, { query, vector }, summaries),
    vector === null ? null : store.embeddings.calibration(vector.generation),
  ]);
  const termsOf = (text: string) => recallTerms(ports.analyzer, text);
  const replacing = past.said.filter(({ mayReplace }) => mayReplace);
  const endedByUser = endingByUser([...saidLately(said, termsOf, { at }), ...replacing], termsOf);
  const { memories, turns: pastTurns } = memoriesAndTurns(found, {
    passages,
    said: past.said,
    termsOf,
    endedByUser,
  });
  const marks = comparedLayers(summaries.map(factsOfLayer), {
    memories: found.statements,
    termsOf,
    endedByUser,
  });
  // The cache-stable layout keeps its bytes, whatever the question is.
  const parts = summaryParts(summaries, compared, layout === 'cacheStable' ? null : marks);
  const assembled = assembleContext(
    {
      layout,
      limit,
      query,
      instructions: context.instructions,
      untrustedPercent: context.untrustedPercent,
      sessionSummary: ownSession ? (parts.find(({ layer }) => layer === 'session') ?? null) : null,
      hotTurns: turns.map(turnPart),
      relatedEntities: memories,
      pastTurns: unrelatedMarked(pastTurns, { calibration, windows: past.windows }),
      layerSummaries: parts.filter(({ layer }) => layer !== 'session'),
    },
    tokens,
  );
  countShown(ports, { summaries, receipt: assembled.receipt });
  const budget = { requested: maxTokens ?? null, applied: limit, estimatedUsed: assembled.tokens };
  const { degraded, degradedReason } = found;
  const stablePrefixTokens =
    layout === 'cacheStable' ? sharedTokens(ports, principal, asked, assembled.text) : null;
  return { ...assembled, budget, stablePrefixTokens, degraded, degradedReason };
}

/** Counts the leading tokens shared with the last context for the same identifiers and limit. */
function sharedTokens(
  { lastContexts, tokens }: ApiPorts,
  principal: Principal,
  { tenant, identifiers, maxTokens }: AssembleContext,
  text: string,
): number {
  const named = Object.entries(identifiers).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const caller = JSON.stringify([tenant, principal.name, maxTokens ?? null, named]);
  return tokens.count(lastContexts.sharedPrefix(caller, text));
}

/** Counts each summary that was read, by the depth that the context shows (SUM-14). */
function countShown(
  ports: ApiPorts,
  { summaries, receipt }: { summaries: readonly ReadSummary[]; receipt: readonly ReceiptLine[] },
): void {
  for (const read of summaries) {
    const line = receipt.find(({ id }) => id === read.summary?.id);
    countRetrieval(ports, read, line?.depth ?? null);
  }
}

/** @param marks what is outdated in them; null to mark nothing */
function summaryParts(
  summaries: readonly ScopeSummary[],
  compared: readonly LayerRelevance[],
  marks: ComparedLayers | null,
): readonly SummaryPart[] {
  return summaries
    .map((summary, place) => {
      const part = summaryPart(summary, compared[place]);
      return marks === null ? part : withOutdatedMarked(part, marks);
    })
    .filter((part) => depthsOf(part).length > 0 || part.freshness.needsRegeneration);
}

/** Returns a part even for a missing summary, so that the receipt gives the reason. */
function summaryPart(
  { scope, summary, freshness }: ScopeSummary,
  { relevance, similarity }: LayerRelevance = NOT_COMPARED,
): SummaryPart {
  const depths: Partial<Record<Depth, PartText>> = {};
  for (const depth of DEPTHS) {
    const shown = summary?.depths[depth];
    if (shown === undefined || shown.text === '') continue;
    depths[depth] = { ...partTextOf(shown.sentences), text: shown.text };
  }
  const { layer } = scope;
  const id = summary?.id ?? `no-summary/${layer}`;
  const personalized = summary?.personalized ?? false;
  return { id, layer, depths, freshness, relevance, similarity, personalized };
}

function factsOfLayer({ scope: { layer, scopeId }, summary }: ScopeSummary): LayerFacts {
  return { layer, scopeId, facts: summary?.facts ?? [] };
}
