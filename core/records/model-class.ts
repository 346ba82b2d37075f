/** Quality and price class of a model; a tenant's models say which model serves each class. */
import { z } from 'zod';

export const ModelClass = z.enum(['economy', 'standard']);
export type ModelClass = z.infer<typeof ModelClass>;

export function isModelClass(value: unknown): value is ModelClass {
  return ModelClass.safeParse(value).success;
}
