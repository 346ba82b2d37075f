/** What became of one statement of a message. */
import type { Layer } from '../layer.ts';
import type { ExtractionEvent } from './compare.ts';
import type { StatementKind } from './rule.ts';

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
