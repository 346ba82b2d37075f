/** What operations on API keys take and answer. */
import { z } from 'zod';
import { Identifiers } from '#core/identifiers.ts';
import { Layer } from '#core/layer.ts';
import { KeyName } from '#core/records/api-key.ts';
import { Role } from '#core/role.ts';
import { At, GivenIdentifiers, listOf, Tenant, Text, Time } from './shared-fields.ts';

export const CreateKey = z.strictObject({
  tenant: Tenant,
  name: KeyName.describe('Stands beside what the key writes, as `key:<name>`.'),
  role: Role.describe('read; write; operate: budgets, dreams, failures; admin: grants, keys.'),
  identifiers: GivenIdentifiers.default({}).describe(
    'The only ones it speaks for, such as one user; empty for anybody in the tenant.',
  ),
  layers: z.array(Layer).min(1).optional().describe('All of them where absent.'),
  expiresAt: At.optional().describe('From then on it is refused; never where absent.'),
});
export type CreateKey = z.output<typeof CreateKey>;

export const ShownKey = z.object({
  id: z.string(),
  name: z.string(),
  role: Role,
  identifiers: Identifiers,
  layers: z.array(Layer).nullable().describe('Null for all of them.'),
  createdAt: Time,
  createdBy: z.string(),
  expiresAt: Time.nullable(),
  hasExpired: z.boolean(),
});
export type ShownKey = z.output<typeof ShownKey>;

export const CreatedKey = ShownKey.extend({
  key: z.string().describe('What callers send as a bearer token. It is shown this once.'),
});
export type CreatedKey = z.output<typeof CreatedKey>;

export const ListKeys = z.strictObject({ tenant: Tenant });
export type ListKeys = z.output<typeof ListKeys>;

export const ShownKeys = z.object({ keys: listOf(ShownKey).describe('The oldest first.') });
export type ShownKeys = z.output<typeof ShownKeys>;

export const RevokeKey = z.strictObject({
  tenant: Tenant,
  id: Text.min(1).max(128).describe('Of the key, as the list has it.'),
});
export type RevokeKey = z.output<typeof RevokeKey>;

export const RevokedKey = z.object({ revoked: z.literal(true) });
export type RevokedKey = z.output<typeof RevokedKey>;
