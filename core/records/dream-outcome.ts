/** How a dream of one subject ended. */
import { z } from 'zod';

export const DreamOutcome = z.enum([
  /** MEMORY.md was rewritten. */
  'Dreamed',
  /** MEMORY.md was right already. */
  'Unchanged',
  /** No daily file of the look-back has content that was not dreamed (DREAM-05). */
  'NothingNew',
  /** The content is what the last dream was done with (DREAM-04). */
  'SameContent',
  /**
   * Three dreams came to nothing. Where the model had answered, the block was set aside; where it
   * had failed, dreams by time wait for the next block.
   */
  'DeadLettered',
  /** The proposal waits for a person. */
  'Waiting',
  /** Too little of what the model said stands in its sources; MEMORY.md stays as it was. */
  'LowGrounding',
  /** MEMORY.md was written by another meanwhile; the next round dreams again. */
  'Outdated',
  /** The budget of the tenant did not allow the call. */
  'BudgetExhausted',
  /** The model or the store failed to the end. */
  'Failed',
]);
export type DreamOutcome = z.infer<typeof DreamOutcome>;
