/** cl100k_base by `js-tiktoken`, OpenAI's merges in plain JavaScript: the second choice. */
import { splitLongRuns } from './long-run.ts';

/**
 * Its merging is quadratic in the bytes of a run: 128 letters take a millisecond, 2,000 over a
 * second. CJK words have few characters, so the shorter limit hardly changes their count.
 */
const RUN_LIMITS = { ascii: 128, other: 32 };

/** Loads package and ranks on first use, the ranks from the package and never from the network. */
export async function loadJsTiktoken(): Promise<(text: string) => number> {
  const [{ Tiktoken }, { default: ranks }] = await Promise.all([
    import('js-tiktoken/lite'),
    import('js-tiktoken/ranks/cl100k_base'),
  ]);
  const encoding = new Tiktoken(ranks);
  return (text) => {
    let tokens = 0;
    // Two empty lists: no special token is allowed, and none is refused.
    for (const part of splitLongRuns(text, RUN_LIMITS))
      tokens += encoding.encode(part, [], []).length;
    return tokens;
  };
}
