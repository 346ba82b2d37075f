/** cl100k_base by `gpt-tokenizer`: the same ids as tiktoken, and the fastest of the three here. */
import { partsOf } from './long-run.ts';
import { countByChunks } from './chunk-counts.ts';

/** A run of this many UTF-16 code units still merges in about a millisecond. */
const RUN_LIMITS = { ascii: 1_024, other: 1_024 };

/**
 * The package keeps the merges of recent pieces, least recently used out first; it owns them for as
 * long as the program runs, and a piece's merges never change, so nothing invalidates them. Short
 * pieces are counted before they come here (piece-counts.ts); these are long ones that repeat.
 */
const MERGES_KEPT_MAX = 1_000;

/** Loads the package on first use; rejects where it is missing or broken. */
export async function loadGptTokenizer(): Promise<(text: string) => number> {
  const { countTokens, setMergeCacheSize } = await import('gpt-tokenizer/encoding/cl100k_base');
  setMergeCacheSize(MERGES_KEPT_MAX);
  // The default refuses text such as "<|endoftext|>", which here is only something a user wrote.
  const ordinary = { disallowedSpecial: new Set<string>() };
  const count = countByChunks((piece) => countTokens(piece, ordinary));
  return (text) => {
    let tokens = 0;
    for (const part of partsOf(text, RUN_LIMITS)) tokens += count(part);
    return tokens;
  };
}
