/** cl100k_base by `gpt-tokenizer`: the same ids as tiktoken, and the fastest tokenizer here. */
import { memoized } from '#core/text/memoized.ts';
import { outsidePair } from '#core/text/cut-long-text.ts';

/** A run of this many UTF-16 code units still merges in about a millisecond. */
const RUN_UNITS_MAX = 1_024;

/**
 * The package caches the merges of recent pieces and evicts the least recently used; the cache
 * lives as long as the program. A piece's merges never change, so nothing invalidates them. Short
 * pieces are counted before they come here (`countByChunks`); these are long ones that repeat.
 */
const MERGES_KEPT_MAX = 1_000;

/** Loads the package on first use; rejects if it is missing or broken. */
export async function loadGptTokenizer(): Promise<(text: string) => number> {
  const { countTokens, setMergeCacheSize } = await import('gpt-tokenizer/encoding/cl100k_base');
  setMergeCacheSize(MERGES_KEPT_MAX);
  // The default refuses text such as "<|endoftext|>", which here is only something a user wrote.
  const ordinary = { disallowedSpecial: new Set<string>() };
  const count = countByChunks((piece) => countTokens(piece, ordinary));
  return (text) => {
    let tokens = 0;
    for (const part of splitLongRuns(text, RUN_UNITS_MAX)) tokens += count(part);
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

/** Cache of short words of many texts; it takes 4 MB. */
const PIECES_KEPT = { entriesMax: 32_768, unitsMax: 24 };
/** Cache of lines that repeat while a context grows; it takes 4 MB. */
const LINES_KEPT = { entriesMax: 4_096, unitsMax: 512 };

/**
 * Returns a counter with caches of pieces and lines.
 * @param count counts the tokens of a text, however it is cut into pieces
 */
export function countByChunks(count: (text: string) => number): (text: string) => number {
  const countPiece = memoized(count, PIECES_KEPT);
  const countLine = memoized((line) => {
    let tokens = 0;
    for (const piece of line.match(PIECE) ?? []) tokens += countPiece(piece);
    return tokens;
  }, LINES_KEPT);
  return (text) => {
    let tokens = 0;
    for (const line of wholeLines(text)) tokens += countLine(line);
    return tokens;
  };
}

const LAST_CONTROL = 0x20;
const FIRST_NOT_ASCII = 0x7f;

/** Splits into lines with their breaks, only where the pattern begins a new piece too. */
function wholeLines(text: string): readonly string[] {
  const lines: string[] = [];
  let start = 0;
  for (let at = text.indexOf('\n') + 1; at > 0; at = text.indexOf('\n', at) + 1) {
    const next = text.charCodeAt(at);
    // White space would continue the piece that contains the break.
    const isCut = next > LAST_CONTROL && next < FIRST_NOT_ASCII;
    if (!isCut) continue;
    lines.push(text.slice(start, at));
    start = at;
  }
  lines.push(text.slice(start));
  return lines;
}

// Cuts text before it is tokenized. The cl100k pattern leaves runs of letters, of white space and
// of symbols unbounded, and merging one run costs more than linear time: 40,000 CJK characters took
// gpt-tokenizer 48 s (openai/tiktoken #195).

/** Text that the cl100k pattern can take as one piece; digits come in threes, so never in runs. */
const RUN = /\p{L}+|\s+|[^\s\p{L}\p{N}]+/gu;

/**
 * Splits the text into parts without a run over the limit. Joined, the parts are the text; a text
 * without a long run is one part, so its count stays exact.
 *
 * @param unitsMax the longest run that is passed to a tokenizer, in UTF-16 code units
 *
 * Guarantees: linear time; no cut inside a surrogate pair; the rest of a long run stays with the
 * text after it, as the pattern would see it.
 */
export function splitLongRuns(text: string, unitsMax: number): readonly string[] {
  if (text.length <= unitsMax || isBrokenUp(text, Math.floor(unitsMax / 2))) return [text];
  const parts: string[] = [];
  let start = 0;
  for (const { 0: run, index } of text.matchAll(RUN)) {
    const end = index + run.length;
    let runStart = index;
    while (end - runStart > unitsMax) {
      runStart = outsidePair(text, runStart + unitsMax);
      parts.push(text.slice(start, runStart));
      start = runStart;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

/**
 * Whether every stretch of `units` code units has white space and something else. A run of twice
 * that length would contain a whole stretch, and no run has both.
 */
function isBrokenUp(text: string, units: number): boolean {
  for (let at = 0; at + units <= text.length; at += units) {
    const stretch = text.slice(at, at + units);
    if (!/\s/u.test(stretch) || !/\S/u.test(stretch)) return false;
  }
  return true;
}
