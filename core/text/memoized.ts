/**
 * Caches the results of a pure function of a text.
 * Owner: the function that is returned. Key: the text, whose result never changes. A full cache is
 * cleared, which costs less than tracking use.
 */
import { ownCopy } from '../storable-text.ts';

interface MemoLimits {
  /** Maximum results to keep. */
  readonly entriesMax: number;
  /** Results of longer texts, in UTF-16 code units, are not kept. */
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
    // A slice of another text would keep that whole text in memory.
    const copy = ownCopy(text);
    const answer = compute(copy);
    if (kept.size >= entriesMax) kept.clear();
    kept.set(copy, answer);
    return answer;
  };
}
