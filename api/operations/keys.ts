/** Operations on API keys: who may call, for whom, and for how long. */
import { z } from 'zod';
import { Identifiers } from '#core/identifiers.ts';
import { Layer } from '#core/layer.ts';
import { KeyName } from '#core/records/api-key.ts';
import { Role } from '#core/role.ts';
import { createKey, listKeys, revokeKey } from '../keys.ts';
import { At, listOf, Tenant, Text, Time } from './fields.ts';
import { operation } from './operation.ts';

const CreateKey = z.strictObject({
  tenant: Tenant,
  name: KeyName.describe('Stands beside what the key writes, as `key:<name>`.'),
  role: Role.describe('read; write; operate: budgets, dreams, failures; admin: grants, keys.'),
  identifiers: Identifiers.default({}).describe(
    'Whom alone it speaks for, such as one user; empty for anybody of the tenant.',
  ),
  layers: z.array(Layer).min(1).optional().describe('All of them where absent.'),
  expiresAt: At.optional().describe('From then on it is refused; never where absent.'),
});
export type CreateKey = z.output<typeof CreateKey>;

const ShownKey = z.object({
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

const CreatedKey = ShownKey.extend({
  key: z.string().describe('What callers send as a bearer token. It is shown this once.'),
});
export type CreatedKey = z.output<typeof CreatedKey>;

const ListKeys = z.strictObject({ tenant: Tenant });
export type ListKeys = z.output<typeof ListKeys>;

const ShownKeys = z.object({ keys: listOf(ShownKey).describe('The oldest first.') });
export type ShownKeys = z.output<typeof ShownKeys>;

const RevokeKey = z.strictObject({
  tenant: Tenant,
  id: Text.min(1).max(128).describe('Of the key, as the list has it.'),
});
export type RevokeKey = z.output<typeof RevokeKey>;

const RevokedKey = z.object({ revoked: z.literal(true) });
export type RevokedKey = z.output<typeof RevokedKey>;

const KEY: ShownKey = {
  id: '019aa5c2-7c1e-7b52-9f0e-6a1f0b1583cb',
  name: 'support-bot',
  role: 'write',
  identifiers: { userId: 'dana' },
  layers: ['user', 'session'],
  createdAt: 1_795_273_200_000,
  createdBy: 'local',
  expiresAt: 1_803_049_200_000,
  hasExpired: false,
};

export const key = {
  create: operation({
    name: 'key.create',
    kind: 'mutation',
    summary: 'Makes an API key of a tenant. Only a hash of its secret is kept.',
    input: CreateKey,
    output: CreatedKey,
    example: {
      input: {
        tenant: 'acme',
        name: 'support-bot',
        role: 'write',
        identifiers: { userId: 'dana' },
        layers: ['user', 'session'],
        expiresAt: 1_803_049_200_000,
      },
      output: { ...KEY, key: 'varve_acme_019aa5c2-7c1e-7b52-9f0e-6a1f0b1583cb_…' },
    },
    role: 'admin',
    cost: 'none',
    errors: ['CONFLICT'],
    commands: ['keys create'],
    run: createKey,
  }),
  list: operation({
    name: 'key.list',
    kind: 'query',
    summary: 'The API keys of a tenant, without their secrets.',
    input: ListKeys,
    output: ShownKeys,
    example: { input: { tenant: 'acme' }, output: { keys: [KEY] } },
    role: 'admin',
    cost: 'none',
    errors: [],
    commands: ['keys list'],
    run: listKeys,
  }),
  revoke: operation({
    name: 'key.revoke',
    kind: 'mutation',
    summary: 'Ends an API key at once, for every process, and forgets it.',
    input: RevokeKey,
    output: RevokedKey,
    example: { input: { tenant: 'acme', id: KEY.id }, output: { revoked: true } },
    role: 'admin',
    cost: 'none',
    errors: ['NOT_FOUND'],
    commands: ['keys revoke'],
    run: revokeKey,
  }),
};
