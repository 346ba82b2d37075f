/** A source: a memory or turn as the summariser and grounding see it. */
import type { Trust } from './records/memory.ts';

export interface Source {
  readonly id: string;
  readonly kind: 'memory' | 'turn';
  /** Sorts the sources of a scope: memories by id, then turns by sequence (`sourcePosition`). */
  readonly position: string;
  readonly text: string;
  readonly contentHash: string;
  /** cl100k tokens of the text. */
  readonly tokens: number;
  /** When it was said or recorded, in milliseconds since the epoch. */
  readonly at: number;
  readonly speaker: string | null;
  readonly trust: Trust;
  readonly expiresAt: number | null;
}

/** The day of a source as a text may name it behind a statement: `(2026-11-03)`. */
export function sourceDate(at: number): string {
  return `(${new Date(at).toISOString().slice(0, 10)})`;
}

/** Wide enough for any session; sequences compare as texts only at equal width. */
const SEQUENCE_DIGITS = 12;

export function memoryPosition(id: string): string {
  return `m/${id}`;
}

export function turnPosition(sequence: number): string {
  return `t/${String(sequence).padStart(SEQUENCE_DIGITS, '0')}`;
}
