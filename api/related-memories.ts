/** Finds the memories that a context shows because they fit its question. */
import type { WholePart } from '#core/context/context-parts.ts';
import type { Identifiers } from '#core/identifiers.ts';
import type { Layer } from '#core/layer.ts';
import type { SearchAnswer } from '#core/ports/memory-provider.ts';
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import {
  comparedFirst,
  comparedMemory,
  outdatedMemories,
  type ComparedMemory,
  type NewerIds,
  type OutdatedMemories,
} from '#core/recall/outdated/outdated-memories.ts';
import { readDatedText } from '#core/recall/outdated/likely-correction.ts';
import { requestsText } from '#core/recall/question/text-requests.ts';
import { isStylePreference } from '#core/recall/question/style-preferences.ts';
import { possibleCorrections } from '#core/recall/outdated/unmarked-corrections.ts';
import type { FoundMemories } from '#core/recall/turn-overlap.ts';
import { turnKey } from '#core/context/past-turns.ts';
import type { Memory } from '#core/records/memory.ts';
import { excerptOf, excerptSizeIn } from '#core/search/excerpt.ts';
import type { SearchHit } from '#core/search/search-result.ts';
import { isRelative } from '#core/extraction/statement.ts';
import type { SaidAt } from '#core/said-at.ts';
import { countedFrom, holdsFrom, isUpcoming, sourceDate } from '#core/sources/source.ts';
import { CONTENT_KEY } from '#memory/new-memory.ts';
import type { ApiPorts } from './api-ports.ts';
import type { Principal } from './principal.ts';

/** Minimum nearness of a related memory to the query, as a share of the nearest one's. */
const NEARNESS_SHARE_MIN = 0.5;

type Related = FoundMemories & Pick<SearchAnswer, 'degraded' | 'degradedReason'>;

const NOTHING_RELATED: Related = {
  parts: [],
  statements: new Map(),
  turns: new Map(),
  degraded: false,
  degradedReason: null,
};

/** Searches without a threshold: what is not `nearEnough` gets only room that is left. */
export async function relatedMemories(
  { provider, analyzer }: ApiPorts,
  { name }: Principal,
  {
    tenant,
    maxTokens,
    now,
    ...asked
  }: {
    /** The token limit of the context. */
    readonly maxTokens: number;
    readonly tenant: string;
    readonly query: string;
    readonly identifiers: Identifiers;
    readonly layers: readonly Layer[] | null;
    readonly limit: number;
    /** When the question is asked, by the asker's clock. */
    readonly now: SaidAt;
  },
): Promise<Related> {
  if (asked.limit === 0) return NOTHING_RELATED;
  const request = {
    ...asked,
    mode: 'hybrid',
    threshold: 0,
    order: 'relevance',
    conditions: { latestOnly: true, tags: [], filter: null, kind: null },
    explain: true,
    at: now.at,
  } as const;
  const found = await provider.search(tenant, request, { by: name });
  const { degraded, degradedReason } = found;
  const compared = comparedFirst(
    [...found.replacements, ...found.hits, ...found.beyond]
      .map(({ memory }) => memory)
      .filter((memory) => !isUpcoming(sinceOf(memory), now)),
  ).map((memory) => comparedMemory(memory, analyzer, now));
  const standing = outdatedMemories(compared);
  const hits = withNewerBeyond(found, standing);
  const corrections = correctionsOf(compared);
  const rules = stylePreferences(hits, asked.query);
  const near = withNewer([...nearEnough(hits), ...rules], hits, [
    standing.outdated,
    standing.newerElsewhere,
    corrections,
  ]);
  const ruleScore = STYLE_SHARE * Math.max(0, ...hits.map(({ score }) => score));
  const shown = hits.map((hit): WholePart => {
    const score = rules.has(hit) ? Math.max(hit.score, ruleScore) : hit.score;
    const toShow = { query: asked.query, maxTokens, now };
    const part = memoryPart({ ...hit, score }, toShow, analyzer);
    return near.has(hit) ? part : { ...part, isFar: true };
  });
  const statements = new Map(compared.map((each) => [each.id, each]));
  const turns = new Map(hits.flatMap(({ memory }) => turnKeyOf(memory)));
  const parts = withCorrectionsFirst(withReplacements(shown, standing), corrections);
  return { parts, statements, turns, degraded, degradedReason };
}

/** Returns the memory's id with the key of the turn that it was kept from. */
export function turnKeyOf({
  id,
  origin,
  metadata: { session, source },
}: Memory): readonly (readonly [string, string])[] {
  if (origin.channel !== 'extraction') return [];
  if (typeof session !== 'string' || typeof source !== 'string') return [];
  return [[id, turnKey({ sessionId: session, turnId: source })]];
}

/** Returns the hits, and what replaces one of them, also from beyond the limit. */
function withNewerBeyond(
  { hits, replacements, beyond }: SearchAnswer,
  { outdated, newerElsewhere }: OutdatedMemories,
): readonly SearchHit[] {
  const newer = new Set(
    hits.flatMap(({ memory: { id } }) => [
      ...(outdated.get(id) ?? []),
      ...(newerElsewhere.get(id) ?? []),
    ]),
  );
  return [...hits, ...replacements, ...beyond.filter(({ memory: { id } }) => newer.has(id))];
}

/** Adds memories newer than one of the near ones, however unlike the question they are. */
function withNewer(
  near: readonly SearchHit[],
  hits: readonly SearchHit[],
  known: readonly NewerIds[],
): ReadonlySet<SearchHit> {
  const newer = (id: string) => known.flatMap((ids) => ids.get(id) ?? []);
  const wanted = new Set(near.flatMap(({ memory: { id } }) => [id, ...newer(id)]));
  return new Set(hits.filter(({ memory: { id } }) => wanted.has(id)));
}

/** Relevance of a style preference to a request for a text, as a share of the nearest memory's. */
const STYLE_SHARE = 0.6;
const STYLE_PREFERENCES_MAX = 4;

/** Returns the newest style preferences if the question asks for a text, without naming them. */
function stylePreferences(hits: readonly SearchHit[], query: string): ReadonlySet<SearchHit> {
  if (!requestsText(query)) return new Set();
  const found = hits.filter(({ memory: { content } }) => isStylePreference(content));
  const newest = found.toSorted((a, b) => b.memory.validFrom - a.memory.validFrom);
  return new Set(newest.slice(0, STYLE_PREFERENCES_MAX));
}

/** Less than the difference of any two scores, but enough to rank outdated memories behind. */
const BEHIND = 1e-9;

/** Ranks a memory right behind what replaces it, and names that: either alone would mislead. */
function withReplacements(
  parts: readonly WholePart[],
  { outdated, inPart, newerElsewhere }: OutdatedMemories,
): readonly WholePart[] {
  const relevances = new Map(parts.map(({ id, relevance }) => [id, relevance]));
  const relevanceOf = (id: string): number => relevances.get(id) ?? 0;
  for (const [id, newer] of outdated) {
    for (const each of newer) relevances.set(each, Math.max(relevanceOf(id), relevanceOf(each)));
  }
  // A memory that one newer text replaces ranks before one that this text and others replace.
  for (const [id, newer] of [...outdated].toSorted(([, a], [, b]) => a.length - b.length)) {
    const last = Math.min(...newer.map(relevanceOf));
    relevances.set(id, Math.min(relevanceOf(id), last - BEHIND));
  }
  const layers = new Map(parts.map(({ id, layer }) => [id, layer]));
  return parts.map((part) => {
    const relevance = relevances.get(part.id) ?? part.relevance;
    const outdatedBy = outdated.get(part.id) ?? [];
    const newerIn = (newerElsewhere.get(part.id) ?? []).flatMap((id) => layers.get(id) ?? []);
    const isOutdatedInPart = inPart.has(part.id);
    return { ...part, relevance, outdatedBy, isOutdatedInPart, newerIn: [...new Set(newerIn)] };
  });
}

/** By the id of a memory: the newer ones of its layer that may correct it, from the oldest on. */
function correctionsOf(compared: readonly ComparedMemory[]): NewerIds {
  const found = new Map<string, readonly string[]>();
  const inTime = compared.toSorted((a, b) => a.at - b.at);
  for (const ofLayer of Map.groupBy(inTime, ({ layer }) => layer).values()) {
    const texts = ofLayer.map((memory) => {
      const { signs, at } = readDatedText(memory);
      return { at, terms: [...memory.terms()], mayChange: signs.mayChange };
    });
    const idAt = (place: number): string => ofLayer[place]?.id ?? '';
    for (const [older, newer] of possibleCorrections(texts)) {
      found.set(idAt(older), newer.map(idAt));
    }
  }
  return found;
}

/**
 * Ranks a memory that may correct an older one right before it, as one that certainly does: of
 * statements about one thing, the newest comes first.
 */
function withCorrectionsFirst(
  parts: readonly WholePart[],
  corrections: NewerIds,
): readonly WholePart[] {
  const relevances = new Map(parts.map(({ id, relevance }) => [id, relevance]));
  for (const [older, newer] of corrections) {
    const before = relevances.get(older);
    if (before === undefined) continue;
    for (const id of newer) {
      relevances.set(id, Math.max(before + BEHIND, relevances.get(id) ?? 0));
    }
  }
  return parts.map((part) => ({ ...part, relevance: relevances.get(part.id) ?? part.relevance }));
}

/**
 * Returns the hits that are near enough to compete for room. A hit far less like the query than the
 * best one, by meaning and by words, would only take room from turns and summaries; it gets what
 * they leave. The line is a share of each leg's best: a fixed threshold would suit no tenant whose
 * memories are about other things than the question.
 */
function nearEnough(hits: readonly SearchHit[]): readonly SearchHit[] {
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

/** Cosines of different generations have different scales, so each is compared within its own. */
function legsOf(explanation: SearchHit['explanation']) {
  const { generation = null, cosine: value = null, keyword = null } = explanation ?? {};
  return { generation: generation ?? '', cosine: value ?? 0, keyword: keyword ?? 0 };
}

function sinceOf({ validFrom, utcOffset }: SearchHit['memory']): SaidAt {
  return { at: validFrom, utcOffset };
}

/** Null also for a key that only marks equal texts as one. */
function ownKey({ key }: SearchHit['memory']): string | null {
  return key === null || key.startsWith(CONTENT_KEY) ? null : key;
}

function memoryPart(
  { memory, score }: SearchHit,
  {
    query,
    maxTokens,
    now,
  }: { readonly query: string; readonly maxTokens: number; readonly now: SaidAt },
  analyzer: TextAnalyzer,
): WholePart {
  const { content } = memory;
  const text = excerptOf(content, query, analyzer, excerptSizeIn(maxTokens, memory)) ?? content;
  const said = sinceOf(memory);
  const day = isUpcoming(said, now) ? holdsFrom(said) : sourceDate(said);
  const from = countedFrom(said);
  const isDated = text.endsWith(day) || text.endsWith(from);
  return {
    kind: 'relatedEntity',
    id: memory.id,
    key: ownKey(memory),
    layer: memory.layer,
    // Statements may differ, and then the newer one holds. Extraction dates relative times itself.
    text: isDated ? text : `${text} ${isRelative(text) ? from : day}`,
    sources: [memory.id],
    trust: memory.trust,
    relevance: score,
    // A memory taken from a turn says no more than the turn. Any other may say more than a turn
    // that only asks.
    ...(memory.origin.channel === 'extraction' ? { statement: memory.content } : {}),
  };
}
