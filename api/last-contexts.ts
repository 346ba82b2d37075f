/**
 * Remembers how each caller's last context began, so that the next one can report how much is the
 * same. Keeps hashes of lines, and no text.
 */
import { keepNewest } from '#core/keep-newest.ts';
import { createHash } from 'node:crypto';

/** Maximum callers remembered; the one that asked longest ago is forgotten first. */
const CALLERS_MAX = 1_000;
/** Maximum lines to compare. */
const LINES_MAX = 1_000;
const HASH_CHARS = 16;

export class LastContexts {
  readonly #lines = new Map<string, readonly string[]>();
  readonly #callersMax: number;

  constructor(callersMax = CALLERS_MAX) {
    this.#callersMax = callersMax;
  }

  /** Returns the leading lines that the caller's last text had too, and remembers `text`. */
  sharedPrefix(caller: string, text: string): string {
    const lines = text.split('\n');
    const hashes = lines.slice(0, LINES_MAX).map(hashOf);
    const before = this.#lines.get(caller) ?? [];
    keepNewest(this.#lines, this.#callersMax, [caller, hashes]);
    const end = hashes.findIndex((hash, at) => hash !== before[at]);
    return lines.slice(0, end < 0 ? hashes.length : end).join('\n');
  }
}

function hashOf(line: string): string {
  return createHash('sha256').update(line).digest('base64url').slice(0, HASH_CHARS);
}
