/**
 * The score of a hit on the one scale of 0 to 1 (design 6.7): the better one of its vector score
 * and its keyword score. Hits are ordered by it.
 */
import { byPrecedence } from '../layer.ts';
import { similarityOf } from '../vector.ts';
import { type Calibration, calibrate, calibrateKeyword } from './calibration.ts';
import type { Candidate, SearchPath } from './scope-search.ts';
import type { HitExplanation } from './search-result.ts';

export interface ScoredHit extends Pick<Candidate, 'memory'> {
  readonly score: number;
  readonly explanation: HitExplanation;
}

/** Calibrations by generation; a cosine of a generation without one gives no score. */
export type Calibrations = ReadonlyMap<string, Calibration>;

export function scoredHit(
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

/** Sorts the better score first; of equal scores the more specific layer, then the lower id. */
export function byScore(a: ScoredHit, b: ScoredHit): number {
  return b.score - a.score || byPrecedence(a.memory, b.memory) || byId(a, b);
}

export function byLayerThenScore(a: ScoredHit, b: ScoredHit): number {
  return byPrecedence(a.memory, b.memory) || byScore(a, b);
}

function byId({ memory: a }: ScoredHit, { memory: b }: ScoredHit): number {
  return a.id < b.id ? -1 : Number(a.id > b.id);
}
