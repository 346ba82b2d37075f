/**
 * The contract between the workflows of flushes, their activities and their callers. It contains
 * only ids, counts, codes and times. A session appears as the id of its flush, never by name.
 */
import type { FlushInput } from '../ports/flush-runs.ts';

export type { FlushInput } from '../ports/flush-runs.ts';

export const FLUSH_TICK_SCHEDULE = 'varve-flush-tick';

/** Returns the workflow id of a flush: one open run for each, whoever the caller is. */
export function flushWorkflowId({ flushId }: Pick<FlushInput, 'flushId'>): string {
  return `flush/${flushId}`;
}

export type FlushReading =
  | {
      readonly kind: 'Ready';
      readonly turns: number;
      /** Name of the model that reads the turns; absent if rules do. */
      readonly model?: string;
    }
  /** Nothing waits under that id: it is done, has no owner, or the tenant was released. */
  | { readonly kind: 'Gone' };

export interface AskReport {
  /** Unanswered: the budget has no room, or there is nothing to ask. */
  readonly kind: 'Answered' | 'Unanswered';
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What extraction did with the lasting statements. */
export interface KeptCounts {
  readonly added: number;
  readonly superseded: number;
  readonly known: number;
}

/** Every activity can be repeated without a second effect. */
export interface FlushActivities {
  /** Starts the flushes that are due, as many as one tick may; returns how many. */
  startDueFlushes(): Promise<{ readonly started: number }>;
  /** Fixes which turns the flush includes. */
  gatherFlush(input: FlushInput): Promise<FlushReading>;
  /** Asks a model what the turns say, in one call. */
  askFlush(input: FlushInput & { readonly model: string }): Promise<AskReport>;
  /**
   * Stores lasting statements as memories: those of a model's answer, or else those found by rules.
   */
  keepFlush(input: FlushInput): Promise<KeptCounts>;
  /** Appends a block to the daily file of each day; returns the number of lines. */
  writeFlush(input: FlushInput): Promise<{ readonly lines: number }>;
  /** Marks the flush as done; returns the id of the next flush, or null if no turn came since. */
  endFlush(input: FlushInput): Promise<{ readonly next: string | null }>;
}

/** What a run did. */
export interface FlushTotals extends KeptCounts {
  readonly turns: number;
  /** Lines of daily files. */
  readonly lines: number;
}
