/** cl100k_base by `gpt-tokenizer`: the same ids as tiktoken, and the fastest of the three here. */
import { ownCopy } from '#core/storable-text.ts';
import { partsOf } from './long-run.ts';

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

/** The pattern of cl100k_base (OpenAI's tiktoken, `tiktoken_ext/openai_public.py`). */
const PIECE = new RegExp(
  [
    String.raw`'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])`,
    String.raw`[^\r\n\p{L}\p{N}]?\p{L}+`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n]*`,
    String.raw`\s*[\r\n]+`,
    String.raw`\s+(?!\S)`,
    String.raw`\s+`,
  ].join('|'),
  'gu',
);

/**
 * Pieces kept, of short words of many texts. Owner: the function made here; key: the piece, whose
 * count never changes; a full cache is cleared, which costs less than keeping an order.
 */
const PIECES_KEPT_MAX = 32_768;
/** Longer pieces are rare; 32,768 of these take 4 MB. */
const KEPT_UNITS_MAX = 24;

/** @param count tokens of a text, however it is cut into pieces */
export function countByChunks(count: (text: string) => number): (text: string) => number {
  const kept = new Map<string, number>();
  return (text) => {
    let tokens = 0;
    for (const piece of text.match(PIECE) ?? []) {
      const known = kept.get(piece);
      if (known !== undefined) {
        tokens += known;
        continue;
      }
      // Tokenizers keep pieces too, and a piece as it was cut would keep the text with it.
      const copy = ownCopy(piece);
      const own = count(copy);
      if (kept.size >= PIECES_KEPT_MAX) kept.clear();
      if (copy.length <= KEPT_UNITS_MAX) kept.set(copy, own);
      tokens += own;
    }
    return tokens;
  };
}
