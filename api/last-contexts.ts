/**
 * What the last context of each caller began with, so that the next can say how much of it stayed.
 * By the hashes of lines: no text is kept.
 */
import { createHash } from 'node:crypto';

/** Callers that are remembered; of more, the one asked longest ago is forgotten. */
const CALLERS_MAX = 1_000;
/** Lines that are compared. */
const LINES_MAX = 1_000;
const HASH_CHARS = 16;

export class LastContexts {
  readonly #lines = new Map<string, readonly string[]>();
  readonly #callersMax: number;

  constructor(callersMax = CALLERS_MAX) {
    this.#callersMax = callersMax;
  }

  /** The leading lines that the last text of this caller had too; `text` is then the last. */
  sharedPrefix(caller: string, text: string): string {
    const lines = text.split('\n');
    const hashes = lines.slice(0, LINES_MAX).map(hashOf);
    const before = this.#lines.get(caller) ?? [];
    this.#lines.delete(caller);
    const [oldest] = this.#lines.keys();
    if (oldest !== undefined && this.#lines.size >= this.#callersMax) this.#lines.delete(oldest);
    this.#lines.set(caller, hashes);
    const end = hashes.findIndex((hash, at) => hash !== before[at]);
    return lines.slice(0, end < 0 ? hashes.length : end).join('\n');
  }
}

function hashOf(line: string): string {
  return createHash('sha256').update(line).digest('base64url').slice(0, HASH_CHARS);
}
