/**
 * Cuts text before it is tokenized. The cl100k pattern leaves runs of letters, of white space and
 * of symbols unbounded, and merging one run costs more than linear time: 40,000 CJK characters
 * took gpt-tokenizer 48 s (openai/tiktoken #195).
 */
import { outsidePair } from '#core/text/cut-long-text.ts';

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
