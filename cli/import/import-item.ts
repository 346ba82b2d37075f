/** What an import yields: memories and turns, not yet written, in the order of the input. */
import { createHash } from 'node:crypto';
import type { VarveError } from '#core/errors.ts';
import type { Identifiers } from '#core/identifiers.ts';
import type { Layer } from '#core/layer.ts';
import type { Turn } from '#core/records/turn.ts';
import type { SaidAt } from '#core/said-at.ts';

export interface MemoryItem {
  readonly kind: 'memory';
  /** Null where the input does not say, as in documents: the caller decides. */
  readonly layer: Layer | null;
  readonly identifiers: Identifiers;
  readonly text: string;
  /** The same for the same place of the same file, so that a second import updates. */
  readonly key: string | null;
  readonly tags: readonly string[];
  /** Beside `file` and `heading`, whatever the input brought. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** When it was said, in milliseconds since the epoch. */
  readonly at: number | null;
  readonly utcOffset?: number | undefined;
}

export interface TurnItem extends SaidAt {
  readonly kind: 'turn';
  readonly sessionId: string;
  /** The input's own id, or one derived from the place, so that a second import adds nothing. */
  readonly id: string;
  readonly role: Turn['role'];
  readonly speaker: string | null;
  readonly text: string;
}

export type ImportItem = MemoryItem | TurnItem;

export interface Progress {
  /** The file at hand, as it was given. */
  readonly file: string;
  readonly bytesRead: number;
  readonly bytesTotal: number;
}

/** Input that was left out, and why; `problem` says file and line. */
export interface Skipped {
  /** `invalid` only with `skipInvalid`; `empty` and `foreign` hold nothing to import. */
  readonly kind: 'invalid' | 'empty' | 'foreign';
  readonly problem: VarveError;
}

export interface ReadOptions {
  /**
   * Turns come shortly before this one, in milliseconds since the epoch, where neither they nor
   * one before them in the session has a time: each is later than the one before, over all files.
   */
  readonly endTime: number;
  /** Identifiers that the caller adds to every memory; they count as given. */
  readonly identifiers?: Identifiers;
  /** Leaves bad lines and files out instead of refusing the whole file. */
  readonly skipInvalid?: boolean;
  readonly onSkip?: (skipped: Skipped) => void;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

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

/** Names made of text: for session ids and for the keys of sections. */
export function boundedKey(key: string): string {
  if (key.length <= KEY_UNITS_MAX) return key;
  const digest = createHash('sha256').update(key).digest('hex').slice(0, KEY_HASH_DIGITS);
  return `${key.slice(0, KEY_UNITS_MAX - KEY_HASH_DIGITS - 1)}~${digest}`;
}
