/**
 * The score of a hit on the one scale of 0 to 1 (design 6.7), by which hits are ordered. With an
 * embedding model it is the better one of its vector score and its keyword score. Hashed vectors
 * contain only words: there, the words decide, and the vector adds what they miss.
 */
import { byPrecedence } from '../layer.ts';
import { haveSharedScript } from '../text/writing-systems.ts';
import { similarityOf } from '../vector.ts';
import { type Calibration, calibrate, calibrateKeyword } from './calibration.ts';
import type { Candidate, SearchPath } from './scope-search.ts';
import type { HitExplanation } from './search-result.ts';

export interface ScoredHit extends Pick<Candidate, 'memory'> {
  readonly score: number;
  readonly explanation: HitExplanation;
}

/** The calibration of a generation, and whether its vectors capture meaning or only words. */
export interface GenerationScale extends Pick<Calibration, 'unrelatedCosine'> {
  readonly quality: 'keyword' | 'semantic';
}

/** Scales by generation; a cosine of a generation without one gives no score. */
export type Calibrations = ReadonlyMap<string, GenerationScale>;

/** What the cosine of hashed vectors adds to the share of the best possible keyword score. */
const HASHED_WEIGHT = 0.2;
/** A cosine above this also counts by itself, such as for a mistyped word. */
const HASHED_ALIKE = 0.3;

export function scoredHit(
  { memory, ...legs }: Candidate,
  {
    query,
    calibrations,
    path,
    byWords,
  }: {
    readonly query: string;
    readonly calibrations: Calibrations;
    readonly path: SearchPath;
    /** Whether the search compares words. */
    readonly byWords: boolean;
  },
): ScoredHit {
  const calibration = legs.generation === null ? undefined : calibrations.get(legs.generation);
  const semanticScore =
    legs.cosine === null || calibration === undefined ? null : calibrate(legs.cosine, calibration);
  const keywordScore = legs.keyword === null ? null : calibrateKeyword(legs.keyword);
  const similarity = legs.cosine === null ? null : similarityOf(legs.cosine);
  const isHashed = calibration?.quality === 'keyword';
  return {
    memory,
    score:
      byWords && isHashed
        ? calibrateKeyword(hashedShare(legs, () => haveSharedScript(query, memory.content)))
        : Math.max(semanticScore ?? 0, keywordScore ?? 0),
    explanation: { ...legs, similarity, semanticScore, keywordScore, path },
  };
}

/**
 * Combines both legs like probabilities of independent events, so that only 1 leads to 1. Short
 * texts without a common letter may share hashes, but only by chance.
 */
function hashedShare(
  { keyword, cosine }: Pick<Candidate, 'keyword' | 'cosine'>,
  mayBeAlike: () => boolean,
): number {
  const words = keyword ?? 0;
  const cosineMax = words > 0 || mayBeAlike() ? 1 : 0;
  const near = Math.max(0, Math.min(cosineMax, cosine ?? 0));
  const more = Math.min(1, HASHED_WEIGHT * near + Math.max(0, near - HASHED_ALIKE));
  return words + (1 - words) * more;
}

/** What a hit of another time than the question names loses of its distance to the threshold. */
const OTHER_TIME_SHARE = 0.5;

/**
 * Returns the score of a hit by its time. No hit becomes a miss, and no miss a hit.
 * @param preference how much the question prefers that time, 0 to 1; 1 if it names none
 */
export function scoreInTime(score: number, threshold: number, preference: number): number {
  const more = score - threshold;
  return more <= 0 ? score : score - more * OTHER_TIME_SHARE * (1 - Math.min(1, preference));
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
