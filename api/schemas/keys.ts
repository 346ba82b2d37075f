/** What operations on API keys take and answer. */
import { z } from 'zod';
import { Identifiers } from '#core/identifiers.ts';
import { Layer } from '#core/layer.ts';
import { KeyName } from '#core/records/api-key.ts';
import { Role } from '#core/role.ts';
import { At, GivenIdentifiers, listOf, Tenant, Time, RecordId } from './shared-fields.ts';

export const CreateKey = z.strictObject({
  tenant: Tenant,
  name: KeyName.describe(
    'The name of the key. Records that the key writes show it as `key:<name>`.',
  ),
  role: Role.describe(
    'What the key may do; each role includes those before it. operate: ' +
      'budgets, dreams, reviews, dead letters; admin: grants, keys.',
  ),
  identifiers: GivenIdentifiers.default({}).describe(
    'The only identifiers that the key may name, such as one user; empty for all of the tenant.',
  ),
  layers: z.array(Layer).min(1).optional().describe('If omitted, all.'),
  expiresAt: At.optional().describe('When the key expires; by default, never.'),
});

export const ShownKey = z.object({
  id: z.string(),
  name: z.string(),
  role: Role,
  identifiers: Identifiers,
  layers: z.array(Layer).nullable().describe('Null for all layers.'),
  createdAt: Time,
  createdBy: z.string(),
  expiresAt: Time.nullable(),
  hasExpired: z.boolean(),
});
export type ShownKey = z.output<typeof ShownKey>;

export const CreatedKey = ShownKey.extend({
  key: z.string().describe('The bearer token for callers. Varve shows it only this once.'),
});

export const ListKeys = z.strictObject({ tenant: Tenant });

export const ShownKeys = z.object({ keys: listOf(ShownKey).describe('Oldest first.') });

export const RevokeKey = z.strictObject({
  tenant: Tenant,
  id: RecordId.describe('Id of the key, as in the list.'),
});

export const RevokedKey = z.object({ revoked: z.literal(true) });
