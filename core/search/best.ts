/** The best of many by score, kept in a heap that never holds more than asked for. */

export interface Best {
  /** Offers an item; of two with equal scores the one that `precedes` the other is better. */
  offer(item: number, score: number): void;
  /** Items kept, in no order. */
  items(): readonly number[];
}

/**
 * @param limit items kept at most
 * @param precedes order of items with equal scores, so that answers are the same every time
 */
export function createBest(limit: number, precedes: (a: number, b: number) => boolean): Best {
  const items: number[] = [];
  const scores: number[] = [];

  const isWorse = (a: number, b: number): boolean => {
    const [scoreA, scoreB] = [scores[a] ?? 0, scores[b] ?? 0];
    return scoreA === scoreB ? precedes(items[b] ?? 0, items[a] ?? 0) : scoreA < scoreB;
  };
  const swap = (a: number, b: number): void => {
    [items[a], items[b]] = [items[b] ?? 0, items[a] ?? 0];
    [scores[a], scores[b]] = [scores[b] ?? 0, scores[a] ?? 0];
  };
  const rise = (from: number): void => {
    for (let at = from; at > 0;) {
      const parent = (at - 1) >> 1;
      if (!isWorse(at, parent)) return;
      swap(at, parent);
      at = parent;
    }
  };
  const sink = (): void => {
    for (let at = 0; ;) {
      const left = 2 * at + 1;
      if (left >= items.length) return;
      const right = left + 1;
      const child = right < items.length && isWorse(right, left) ? right : left;
      if (!isWorse(child, at)) return;
      swap(child, at);
      at = child;
    }
  };

  return {
    offer(item, score) {
      if (items.length < limit) {
        items.push(item);
        scores.push(score);
        rise(items.length - 1);
        return;
      }
      const worst = scores[0] ?? Number.POSITIVE_INFINITY;
      if (score < worst || limit === 0) return;
      if (score === worst && !precedes(item, items[0] ?? 0)) return;
      items[0] = item;
      scores[0] = score;
      sink();
    },
    items: () => items,
  };
}
