/** What several variables of the environment have in common. */
import { z } from 'zod';

export const Address = z.url({
  protocol: /^https?$/u,
  error: 'expected an http or https address',
});

/** An empty variable is one that is not set, as shells and manifests write it. */
export function given<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (value === '' ? undefined : value), schema.optional());
}
