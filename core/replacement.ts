/** Whether a changed memory still says what it said (design 6.13). */

/** Below this share of kept shingles the old statement counts as replaced, not edited. */
export const KEPT_SHARE_MIN = 0.2;
/** Words per shingle; Broder 1997, "On the resemblance and containment of documents". */
const SHINGLE_WORDS = 2;

/** True where `after` keeps less than a fifth of the shingles of `before`. */
export function isReplaced(before: string, after: string): boolean {
  const old = shingles(before);
  if (old.size === 0) return true;
  const kept = shingles(after);
  let shared = 0;
  for (const shingle of old) if (kept.has(shingle)) shared += 1;
  return shared / old.size < KEPT_SHARE_MIN;
}

function shingles(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  if (words.length < SHINGLE_WORDS) return new Set(words);
  const out = new Set<string>();
  for (let at = 0; at + SHINGLE_WORDS <= words.length; at += 1) {
    out.add(words.slice(at, at + SHINGLE_WORDS).join(' '));
  }
  return out;
}
