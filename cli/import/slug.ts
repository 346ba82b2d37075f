/** Names made of text: for session ids and for the keys of sections. */
import { createHash } from 'node:crypto';

const SLUG_CHARACTERS_MAX = 80;

/** Longest key of a section; a longer one ends in a hash of itself. */
export const KEY_UNITS_MAX = 256;

const KEY_HASH_DIGITS = 16;

/** Letters and digits of any script in lower case, the rest as single hyphens; never empty. */
export function slugOf(text: string): string {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-');
  const characters = Array.from(words.replaceAll(/^-|-$/g, ''));
  const cut = characters.slice(0, SLUG_CHARACTERS_MAX).join('');
  return cut.replace(/-$/, '') || 'untitled';
}

export function boundedKey(key: string): string {
  if (key.length <= KEY_UNITS_MAX) return key;
  const digest = createHash('sha256').update(key).digest('hex').slice(0, KEY_HASH_DIGITS);
  return `${key.slice(0, KEY_UNITS_MAX - KEY_HASH_DIGITS - 1)}~${digest}`;
}
