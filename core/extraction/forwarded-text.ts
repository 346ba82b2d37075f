/** Short messages that hand on what others wrote, or what is to be written. */
import { speaksOfSelf, withoutHandedOn } from './sender-text.ts';
import { withoutQuotes } from './quotations.ts';
import { languagesOf } from './statement.ts';
import { isCommissioned } from './questions-and-jokes.ts';

/** Of a message that is about what it hands on, at most this share is its sender's. */
const OWN_SHARE_MAX = 0.5;
const QUOTED_LINE = /^[ \t]*>.*$/gmu;

export function isHandedOn(text: string): boolean {
  const own = withoutQuotes(withoutHandedOn(text).replace(QUOTED_LINE, ''));
  if (own.trim().length <= text.trim().length * OWN_SHARE_MAX) return true;
  const colon = text.search(/[:：]/u);
  if (colon === -1 || !speaksOfSelf(text.slice(colon))) return false;
  return isCommissioned(text, languagesOf(text));
}
