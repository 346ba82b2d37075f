/** A provider of models in the store: of the installation and of no tenant, as calibrations are. */
import { z } from 'zod';
import { ModelProvider } from './model-provider-spec.ts';
import { Owner } from './policy-record.ts';

const CODE_LENGTH_MAX = 64;

/** What a worker found when it last asked the provider. */
export const ProviderCheck = z.strictObject({
  at: z.int().min(0),
  state: z.enum(['Available', 'Unavailable']),
  /** Why it is not available, as a word without spaces; null where it is. */
  code: z.string().min(1).max(CODE_LENGTH_MAX).nullable(),
  /** Since when it has been so. */
  since: z.int().min(0),
});
export type ProviderCheck = z.infer<typeof ProviderCheck>;

export const ModelProviderRecord = z.strictObject({
  /** The name of its resource in the release namespace. */
  name: z.string().min(1).max(253),
  owner: Owner,
  /** Rises by one with every change of the provider. */
  generation: z.int().min(1),
  hash: z.string(),
  provider: ModelProvider,
  appliedAt: z.int().min(0),
  /**
   * When its resource was made, by which the oldest one serves; absent where unknown, as in a
   * folder.
   */
  createdAt: z.int().min(0).optional(),
  /** The leader of the owner's cluster that wrote last, or fenced since; 0 without leaders. */
  epoch: z.int().min(0),
  /** Null until a worker has asked the provider as it is now. */
  check: ProviderCheck.nullable(),
});
export type ModelProviderRecord = z.infer<typeof ModelProviderRecord>;
