/** The token counter of a process: cl100k if its tokenizer loads, otherwise a rule of thumb. */
import { codePoints } from '#core/running-summary/count-tokens.ts';
import type { Log } from '#core/ports/platform.ts';
import type { TokenCounter } from '#core/ports/token-counter.ts';
import { loadGptTokenizer } from './gpt-tokenizer.ts';

type Count = (text: string) => number;

/** Text and count from OpenAI's cookbook, "How to count tokens with tiktoken". */
const KNOWN = { text: 'tiktoken is great!', tokens: 6 };

const CHARACTERS_PER_TOKEN = 4;

/**
 * Returns cl100k if its tokenizer loads and counts the known text right; otherwise counts a quarter
 * of the code points, and warns once about the effect on budgets. Load it once per process and pass
 * it down.
 */
export async function loadTokenCounter({
  log,
  load = loadGptTokenizer,
}: {
  log: Log;
  load?: () => Promise<Count>;
}): Promise<TokenCounter> {
  const outcome = await tryLoad(load);
  if (typeof outcome === 'function') return { name: 'cl100k (gpt-tokenizer)', count: outcome };
  log.warn(
    { counter: CHARACTER_COUNTER.name, failures: [outcome.failure] },
    'no tokenizer loaded; tokens are estimated as characters / 4, which counts text in other ' +
      'scripts than Latin up to five times too low',
  );
  return CHARACTER_COUNTER;
}

/** The rule of thumb when no tokenizer loads: floor(code points / 4) (TOK-07). */
export const CHARACTER_COUNTER: TokenCounter = {
  name: 'characters/4',
  count: (text) => Math.floor(codePoints(text) / CHARACTERS_PER_TOKEN),
};

async function tryLoad(load: () => Promise<Count>): Promise<Count | { failure: string }> {
  try {
    const count = await load();
    const tokens = count(KNOWN.text);
    if (tokens === KNOWN.tokens) return count;
    return { failure: `counts ${tokens} tokens where ${KNOWN.tokens} are right` };
  } catch (error) {
    // A module's error message names folders of this machine; its code is enough.
    return { failure: failureCode(error) };
  }
}

function failureCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
