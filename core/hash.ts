/** Content hashes, the source hash of a scope (design 6.4, 6.10), and a short hash for tables. */

/** SHA-256 of a UTF-8 text as 64 lower-case hexadecimal digits; the platform passes it in. */
export type Digest = (text: string) => string;

const HASH_DIGITS = 64;

/** The source hash of a scope without sources: the neutral element of XOR. */
export const EMPTY_SOURCE_HASH = '0'.repeat(HASH_DIGITS);

/**
 * Returns a hash of a text that ignores differences without meaning: Unicode composition (NFC),
 * line endings and outer white space.
 */
export function contentHash(digest: Digest, text: string): string {
  return digest(text.normalize('NFC').replaceAll('\r\n', '\n').trim());
}

/** Returns JSON with sorted object fields and unchanged lists: equal values give equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** Returns what one source contributes to the source hash of its scope. */
export function sourceLane(digest: Digest, source: { id: string; contentHash: string }): string {
  return digest(`${source.id}\n${source.contentHash}`);
}

/**
 * Adds or removes a source. XOR is its own inverse and does not depend on order, so one atomic
 * update per write keeps the hash correct without reading the other sources.
 */
export function xorHash(a: string, b: string): string {
  return (BigInt(`0x${a}`) ^ BigInt(`0x${b}`)).toString(16).padStart(HASH_DIGITS, '0');
}

/** Returns the source hash over a full list; a regeneration repairs the record with it. */
export function sourceHashOf(
  digest: Digest,
  sources: Iterable<{ id: string; contentHash: string }>,
): string {
  let hash = EMPTY_SOURCE_HASH;
  for (const source of sources) hash = xorHash(hash, sourceLane(digest, source));
  return hash;
}

/**
 * Returns the 32-bit FNV-1a hash (Fowler, Noll, Vo) of a text's UTF-16 code units: fast and
 * deterministic. Different texts may have the same hash.
 */
export function shortHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    // oxlint-disable-next-line unicorn/prefer-code-point -- half a pair is as good to mix in
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}
