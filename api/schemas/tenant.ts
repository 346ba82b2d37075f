/** Input and answer of the operation that tells the state of a tenant. */
import { z } from 'zod';
import { EmbeddingState } from '#core/records/embedding-state.ts';
import { ModelClass } from '#core/records/model-class.ts';
import { ProviderCheck } from '#core/records/model-provider.ts';
import { listOf, Tenant, Time } from './shared-fields.ts';

export const GetTenant = z.strictObject({ tenant: Tenant });

const Declaration = z.object({
  cluster: z.string().describe('Id of the cluster; `folder` for a policy folder.'),
  namespace: z.string(),
  name: z.string(),
  generation: z.int().describe('Rises with every change of the policy, and with every claim.'),
  appliedAt: Time,
});

const Embeddings = EmbeddingState.pick({
  active: true,
  target: true,
  phase: true,
  dropping: true,
}).extend({
  keptUntil: Time.nullable().describe(
    'Until then, a rollback to the vectors of `dropping` costs nothing; null if none are kept.',
  ),
  done: z
    .number()
    .describe('Memories with a vector of `target`; of `active` if no change is under way.'),
  missing: z.int().describe('Memories without one.'),
});

const ServingModel = z.object({
  modelClass: ModelClass,
  provider: z.string().describe('Name of the ModelProvider.'),
  model: z.string(),
  state: z
    .enum(['Unchecked', 'Available', 'Unavailable'])
    .describe('What a worker found last; `Unchecked` until one has asked the provider.'),
  code: ProviderCheck.shape.code.describe('Why it is not available; null otherwise.'),
  since: Time.nullable().describe('Since when the state has been the same; null if unchecked.'),
});

export const TenantAnswer = z.object({
  tenant: z.string(),
  declaredBy: Declaration.nullable().describe(
    'The MemoryTenant whose policy is in force; null if the defaults are.',
  ),
  releasedAt: Time.nullable().describe(
    'When that resource was deleted: reads are served, writes are refused. Null before that.',
  ),
  erasesAt: Time.nullable().describe(
    'When a policy folder erases the released tenant, unless its file comes back; null if not.',
  ),
  models: listOf(ServingModel).describe(
    'Models of ModelProviders that serve the tenant; empty if none does.',
  ),
  embeddings: Embeddings.nullable().describe(
    'How memories are compared, and a change of the embedding model; null before the first memory.',
  ),
});
export type TenantAnswer = z.output<typeof TenantAnswer>;
