/** Finds hits of a search that say the same: near duplicates are dropped, contradictions stay. */
import { byPrecedence } from '../layer.ts';
import type { Memory } from '../records/memory.ts';
import { similarityOf } from '../vector.ts';
import { isToCome } from '../sources/memory-ends-and-keys.ts';
import { calibrate } from './calibration.ts';
import { haveOtherMarks, marksOf, type Marks } from './differing-values.ts';
import type { Calibrations, ScoredHit } from './memory-hit-score.ts';
import type { Duplicate } from './search-result.ts';
import { dotAt, unitVector } from './vector-kernel.ts';

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
 * Drops near duplicates. Across layers, the more specific hit stays; within a layer, the newer one.
 * Both stay if a newer one contradicts what would stay without it. Superseded memories, which only
 * searches for past truths find, are never merged, nor is one that holds with one whose day is to
 * come.
 * @param asked.at the time that the question is about
 */
export function deduplicated(
  hits: readonly ScoredHit[],
  { calibrations, at }: { readonly calibrations: Calibrations; readonly at: number },
): Deduplicated {
  const alikeAt = createSimilarity(calibrations);
  const similarity = (a: Memory, b: Memory) =>
    isToCome(a, at) === isToCome(b, at) ? alikeAt(a, b) : null;
  const standsFor = createStanding();
  const kept: ScoredHit[] = [];
  const duplicates: Duplicate[] = [];
  const conflicts: (readonly [string, string])[] = [];
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
    for (const { other } of near) conflicts.push([hit.memory.id, other.memory.id]);
  }
  const staying = new Set(kept);
  const stay = hits.filter((hit) => staying.has(hit));
  return { kept: stay, duplicates, conflicts: othersById(conflicts) };
}

/** Returns, by each id of the pairs, those it is paired with, in order. */
function othersById(
  pairs: readonly (readonly [string, string])[],
): ReadonlyMap<string, readonly string[]> {
  const both = pairs.flatMap(([a, b]) => [[a, b] as const, [b, a] as const]);
  const ofEach = Map.groupBy(both, ([id]) => id);
  return new Map(Array.from(ofEach, ([id, of]) => [id, of.map(([, other]) => other).toSorted()]));
}

/** Sorts first the hit that may replace the other. */
function byStanding({ memory: a }: ScoredHit, { memory: b }: ScoredHit): number {
  return byPrecedence(a, b) || b.validFrom - a.validFrom || (a.id < b.id ? 1 : -1);
}

/** Returns whether the first of two memories may stand for the second; reads each text once. */
function createStanding(): (kept: Memory, other: Memory) => boolean {
  const known = new Map<string, Marks>();
  const marksIn = ({ id, content }: Memory): Marks => {
    const marks = known.get(id) ?? marksOf(content);
    known.set(id, marks);
    return marks;
  };
  return (kept, other) =>
    (kept.layer !== other.layer && kept.validFrom >= other.validFrom) ||
    !haveOtherMarks(marksIn(kept), marksIn(other));
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
