/**
 * The contract between the workflows of flushes, their activities and their callers. Only ids,
 * counts, codes and times cross it: a session is the id of its flush, never its own name.
 */
import type { FlushInput } from '../ports/flush-runs.ts';

export type { FlushInput } from '../ports/flush-runs.ts';

export const FLUSH_TICK_SCHEDULE = 'varve-flush-tick';

/** One open run per flush, whoever the caller is. */
export function flushWorkflowId({ flushId }: Pick<FlushInput, 'flushId'>): string {
  return `flush/${flushId}`;
}

export type FlushReading =
  | {
      readonly kind: 'Ready';
      readonly turns: number;
      /** By name: what reads the turns. Absent where rules do. */
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

/** What became of the statements that last. */
export interface KeptCounts {
  readonly added: number;
  readonly superseded: number;
  readonly known: number;
}

/** Every activity may be repeated without a second effect. */
export interface FlushActivities {
  /** Starts the flushes that are due, as many as a tick may; answers how many. */
  startDueFlushes(): Promise<{ readonly started: number }>;
  /** Settles which turns the flush takes. */
  gatherFlush(input: FlushInput): Promise<FlushReading>;
  /** Asks a model what they say, by one call. */
  askFlush(input: FlushInput & { readonly model: string }): Promise<AskReport>;
  /** Keeps what they say that lasts, by the answer of a model, or else by rules. */
  keepFlush(input: FlushInput): Promise<KeptCounts>;
  /** Appends the block of the daily file; answers its lines. */
  writeFlush(input: FlushInput): Promise<{ readonly lines: number }>;
  /** Notes that it is done; answers the id of what came since, null where nothing did. */
  endFlush(input: FlushInput): Promise<{ readonly next: string | null }>;
}

/** What a run did. */
export interface FlushTotals extends KeptCounts {
  readonly turns: number;
  /** Of daily files. */
  readonly lines: number;
}
