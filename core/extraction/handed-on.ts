/** Short messages that hand on what others wrote, or what is to be written. */
import { hasLetter, QUOTED_BLOCK, quotedRanges } from './quoted.ts';
import { isCommissioned, languagesOf } from './statement.ts';

/** A message that quotes at least this share is about what it quotes. */
const QUOTED_SHARE_MIN = 0.5;
const QUOTED_LINE = /^[ \t]*>.*$/gmu;
/** Somebody speaks of themselves. */
const OWN_WORDS =
  /(?<![\p{L}\p{N}])(?:I|my|ich|mein\p{L}*|yo|mi|soy|vivo|tengo)(?![\p{L}\p{N}])|我/iu;

export function isHandedOn(text: string): boolean {
  if (hasLetter(text) || quotedShare(text) >= QUOTED_SHARE_MIN) return true;
  const colon = text.search(/[:：]/u);
  if (colon === -1 || !OWN_WORDS.test(text.slice(colon))) return false;
  return isCommissioned(text, languagesOf(text));
}

function quotedShare(text: string): number {
  const blocks = [...text.matchAll(QUOTED_LINE), ...text.matchAll(QUOTED_BLOCK)];
  const quoted = blocks.reduce((sum, [block]) => sum + block.length, 0);
  const marked = quotedRanges(text).reduce((sum, { start, end }) => sum + end - start, 0);
  return Math.max(quoted, marked) / Math.max(1, text.trim().length);
}
