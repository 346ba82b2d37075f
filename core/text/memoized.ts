/**
 * Keeps what a pure function of a text answered.
 * Owner: the function that is returned. Key: the text, whose answer never changes. A full cache is
 * cleared, which costs less than keeping an order.
 */
import { ownCopy } from '../storable-text.ts';

export interface MemoLimits {
  /** Answers kept. */
  readonly entriesMax: number;
  /** Longer texts, in UTF-16 code units, are computed each time. */
  readonly unitsMax: number;
}

export function memoized<V>(
  compute: (text: string) => V,
  { entriesMax, unitsMax }: MemoLimits,
): (text: string) => V {
  const kept = new Map<string, V>();
  return (text) => {
    if (text.length > unitsMax) return compute(text);
    const known = kept.get(text);
    if (known !== undefined) return known;
    // A text as it was cut from another one would keep that one in memory.
    const copy = ownCopy(text);
    const answer = compute(copy);
    if (kept.size >= entriesMax) kept.clear();
    kept.set(copy, answer);
    return answer;
  };
}
