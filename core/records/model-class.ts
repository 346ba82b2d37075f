/** What a model is good and dear enough for; which one it is, a tenant's models say. */
import { z } from 'zod';

export const ModelClass = z.enum(['economy', 'standard']);
export type ModelClass = z.infer<typeof ModelClass>;

export function isModelClass(value: unknown): value is ModelClass {
  return ModelClass.safeParse(value).success;
}
