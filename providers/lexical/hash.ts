/** A 32-bit hash of a feature. Fast, the same on every machine, and of no use for security. */

/** Offset basis and prime of 32-bit FNV-1a (Fowler, Noll, Vo; RFC 9923). */
const FNV_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** A hash to begin from, one per kind of feature, so that the word "ab" is not the bigram "ab". */
export function seedOf(kind: string): number {
  return hashMore(FNV_BASIS, kind, 0, kind.length);
}

/** FNV-1a continued over the UTF-16 code units of a part of a text, low byte first. */
export function hashMore(
  hash: number,
  text: string,
  ...[start, end]: [start: number, end: number]
): number {
  let state = hash;
  for (let at = start; at < end; at += 1) {
    const unit = text.charCodeAt(at);
    state = Math.imul(state ^ (unit & 0xff), FNV_PRIME);
    state = Math.imul(state ^ (unit >>> 8), FNV_PRIME);
  }
  return state;
}

/**
 * The finaliser of MurmurHash3 (A. Appleby, public domain): FNV's low bits are poor (its lowest one
 * is only the parity of the input's), and both the index and the sign of a feature come from here.
 */
export function finished(hash: number): number {
  let state = hash;
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
