/**
 * Splits a long list into chunks, at places that the entries themselves determine (design 6.16). A
 * change of one entry changes only the chunks around it, so that results made from all other chunks
 * stay valid.
 */
import type { Digest } from '../hash.ts';

export interface Entry {
  /** Its hash decides whether a chunk begins with this entry. */
  readonly key: string;
  /** How much of a chunk it takes. */
  readonly weight: number;
  /** Whether it makes no sense without the entry before it; absent for all others. */
  readonly joined?: boolean;
}

export interface ChunkSizes {
  /** The average weight between two places that the entries determine. */
  readonly aim: number;
  /** The most weight of a chunk, unless a single entry is heavier. */
  readonly most: number;
}

/** As many digits of a digest as a double represents exactly. */
const PLACE_DIGITS = 13;
const PLACES = 16 ** PLACE_DIGITS;
/** A forced cut is in the middle half if possible, so that no part is less than a quarter. */
const MIDDLE = { from: 0.25, to: 0.75 };

/**
 * Returns the entries in order, in chunks. An entry begins a chunk if its hash is below its share
 * of `aim`, so that chunks have that weight on average, whatever the single weights. A chunk above
 * `most` is cut again, at the lowest hash in its middle half. `level` makes the choices differ for
 * each level of a tree.
 */
export function chunkEntries<T extends Entry>(
  digest: Digest,
  entries: readonly T[],
  { level, sizes }: { level: number; sizes: ChunkSizes },
): readonly (readonly T[])[] {
  const places = entries.map(({ key }) => hashShare(digest, level, key));
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

/** Returns a number from 0 to 1 that depends only on the entry's hash. */
function hashShare(digest: Digest, level: number, key: string): number {
  return Number.parseInt(digest(`${String(level)}\n${key}`).slice(0, PLACE_DIGITS), 16) / PLACES;
}

/**
 * A cut normally leaves at least a quarter on each side, so the depth is logarithmic in the weight.
 */
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

/** Returns the index of the entry that begins the second part. */
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
