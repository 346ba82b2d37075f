/** How a dream of one subject ended. */
import { z } from 'zod';

export const DreamOutcome = z.enum([
  /** MEMORY.md was rewritten. */
  'Dreamed',
  /** MEMORY.md was already right. */
  'Unchanged',
  /** No daily file in the look-back has content that is new to dreams (DREAM-05). */
  'NothingNew',
  /** The content is the same as for the last finished dream (DREAM-04). */
  'SameContent',
  /**
   * Three dreams failed. If the model had answered, the block was set aside. If the model had
   * failed, scheduled dreams wait for the next block.
   */
  'DeadLettered',
  /** The proposal waits for a person. */
  'Waiting',
  /** The sources support too little of what the model said; MEMORY.md stayed as it was. */
  'LowGrounding',
  /** Somebody else wrote MEMORY.md meanwhile; the next round dreams again. */
  'Outdated',
  /** The tenant's budget did not allow the call. */
  'BudgetExhausted',
  /** The model or the store failed in every try. */
  'Failed',
]);
export type DreamOutcome = z.infer<typeof DreamOutcome>;
