/**
 * Where a long list is cut into chunks: at places that the list's own entries choose (design 6.16).
 * A change of one entry changes the chunks around it; all others stay what they are, so that what
 * was made of them still holds.
 */
import type { Digest } from '../hash.ts';

export interface Entry {
  /** Decides, by its hash, whether a chunk begins with this entry. */
  readonly key: string;
  /** Room that it takes in a chunk. */
  readonly weight: number;
  /** Whether it says nothing without the entry before it; absent of all others. */
  readonly joined?: boolean;
}

export interface ChunkSizes {
  /** Weight between two places that the entries choose, on average. */
  readonly aim: number;
  /** Most weight of a chunk, unless one entry alone is heavier. */
  readonly most: number;
}

/** Digits of a digest that make a number which doubles hold exactly. */
const PLACE_DIGITS = 13;
const PLACES = 16 ** PLACE_DIGITS;
/** A forced cut falls into the middle half, so no chunk of it is less than a quarter. */
const MIDDLE = { from: 0.25, to: 0.75 };

/**
 * The entries in order, in chunks. An entry begins a chunk if its hash falls below its share of
 * `aim`: chunks have that weight on average, whatever the single weights are. What is above `most`
 * is cut again, at the lowest hash of its middle half. `level` makes other choices for each level
 * of a tree.
 */
export function chunkWords<T extends Entry>(
  digest: Digest,
  entries: readonly T[],
  { level, sizes }: { level: number; sizes: ChunkSizes },
): readonly (readonly T[])[] {
  const places = entries.map(({ key }) => placeOf(digest, level, key));
  const chunks: (readonly T[])[] = [];
  let start = 0;
  for (let at = 1; at <= entries.length; at += 1) {
    const entry = entries[at];
    if (entry?.joined === true) continue;
    if (entry !== undefined && (places[at] ?? 1) >= entry.weight / sizes.aim) continue;
    chunks.push(...cutToSize(entries.slice(start, at), places.slice(start, at), sizes.most));
    start = at;
  }
  return chunks;
}

/** A number from 0 to 1, fixed by a hash. */
function placeOf(digest: Digest, level: number, key: string): number {
  return Number.parseInt(digest(`${String(level)}\n${key}`).slice(0, PLACE_DIGITS), 16) / PLACES;
}

/** Halves at least by a quarter each time, so the depth is the logarithm of the weight. */
function cutToSize<T extends Entry>(
  entries: readonly T[],
  places: readonly number[],
  most: number,
): readonly (readonly T[])[] {
  const total = entries.reduce((sum, { weight }) => sum + weight, 0);
  if (total <= most || entries.length < 2) return [entries];
  const cut = forcedCut(entries, places, total);
  return [
    ...cutToSize(entries.slice(0, cut), places.slice(0, cut), most),
    ...cutToSize(entries.slice(cut), places.slice(cut), most),
  ];
}

/** Index of the entry that begins the second part. */
function forcedCut(entries: readonly Entry[], places: readonly number[], total: number): number {
  const isOneGroup = entries.every(({ joined }, at) => at === 0 || joined === true);
  const mayCut = (at: number) => at > 0 && (isOneGroup || entries[at]?.joined !== true);
  let lowest: number | null = null;
  let nearest = 1;
  let nearestBy = Infinity;
  let before = 0;
  for (const [at, { weight }] of entries.entries()) {
    const share = before / total;
    const isMiddle = mayCut(at) && share >= MIDDLE.from && share <= MIDDLE.to;
    if (isMiddle && (lowest === null || (places[at] ?? 1) < (places[lowest] ?? 1))) lowest = at;
    const by = Math.abs(share - 0.5);
    if (mayCut(at) && by < nearestBy) [nearest, nearestBy] = [at, by];
    before += weight;
  }
  return lowest ?? nearest;
}
