/**
 * The procedure that assembles the context for a query within a token limit, with its receipt.
 * Read-only.
 */
import { type Scope } from '#core/scope.ts';
import { accessibleScopes } from '#core/resolve-scope.ts';
import { assembleContext } from '#core/context/assemble-context.ts';
import { partTextOf } from '#core/context/context-text.ts';
import type {
  AssembledContext,
  PartText,
  SummaryPart,
  WholePart,
} from '#core/context/context-parts.ts';
import { datesOf, withOutdatedMarked } from '#core/recall/outdated-parts.ts';
import {
  endingByUser,
  replacedByMemories,
  type EndingByUser,
  type Replaced,
} from '#core/recall/replaced-across-kinds.ts';
import {
  standingAmong,
  type StandingOf,
  type ComparedMemory,
  type LayeredText,
} from '#core/recall/outdated-memories.ts';
import type { PastPassage } from '#core/context/past-turns.ts';
import type { ReadPassage } from '#core/recall/passages-for-context.ts';
import type { Turn } from '#core/records/turn.ts';
import { passagesOf } from '#core/recall/split-into-passages.ts';
import { recallTerms } from '#core/recall/past-session.ts';
import { once } from '#core/once.ts';
import { readText, type ReadText } from '#core/recall/likely-correction.ts';
import { DEPTHS, type Depth } from '#core/records/summary.ts';
import { turnKey, unrelatedMarked } from '#core/recall/recall-hits.ts';
import { NOT_COMPARED, type LayerRelevance } from '#core/context/layer-relevance.ts';
import { localTime } from '#core/said-at.ts';
import { withoutSourceDates } from '#core/sources/source.ts';
import { oneLine } from '#core/text/lines.ts';
import { policyInForce } from '#core/policy/policy-in-force.ts';
import type { ApiPorts } from './api-ports.ts';
import {
  openScopes,
  authorize,
  authorizeSession,
  isBound,
  mayUseLayer,
  type Principal,
} from './authorize.ts';
import { recalled } from './recall-past-turns.ts';
import { relatedMemories, type Related } from './related-memories.ts';
import { queryVector, relevances } from './relevant-layers.ts';
import type { AssembleContext, ContextAnswer } from './schemas/summary.ts';
import { countRetrieval, readSummary, type ReadSummary, type ScopeSummary } from './summaries.ts';
import { variantReadingOf } from './read-variant.ts';

/**
 * Assembles the context for a query.
 * @throws VarveError CONTEXT_LIMIT_TOO_SMALL with the required size
 */
export async function contextFor(
  ports: ApiPorts,
  principal: Principal,
  asked: AssembleContext,
): Promise<ContextAnswer> {
  const { tenant, identifiers, query, maxTokens, ownSession, layout } = asked;
  authorize(principal, { tenant, identifiers });
  const { store, tokens } = ports;
  const sessionId = mayUseLayer(principal, 'session') ? identifiers.sessionId : undefined;
  await requireOwnSession(ports, principal, { tenant, sessionId });
  const policy = await policyInForce(store.policies, tenant);
  const { hierarchy, context } = policy;
  const limit = Math.min(maxTokens ?? context.maxTokens, context.maxTokens);
  const named = accessibleScopes(tenant, { identifiers, hierarchy });
  const scopes = openScopes(principal, named.scopes);
  // For a bound principal, name the layers it owns; for others, null means all open layers.
  const layers = isBound(principal) ? scopes.map(({ layer }) => layer) : null;
  const reading = variantReadingOf(principal, { policy, identifiers, turnsApart: true });
  const [summaries, latest, found, vector] = await Promise.all([
    Promise.all(summaryScopes(scopes, asked).map((scope) => readSummary(ports, reading, scope))),
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
    }),
    queryVector(ports, principal, { tenant, query }),
  ]);
  const lastTurn = latest.at(-1);
  const turns = wholeGroups(latest);
  // If the latest turn is the query, the query was asked when that turn was said.
  const saidNow = lastTurn?.content === query ? lastTurn : { at: ports.platform.clock() };
  const at = localTime(asked.at ?? saidNow);
  const past = await recalled(ports, principal, {
    tenant,
    identifiers,
    query,
    at,
    vector,
    ownSession,
    limit,
  });
  const shown = new Set(latest.map(({ id }) => id));
  const passages = past.passages.filter(
    ({ sessionId, turnId }) =>
      sessionId !== identifiers.sessionId || (ownSession && !shown.has(turnId)),
  );
  const [compared, calibration] = await Promise.all([
    relevances(ports, { query, vector }, summaries),
    vector === null ? null : store.embeddings.calibration(vector.generation),
  ]);
  const termsOf = (text: string) => recallTerms(ports.analyzer, text);
  const replacing = past.said.filter(({ mayReplace }) => mayReplace);
  const endedByUser = endingByUser([...saidLately(turns, termsOf), ...replacing], termsOf);
  const related = withRankedTurns(found, passages, termsOf);
  const byMemory = endingsByMemory(past.said, related);
  const { dates, standingOf } = comparedLayers({ summaries, found, termsOf, endedByUser });
  const parts = summaries
    .map((summary, place) => {
      const part = summaryPart(summary, compared[place]);
      // The cache-stable layout keeps its bytes, whatever the question is.
      if (layout === 'cacheStable') return part;
      return withOutdatedMarked(part, dates, standingOf);
    })
    .filter(
      ({ depths, freshness }) =>
        DEPTHS.some((depth) => depths[depth] !== undefined) || freshness.needsRegeneration,
    );
  const assembled = assembleContext(
    {
      layout,
      limit,
      query,
      instructions: context.instructions,
      untrustedPercent: context.untrustedPercent,
      sessionSummary: ownSession ? (parts.find(({ layer }) => layer === 'session') ?? null) : null,
      hotTurns: turns.map(turnPart),
      relatedEntities: withReplacing(related, byMemory).map((part) =>
        markedMemory(part, found, endedByUser),
      ),
      pastTurns: unrelatedMarked(withEndings(passages, byMemory), {
        calibration,
        windows: past.windows,
      }),
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

/** @throws VarveError FORBIDDEN for the session of a subject that the caller does not speak for */
async function requireOwnSession(
  { store }: ApiPorts,
  principal: Principal,
  { tenant, sessionId }: { tenant: string; sessionId: string | undefined },
): Promise<void> {
  if (sessionId === undefined || !isBound(principal)) return;
  const known = await store.sessions.get(tenant, sessionId);
  if (known !== null) authorizeSession(principal, known);
}

/** Returns the scope of the session always, and other scopes if the caller asked for summaries. */
function summaryScopes(
  scopes: readonly Scope[],
  { layerSummaries }: { layerSummaries: boolean },
): readonly Scope[] {
  return layerSummaries ? scopes : scopes.filter(({ layer }) => layer === 'session');
}

/** Counts each summary that was read, by the depth that the context shows (SUM-14). */
function countShown(
  ports: ApiPorts,
  {
    summaries,
    receipt,
  }: { summaries: readonly ReadSummary[]; receipt: AssembledContext['receipt'] },
): void {
  for (const read of summaries) {
    const line = receipt.find(({ id }) => id === read.summary?.id);
    countRetrieval(ports, read, line?.depth ?? null);
  }
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

/** Compares what the summaries say with later words of the user and with other layers. */
function comparedLayers({
  summaries,
  found,
  termsOf,
  endedByUser,
}: {
  readonly summaries: readonly ScopeSummary[];
  readonly found: Related;
  readonly termsOf: (text: string) => readonly string[];
  readonly endedByUser: EndingByUser;
}): { dates: ReadonlyMap<string, number>; standingOf: StandingOf } {
  const told = [
    ...found.statements.values(),
    ...summaries.flatMap((each) => toldIn(each, termsOf)),
  ];
  const among = standingAmong(told, termsOf);
  const dates = new Map([
    ...[...found.statements].map(([id, { at: since }]) => [id, since] as const),
    ...summaries.flatMap(({ summary }) => datesOf(summary?.facts ?? [])),
  ]);
  const standingOf: StandingOf = (each) => {
    const ended = endedByUser(each.layer, each.content, each.at);
    return ended === 'None' ? among(each) : { ended, newerIn: [] };
  };
  return { dates, standingOf };
}

function toldIn(
  { scope: { layer }, summary }: ScopeSummary,
  termsOf: (text: string) => readonly string[],
): readonly LayeredText[] {
  const facts = summary?.facts ?? [];
  return facts.map(({ text: content, at, trust }) => {
    return { layer, trust, content, at, terms: once(() => termsOf(content)) };
  });
}

/** Returns what the user says in the latest turns, without named speakers, who may be anybody. */
function saidLately(
  latest: readonly Turn[],
  termsOf: (text: string) => readonly string[],
): readonly ReadText[] {
  return latest
    .filter(({ role, speaker }) => role === 'user' && speaker === null)
    .flatMap(({ content, at }) =>
      passagesOf(content).map((text) =>
        readText({ content: text, at, terms: once(() => termsOf(text)) }),
      ),
    );
}

/**
 * Marks memories that a ranked turn says in the same words: the passages of the turn compete for
 * room in their place, as they rank better and name speaker and day (docs/decisions/0141).
 */
function withRankedTurns(
  found: Related,
  passages: readonly PastPassage[],
  termsOf: (text: string) => readonly string[],
): Related {
  if (found.turns.size === 0) return found;
  const ofTurns = new Set(found.turns.values());
  const ranked = Map.groupBy(
    passages.filter((passage) => ofTurns.has(turnKey(passage))),
    turnKey,
  );
  const marked = (part: WholePart): WholePart => {
    const { statement, id } = part;
    if (statement === undefined) return part;
    const terms = new Set(termsOf(withoutSourceDates(statement)));
    const isSaid = ranked.get(found.turns.get(id) ?? '')?.some(({ text }) => {
      const own = new Set(termsOf(text));
      return terms.intersection(own).size >= terms.size * SAID_SHARE_MIN;
    });
    return isSaid === true ? { ...part, isOfRankedTurn: true } : part;
  };
  return { ...found, parts: found.parts.map(marked), others: found.others.map(marked) };
}

/** Share of the terms of a memory that its turn repeats, if both say the same. */
const SAID_SHARE_MIN = 0.75;

type EndingsByMemory = ReadonlyMap<PastPassage, Replaced<ComparedMemory>>;

/** Returns what newer memories, whose turns don't tell it themselves, end of what was said. */
function endingsByMemory(
  said: readonly ReadPassage[],
  { parts, others, statements }: Related,
): EndingsByMemory {
  const memories = [...parts, ...others].flatMap(({ id, isOfRankedTurn = false }) =>
    isOfRankedTurn ? [] : (statements.get(id) ?? []),
  );
  const replacedBy = replacedByMemories(memories);
  const endings = said.map((each) => [each.passage, replacedBy(each)] as const);
  return new Map(endings.filter(([, { ended }]) => ended !== 'None'));
}

function withEndings(
  passages: readonly PastPassage[],
  endings: EndingsByMemory,
): readonly PastPassage[] {
  return passages.map((passage) => {
    const endedByMemory = endings.get(passage)?.ended ?? 'None';
    return { ...passage, endedByMemory };
  });
}

/** Adds memories that end a passage, and ranks them no lower than the passage. */
function withReplacing({ parts, others }: Related, endings: EndingsByMemory): readonly WholePart[] {
  const relevances = new Map<string, number>();
  for (const [{ relevance }, { by }] of endings) {
    for (const { id } of by) relevances.set(id, Math.max(relevance, relevances.get(id) ?? 0));
  }
  const added = others.filter(({ id }) => relevances.has(id));
  return [...parts, ...added].map((part) => {
    const relevance = Math.max(part.relevance, relevances.get(part.id) ?? 0);
    return { ...part, relevance };
  });
}

function markedMemory(
  part: WholePart,
  { statements }: Related,
  endedByUser: EndingByUser,
): WholePart {
  const said = statements.get(part.id);
  const ended = said === undefined ? 'None' : endedByUser(part.layer, said.content, said.at);
  return ended === 'None' ? part : { ...part, endedByUser: ended };
}

/**
 * Drops tool results whose call is not among the turns. The summary covers compacted turns, whose
 * remaining quotes would lack their context.
 */
function wholeGroups(latest: readonly Turn[]): readonly Turn[] {
  const turns = latest.filter(({ compactedAt }) => compactedAt === null);
  const begin = turns.findIndex(({ role, sequence }) => sequence === 1 || role !== 'tool');
  return begin === -1 ? [] : turns.slice(begin);
}

function turnPart(turn: Turn): WholePart {
  return {
    kind: 'hotTurn',
    id: turn.id,
    layer: 'session',
    text: `${oneLine(turn.speaker ?? turn.role)}: ${turn.content}`,
    sources: [turn.id],
    trust: turn.trust,
    relevance: 1,
    isResult: turn.role === 'tool',
  };
}
