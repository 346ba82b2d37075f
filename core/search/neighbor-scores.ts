/** Gives the neighbors of a match in a conversation a share of its score. */

import { lowerBound } from '../lower-bound.ts';

/**
 * How many neighbors of a match, before and after it, receive a share of its score. In a
 * conversation an answer often has none of the words of the question before it. Larger shares raise
 * the recall and lower the rank of the first answer (docs/decisions/0021). A neighbor passes the
 * default threshold only beside a strong match, or between several.
 */
export const NEIGHBORS = 5;
const NEIGHBOR_SHARE = 0.18;

const NO_PLACE = -1;

export interface NeighborScores {
  put(slot: number): void;
  /** Must be called while the slot still has its entry. */
  remove(slot: number): void;
  /**
   * Adds to each slot a share of its neighbors' scores, each counted up to `best`.
   * @returns the slots that now have a score
   */
  smooth(
    scores: Float64Array,
    matched: { readonly slots: readonly number[]; readonly best: number },
  ): readonly number[];
}

/**
 * @param isBefore whether the entry of a slot was said before that of another
 * @param begin the initial slots
 */
export function createNeighborScores(
  isBefore: (slot: number, other: number) => boolean,
  begin: readonly number[],
): NeighborScores {
  const order = begin.toSorted((a, b) => (isBefore(a, b) ? -1 : 1));
  let known: Int32Array | null = null;

  const placeFor = (slot: number): number =>
    lowerBound(order.length, (at) => isBefore(order[at] ?? NO_PLACE, slot));
  const placesNow = (slotsEnd: number): Int32Array => {
    known ??= placesOf(order, slotsEnd);
    return known;
  };

  return {
    put(slot) {
      order.splice(placeFor(slot), 0, slot);
      known = null;
    },
    remove(slot) {
      const place = placeFor(slot);
      if (order[place] === slot) order.splice(place, 1);
      known = null;
    },
    smooth(scores, { slots, best }) {
      const shared = new Float64Array(order.length);
      const near = new Uint8Array(order.length);
      const places = placesNow(scores.length);
      for (const slot of slots) {
        const place = places[slot] ?? NO_PLACE;
        shared[place] = Math.min(best, scores[slot] ?? 0);
        near.fill(1, Math.max(0, place - NEIGHBORS), place + NEIGHBORS + 1);
      }
      const found: number[] = [];
      for (const [place, slot] of order.entries()) {
        if (near[place] !== 1) continue;
        scores[slot] = (scores[slot] ?? 0) + NEIGHBOR_SHARE * around(shared, place);
        found.push(slot);
      }
      return found;
    },
  };
}

/** Sums in the order of the conversation, so that rounding does not depend on slots. */
function around(shared: Float64Array, place: number): number {
  const end = Math.min(shared.length, place + NEIGHBORS + 1);
  let sum = 0;
  for (let at = Math.max(0, place - NEIGHBORS); at < end; at += 1) {
    if (at !== place) sum += shared[at] ?? 0;
  }
  return sum;
}

function placesOf(order: readonly number[], slotsEnd: number): Int32Array {
  const places = new Int32Array(slotsEnd).fill(NO_PLACE);
  for (const [place, slot] of order.entries()) places[slot] = place;
  return places;
}
