/**
 * Topic segments: where the words before a place and those after it have little in common.
 * Source: M. A. Hearst, "TextTiling: Segmenting Text into Multi-paragraph Subtopic Passages",
 * Computational Linguistics 23 (1), 1997: block comparison, depth scores, cut-off mean minus half
 * a standard deviation.
 */
import { countOccurrences } from '#core/text/term-statistics.ts';

/** Sentences compared on either side of a place; also the shortest segment. */
const BLOCK_SENTENCES = 20;

/** Maximum places compared; in a longer text not every sentence is a place. */
const PLACES_MAX = 2000;

/** Similarity is averaged over this many places on either side, so that one word makes no peak. */
const SMOOTHED_PLACES = 3;

/** More segments than this add nothing about how widely a word is spread. */
const SEGMENTS_MAX = 64;

/** Returns the segment number of each sentence, from 0 up; sentences are given by their stems. */
export function segmentSentences(sentences: readonly (readonly string[])[]): readonly number[] {
  const starts = new Set(boundaries(sentences));
  let segment = 0;
  return sentences.map((_, index) => {
    if (starts.has(index)) segment += 1;
    return segment;
  });
}

function boundaries(sentences: readonly (readonly string[])[]): readonly number[] {
  const gaps: number[] = [];
  const last = sentences.length - BLOCK_SENTENCES;
  const step = Math.max(1, Math.ceil(last / PLACES_MAX));
  for (let at = BLOCK_SENTENCES; at <= last; at += step) gaps.push(at);
  const likeness = gaps.map((at) =>
    cosine(
      countOccurrences(sentences.slice(at - BLOCK_SENTENCES, at).flat()),
      countOccurrences(sentences.slice(at, at + BLOCK_SENTENCES).flat()),
    ),
  );
  const depths = depthScores(smooth(likeness));
  const mean = depths.reduce((sum, depth) => sum + depth, 0) / Math.max(1, depths.length);
  const squares = depths.reduce((sum, depth) => sum + (depth - mean) ** 2, 0);
  const cutoff = mean + Math.sqrt(squares / Math.max(1, depths.length)) / 2;
  const deepest = depths
    .map((depth, index) => ({ depth, at: gaps[index] ?? 0 }))
    .filter((gap) => gap.depth > cutoff)
    .toSorted((a, b) => b.depth - a.depth || a.at - b.at);
  return apart(deepest.map((gap) => gap.at));
}

function cosine(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let product = 0;
  for (const [stem, count] of a) product += count * (b.get(stem) ?? 0);
  const norm = (counts: ReadonlyMap<string, number>): number =>
    [...counts.values()].reduce((sum, count) => sum + count * count, 0);
  return product === 0 ? 0 : product / Math.sqrt(norm(a) * norm(b));
}

/** How far each value lies below the nearest peaks to its left and right. */
function depthScores(values: readonly number[]): readonly number[] {
  const left = climbs(values);
  const right = climbs(values.toReversed()).toReversed();
  return values.map((_, index) => (left[index] ?? 0) + (right[index] ?? 0));
}

/** For each value, how far above it the slope that leads down to it from the left begins. */
function climbs(values: readonly number[]): readonly number[] {
  let peak = 0;
  let before = 0;
  return values.map((value) => {
    if (value >= before) peak = value;
    before = value;
    return peak - value;
  });
}

function smooth(values: readonly number[]): readonly number[] {
  return values.map((value, index) => {
    const near = values.slice(Math.max(0, index - SMOOTHED_PLACES), index + SMOOTHED_PLACES + 1);
    return near.reduce((sum, other) => sum + other, 0) / Math.max(1, near.length);
  });
}

/** Takes the places in the given order, without those too near to one already taken. */
function apart(places: readonly number[]): readonly number[] {
  const taken: number[] = [];
  for (const place of places) {
    if (taken.length >= SEGMENTS_MAX - 1) break;
    if (taken.every((other) => Math.abs(other - place) >= BLOCK_SENTENCES)) taken.push(place);
  }
  return taken.toSorted((a, b) => a - b);
}
