/** The items of an import: memories and turns, not yet written, in the order of the input. */
import { createHash } from 'node:crypto';
import type { VarveError } from '#core/errors.ts';
import type { Identifiers } from '#core/identifiers.ts';
import type { Layer } from '#core/layer.ts';
import type { Turn } from '#core/records/turn.ts';
import type { SaidAt } from '#core/said-at.ts';

export interface MemoryItem {
  readonly kind: 'memory';
  /** Null if the input does not say, as in documents: the caller decides. */
  readonly layer: Layer | null;
  readonly identifiers: Identifiers;
  readonly text: string;
  /** Stays the same for the same place of the same file, so that a second import updates. */
  readonly key: string | null;
  readonly tags: readonly string[];
  /** Has `file` and `heading`, and whatever else the input contains. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** When it was said, in milliseconds since the epoch. */
  readonly at: number | null;
  readonly utcOffset?: number | undefined;
  /** What only an export says: its id where it comes from, its kind, and when it expires. */
  readonly id?: string;
  readonly memoryKind?: 'memory' | 'entity';
  readonly expiresAt?: number;
  /** The turn that it was extracted from, what has ended it, and whether it only repeats that. */
  readonly extracted?: { readonly sessionId: string; readonly turnId: string };
  readonly supersededBy?: string;
  readonly isRepeat?: boolean;
}

export interface TurnItem extends SaidAt {
  readonly kind: 'turn';
  readonly sessionId: string;
  /** The input's own id, or one derived from what is said, so that a second import adds nothing. */
  readonly id: string;
  readonly role: Turn['role'];
  readonly speaker: string | null;
  readonly text: string;
  readonly toolCalls?: Turn['toolCalls'];
  readonly toolCallId?: string;
  /** Whose session it is, if the input says so; else it is the caller's. */
  readonly identifiers?: Identifiers;
}

export type ImportItem = MemoryItem | TurnItem;

export interface Progress {
  /** The current file, as given by the user. */
  readonly file: string;
  readonly bytesRead: number;
  readonly bytesTotal: number;
}

/** Input that was left out, and why; `problem` names file and line. */
export interface Skipped {
  /** `invalid` only with `skipInvalid`; `empty` and `foreign` hold nothing to import. */
  readonly kind: 'invalid' | 'empty' | 'foreign';
  readonly problem: VarveError;
}

export interface ReadOptions {
  /**
   * Time of the end, in milliseconds since the epoch, for turns that have no time and follow none:
   * they are dated shortly before it, each later than the previous one, across all files.
   */
  readonly endTime: number;
  /** Identifiers that the caller adds to every memory, as if the input had them. */
  readonly identifiers?: Identifiers;
  /** Whose chats they are, such as `project`, `web`: no two owners share a session. */
  readonly owner?: readonly string[];
  /** Skips bad lines and files instead of refusing the whole file. */
  readonly skipInvalid?: boolean;
  readonly onSkip?: (skipped: Skipped) => void;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

const SLUG_CHARACTERS_MAX = 80;
const SLUG_HASH_DIGITS = 8;

/** Longest key of a section; a longer one is cut and ends in its hash. */
export const KEY_UNITS_MAX = 256;

const KEY_HASH_DIGITS = 16;

/**
 * Returns letters and digits of any script in lower case, the rest as single hyphens; never empty.
 * A long text is cut and ends in its hash.
 */
export function slugOf(text: string): string {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-');
  const characters = Array.from(words.replaceAll(/^-|-$/g, ''));
  if (characters.length <= SLUG_CHARACTERS_MAX) return characters.join('') || 'untitled';
  const cut = characters.slice(0, SLUG_CHARACTERS_MAX - SLUG_HASH_DIGITS - 1).join('');
  return `${cut.replace(/-$/, '')}-${hashOf(text, SLUG_HASH_DIGITS)}`;
}

/** Bounds the length of a key made of text. */
export function boundedKey(key: string): string {
  if (key.length <= KEY_UNITS_MAX) return key;
  const head = key.slice(0, KEY_UNITS_MAX - KEY_HASH_DIGITS - 1);
  return `${head}~${hashOf(key, KEY_HASH_DIGITS)}`;
}

/** Returns the first hexadecimal digits of the SHA-256 of a text. */
export function hashOf(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}
