/** Merges the answers of all layers to a search into one (design 6.7 to 6.9). */
import type { Layer } from '../layer.ts';
import type { Memory } from '../records/memory.ts';
import { deduplicated } from './near-duplicate-hits.ts';
import {
  byLayerThenScore,
  byScore,
  type Calibrations,
  type ScoredHit,
  scoredHit,
  scoreInTime,
} from './memory-hit-score.ts';
import type { ScopeHits } from './scope-search.ts';
import type { Duplicate, SearchHit, SearchReport } from './search-result.ts';

/** The most memories below the threshold, and beyond the limit: each is compared with the hits. */
const BESIDE_MAX = 10;

/**
 * Number of hits compared with each other, as a multiple of the limit. It is large enough to
 * replace hits that are dropped as duplicates, and small enough that long lists are not compared
 * pairwise.
 */
const COMPARED_FACTOR = 2;

export interface MergeRequest {
  /** Scores below are misses, 0 to 1. */
  readonly threshold: number;
  /** The most hits after merging. */
  readonly limit: number;
  readonly order: 'precedence' | 'relevance';
  readonly explain: boolean;
  readonly query: string;
  readonly calibrations: Calibrations;
  /** Whether the search compares words. */
  readonly byWords: boolean;
  /** The time that the question is about. */
  readonly at: number;
  /** Returns how much the question prefers the time of a memory, 0 to 1; 1 if it names none. */
  readonly timePreference: (memory: Memory) => number;
}

interface Merged extends Pick<SearchReport, 'duplicates' | 'beyond' | 'misses'> {
  readonly hits: readonly SearchHit[];
}

/** Merges answers. @param answers of one scope each, each of a different layer */
export function mergeHits(
  answers: readonly Pick<ScopeHits, 'candidates' | 'path'>[],
  request: MergeRequest,
): Merged {
  const { threshold, limit, order, explain, calibrations, at } = request;
  const scored = answers
    .flatMap(({ candidates, path }) =>
      candidates.map((candidate) => inTime(scoredHit(candidate, { ...request, path }), request)),
    )
    .toSorted(byScore);
  const found = scored.filter(({ score }) => score >= threshold);
  const { chosen, duplicates, conflicts } = choose(found, { limit, calibrations, at });
  const present = new Set(chosen.map(({ memory }) => memory.id));
  const ordered = chosen.toSorted(order === 'precedence' ? byLayerThenScore : byScore);
  const shown = ({ memory, score, explanation }: ScoredHit): SearchHit => ({
    memory,
    score,
    conflictsWith: (conflicts.get(memory.id) ?? []).filter((id) => present.has(id)),
    explanation: explain ? explanation : null,
  });
  const dropped = new Set(duplicates.map(({ id }) => id));
  const beyond = found.filter(({ memory: { id } }) => !present.has(id) && !dropped.has(id));
  const misses = scored.filter(({ score }) => score < threshold);
  return {
    hits: ordered.map(shown),
    duplicates: duplicates.filter(({ of }) => present.has(of)),
    beyond: beyond.slice(0, BESIDE_MAX).map(shown),
    misses: misses.slice(0, BESIDE_MAX).map(shown),
  };
}

function inTime(hit: ScoredHit, { threshold, timePreference }: MergeRequest): ScoredHit {
  return { ...hit, score: scoreInTime(hit.score, threshold, timePreference(hit.memory)) };
}

interface Chosen {
  readonly chosen: readonly ScoredHit[];
  readonly duplicates: readonly Duplicate[];
  readonly conflicts: ReadonlyMap<string, readonly string[]>;
}

/** @param found hits, best first */
function choose(
  found: readonly ScoredHit[],
  { limit, calibrations, at }: Pick<MergeRequest, 'limit' | 'calibrations' | 'at'>,
): Chosen {
  for (let size = limit * COMPARED_FACTOR; ; size *= COMPARED_FACTOR) {
    const compared = firstOf(found, size);
    const { kept, duplicates, conflicts } = deduplicated(compared, { calibrations, at });
    if (kept.length < limit && compared.length < found.length && size > 0) continue;
    return { chosen: withinLimit(kept, limit), duplicates, conflicts };
  }
}

/** Returns the best hits overall, plus enough of each layer to fill its reserved place. */
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
