/** A source: a memory or turn as the summarizer and grounding see it. */
import { shortened, utf8Bytes } from '../storable-text.ts';
import { endOf } from './memory-state.ts';
import { plantedBy } from './planted.ts';
import { CONTENT_LENGTH_MAX, type Memory, type Trust } from '../records/memory.ts';
import type { Turn } from '../records/turn.ts';

export interface Source {
  readonly id: string;
  readonly kind: 'memory' | 'turn';
  /** Sorts the sources of a scope: memories by id, then turns by sequence (`sourcePosition`). */
  readonly position: string;
  readonly text: string;
  readonly contentHash: string;
  /** cl100k tokens of the text. */
  readonly tokens: number;
  /** Length of the text in UTF-8. */
  readonly bytes: number;
  /** When it was said or recorded, in milliseconds since the epoch. */
  readonly at: number;
  readonly speaker: string | null;
  /** The part of who spoke a turn: a named speaker is a user or an assistant too. */
  readonly role: string | null;
  readonly trust: Trust;
  readonly expiresAt: number | null;
}

/** Of a long memory its beginning: a model reads it in one call, beside others. */
export function memorySource(memory: Omit<Memory, 'vector'>): Source {
  const text = shortened(memory.content, CONTENT_LENGTH_MAX);
  const share = text.length / Math.max(1, memory.content.length);
  return {
    id: memory.id,
    kind: 'memory',
    position: memoryPosition(memory.id),
    text,
    contentHash: memory.contentHash,
    tokens: Math.ceil(memory.tokenCount * share),
    bytes: utf8Bytes(text),
    at: memory.validFrom,
    speaker: null,
    role: null,
    trust: memory.trust,
    expiresAt: endOf(memory),
  };
}

/**
 * A compacted turn is still a source: of it remain the quotes that facts rest on. One that is kept
 * back is a source that says nothing.
 */
export function turnSource(turn: Turn): Source {
  const left = turn.compactedAt === null ? turn.content : turn.quotes.join('\n');
  const text = isKeptBack(turn) ? '' : left;
  return {
    id: turn.id,
    kind: 'turn',
    position: turnPosition(turn.sequence),
    text,
    contentHash: turn.contentHash,
    tokens: turn.tokenCount,
    bytes: utf8Bytes(text),
    at: turn.at,
    speaker: turn.speaker ?? turn.role,
    role: turn.role,
    trust: turn.trust,
    expiresAt: null,
  };
}

/** Whether it was written by nobody who is believed, to whoever reads it. */
export function isKeptBack({ trust, content }: Pick<Turn, 'trust' | 'content'>): boolean {
  return trust === 'untrusted' && plantedBy(content) !== null;
}

/** Whether it says anything: of a compacted turn that no fact cites nothing remains. */
export function hasWords({ text }: Pick<Source, 'text'>): boolean {
  return text !== '';
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
