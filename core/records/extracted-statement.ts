/** A statement that a message makes: what it may be about, and what became of it. */
import type { Layer } from '../layer.ts';

/** What a statement is about; each is kept in a layer of its own. */
export const STATEMENT_KINDS = [
  'Self',
  'Preference',
  'Instruction',
  'Possession',
  'Decision',
  'Ownership',
  'Date',
  'Lesson',
] as const;
export type StatementKind = (typeof STATEMENT_KINDS)[number];

export const EXTRACTION_EVENTS = ['ADD', 'SUPERSEDE', 'NOOP'] as const;
export type ExtractionEvent = (typeof EXTRACTION_EVENTS)[number];

/** What became of one statement of a message. */
export interface ExtractionResult {
  readonly event: ExtractionEvent;
  /** Of the memory that says it; null where that was deleted since. */
  readonly id: string | null;
  /** As it is kept. */
  readonly text: string;
  readonly supersedes: readonly string[];
  readonly kind: StatementKind;
  readonly layer: Layer;
  /** Id of the message that says it. */
  readonly source: string;
  /** Of a NOOP. */
  readonly reason?: 'Known' | 'Outdated';
}
