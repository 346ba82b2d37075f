/**
 * Counts of the pieces that cl100k cuts a text into before it merges bytes: a piece that was seen
 * before is not merged again. Tokens never reach over a piece, so the sum is the count of the text.
 */
import { ownCopy } from '#core/storable-text.ts';

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
 * count never changes; when full the cache starts anew, which costs less than keeping an order.
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
