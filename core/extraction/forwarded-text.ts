/** Detects short messages that forward what others wrote, or ask for a text to be written. */
import { speaksOfSelf, withoutForwarded } from './sender-text.ts';
import { withoutQuotes } from './quotations.ts';
import { languagesOf } from './statement.ts';
import { isCommissioned } from './questions-and-jokes.ts';

/** In a message that forwards a text, at most this share is the sender's own words. */
const OWN_SHARE_MAX = 0.5;
const QUOTED_LINE = /^[ \t]*>.*$/gmu;

export function isForwarded(text: string): boolean {
  const own = withoutQuotes(withoutForwarded(text).replace(QUOTED_LINE, ''));
  if (own.trim().length <= text.trim().length * OWN_SHARE_MAX) return true;
  const colon = text.search(/[:：]/u);
  if (colon === -1 || !speaksOfSelf(text.slice(colon))) return false;
  return isCommissioned(text, languagesOf(text));
}
