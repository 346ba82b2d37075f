/** Merges the answers of all layers to a search into one (design 6.7 to 6.9). */
import { type Layer, byPrecedence } from '../layer.ts';
import type { Memory } from '../records/memory.ts';
import { similarityOf } from '../vector.ts';
import { type Calibration, calibrate, calibrateKeyword } from './calibration.ts';
import { saysOtherwise } from './conflicts.ts';
import type { Candidate, ScopeHits, SearchPath } from './scope-search.ts';
import type { Duplicate, HitExplanation, SearchHit, SearchReport } from './search-result.ts';
import { dotAt, unitVector } from './vector-kernel.ts';

/** Maximum hits below the threshold that an answer names. */
export const NEAREST_MISSES_MAX = 3;

/**
 * Number of hits compared with each other, as a multiple of the limit: enough to replace hits that
 * drop out as duplicates, few enough that long lists are not compared pairwise.
 */
const COMPARED_FACTOR = 2;

export interface MergeRequest {
  /** Scores below are misses, 0 to 1. */
  readonly threshold: number;
  /** Hits after merging. */
  readonly limit: number;
  readonly order: 'precedence' | 'relevance';
  readonly explain: boolean;
  readonly calibrations: Calibrations;
}

export interface Merged extends Pick<SearchReport, 'duplicates' | 'nearestMisses'> {
  readonly hits: readonly SearchHit[];
}

/** Merges answers. @param answers of one scope each, no two of the same layer */
export function mergeHits(
  answers: readonly Pick<ScopeHits, 'candidates' | 'path'>[],
  request: MergeRequest,
): Merged {
  const { threshold, limit, order, explain, calibrations } = request;
  const scored = answers
    .flatMap(({ candidates, path }) =>
      candidates.map((candidate) => scoredHit(candidate, { calibrations, path })),
    )
    .toSorted(byScore);
  const found = scored.filter(({ score }) => score >= threshold);
  const { chosen, duplicates, conflicts } = choose(found, { limit, calibrations });
  const present = new Set(chosen.map(({ memory }) => memory.id));
  const ordered = chosen.toSorted(order === 'precedence' ? byLayerThenScore : byScore);
  return {
    hits: ordered.map(({ memory, score, explanation }) => ({
      memory,
      score,
      conflictsWith: (conflicts.get(memory.id) ?? []).filter((id) => present.has(id)),
      explanation: explain ? explanation : null,
    })),
    duplicates: duplicates.filter(({ of }) => present.has(of)),
    nearestMisses: scored
      .filter(({ score }) => score < threshold)
      .slice(0, NEAREST_MISSES_MAX)
      .map(({ memory, score }) => ({ id: memory.id, score })),
  };
}

interface Chosen {
  readonly chosen: readonly ScoredHit[];
  readonly duplicates: readonly Duplicate[];
  readonly conflicts: ReadonlyMap<string, readonly string[]>;
}

/** @param found hits, best first */
function choose(
  found: readonly ScoredHit[],
  { limit, calibrations }: Pick<MergeRequest, 'limit' | 'calibrations'>,
): Chosen {
  for (let size = limit * COMPARED_FACTOR; ; size *= COMPARED_FACTOR) {
    const compared = firstOf(found, size);
    const { kept, duplicates, conflicts } = deduplicated(compared, calibrations);
    if (kept.length < limit && compared.length < found.length && size > 0) continue;
    return { chosen: withinLimit(kept, limit), duplicates, conflicts };
  }
}

/** Returns the best hits overall, plus as many of each layer as its place may need. */
function firstOf(found: readonly ScoredHit[], size: number): readonly ScoredHit[] {
  const counts = new Map<Layer, number>();
  return found.filter(({ memory: { layer } }, place) => {
    const count = counts.get(layer) ?? 0;
    counts.set(layer, count + 1);
    return place < size || count < COMPARED_FACTOR;
  });
}

/** Reserves one place for the best hit of each layer and fills the rest by score. */
function withinLimit(kept: readonly ScoredHit[], limit: number): readonly ScoredHit[] {
  const layers = new Set<Layer>();
  const firsts = kept.filter(({ memory: { layer } }) => {
    const first = !layers.has(layer);
    layers.add(layer);
    return first;
  });
  const rest = kept.filter((hit) => !firsts.includes(hit));
  return [...firsts, ...rest].slice(0, limit);
}

/**
 * Similarity from which two hits are near duplicates (MEM-15). Models that find all texts alike
 * exceed it for different texts, so the calibrated score of the pair must reach it too.
 */
const DUPLICATE_SIMILARITY = 0.95;

interface Deduplicated {
  /** In the given order. */
  readonly kept: readonly ScoredHit[];
  readonly duplicates: readonly Duplicate[];
  /** Ids of kept hits, by the id of the kept hit that they contradict. */
  readonly conflicts: ReadonlyMap<string, readonly string[]>;
}

/**
 * Drops near duplicates. Across layers, the more specific hit stays; within a layer, the newer
 * one, unless the two contradict each other: then both stay. Only callers that ask for past truths
 * find superseded memories, which are never merged.
 */
export function deduplicated(hits: readonly ScoredHit[], calibrations: Calibrations): Deduplicated {
  const similarity = createSimilarity(calibrations);
  const kept: ScoredHit[] = [];
  const duplicates: Duplicate[] = [];
  const conflicts = new Map<string, string[]>();
  for (const hit of hits.toSorted(byStanding)) {
    const like = kept.map((other) => ({ other, alike: similarity(hit.memory, other.memory) }));
    const near = like.filter(({ alike }) => alike !== null && alike >= DUPLICATE_SIMILARITY);
    const stands = near.find(({ other }) => standsFor(other.memory, hit.memory));
    if (stands !== undefined) {
      const { id, layer } = hit.memory;
      duplicates.push({ id, layer, of: stands.other.memory.id, similarity: stands.alike ?? 1 });
      continue;
    }
    kept.push(hit);
    for (const { other } of near) {
      if (other.memory.layer === hit.memory.layer) mark(conflicts, [hit.memory, other.memory]);
    }
  }
  const staying = new Set(kept);
  return { kept: hits.filter((hit) => staying.has(hit)), duplicates, conflicts };
}

function mark(conflicts: Map<string, string[]>, [a, b]: readonly [Memory, Memory]): void {
  for (const [from, to] of [
    [a.id, b.id],
    [b.id, a.id],
  ] as const) {
    conflicts.set(from, [...(conflicts.get(from) ?? []), to].toSorted());
  }
}

/** Orders hits such that one that may replace another comes first. */
function byStanding({ memory: a }: ScoredHit, { memory: b }: ScoredHit): number {
  return byPrecedence(a, b) || b.validFrom - a.validFrom || (a.id < b.id ? 1 : -1);
}

function standsFor(kept: Memory, other: Memory): boolean {
  if (kept.layer !== other.layer) return true;
  return !saysOtherwise(kept.content, other.content);
}

/** Returns the similarity of two memories, 0 to 1; null if they can't be compared. */
function createSimilarity(calibrations: Calibrations): (a: Memory, b: Memory) => number | null {
  const units = new Map<string, Float64Array>();
  const unitOf = ({ id, vector }: Memory): Float64Array | null => {
    if (vector === null) return null;
    const unit = units.get(id) ?? unitVector(vector);
    units.set(id, unit);
    return unit;
  };
  return (a, b) => {
    if (a.state === 'superseded' || b.state === 'superseded') return null;
    if (a.contentHash === b.contentHash) return 1;
    const calibration = calibrations.get(a.embeddingGeneration ?? '');
    if (calibration === undefined || a.embeddingGeneration !== b.embeddingGeneration) return null;
    const [left, right] = [unitOf(a), unitOf(b)];
    if (left === null || right === null) return null;
    const cosine = Math.min(1, dotAt(left, 0, right));
    return Math.min(similarityOf(cosine), calibrate(cosine, calibration));
  };
}

// A candidate of one layer with its scores on the one scale of 0 to 1 (design 6.7).

interface ScoredHit extends Pick<Candidate, 'memory'> {
  readonly score: number;
  readonly explanation: HitExplanation;
}

/** Calibrations by generation; a cosine of a generation without one gives no score. */
type Calibrations = ReadonlyMap<string, Calibration>;

function scoredHit(
  { memory, ...legs }: Candidate,
  { calibrations, path }: { readonly calibrations: Calibrations; readonly path: SearchPath },
): ScoredHit {
  const calibration = legs.generation === null ? undefined : calibrations.get(legs.generation);
  const semanticScore =
    legs.cosine === null || calibration === undefined ? null : calibrate(legs.cosine, calibration);
  const keywordScore = legs.keyword === null ? null : calibrateKeyword(legs.keyword);
  const similarity = legs.cosine === null ? null : similarityOf(legs.cosine);
  return {
    memory,
    score: Math.max(semanticScore ?? 0, keywordScore ?? 0),
    explanation: { ...legs, similarity, semanticScore, keywordScore, path },
  };
}

/** The better score first; of equal ones the more specific layer, then the lower id. */
function byScore(a: ScoredHit, b: ScoredHit): number {
  return b.score - a.score || byPrecedence(a.memory, b.memory) || byId(a, b);
}

function byLayerThenScore(a: ScoredHit, b: ScoredHit): number {
  return byPrecedence(a.memory, b.memory) || byScore(a, b);
}

function byId({ memory: a }: ScoredHit, { memory: b }: ScoredHit): number {
  return a.id < b.id ? -1 : Number(a.id > b.id);
}
