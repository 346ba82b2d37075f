/** A paid answer, stored under its attempt before it is processed. */
import { z } from 'zod';
import { TenantId } from '../scope.ts';
import { Usage } from './summary.ts';

export const PaidAnswer = z.strictObject({
  tenant: TenantId,
  attemptId: z.string(),
  batchId: z.string(),
  /** Hash of everything the model was shown; an answer is reused only for the same question. */
  promptHash: z.string(),
  state: z.enum(['paid', 'committed']),
  model: z.string(),
  usage: Usage,
  /**
   * For each item, the state of its sources when the model read them. A commit marks the summary
   * with what it really rests on, whatever was written meanwhile.
   */
  items: z.array(
    z.strictObject({
      item: z.string(),
      /** Empty for the general summary; as in `Summary.audience`. */
      audience: z.string(),
      /** cl100k tokens of what the item showed, which determine its share of the cost. */
      tokens: z.int().min(0),
      /** Id of the segment that it makes, if that is the root of a large scope's tree. */
      root: z.string().nullable(),
      /** The sources that the summary's facts cite, as they were shown to the model. */
      cited: z.array(z.strictObject({ id: z.string(), contentHash: z.string() })),
      sourceHash: z.string(),
      sourceCount: z.int().min(0),
      sourceTokens: z.int().min(0),
      sourceBytes: z.int().min(0),
      changes: z.int().min(0),
      nextExpiryAt: z.int().min(0).nullable(),
    }),
  ),
  /** The model's text; deleted when the batch is committed or a source is erased. */
  text: z.string().nullable(),
  at: z.int().min(0),
});
export type PaidAnswer = z.infer<typeof PaidAnswer>;
