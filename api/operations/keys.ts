/** Operations on API keys: who may call, for whom, and for how long. */
import { createKey, listKeys, revokeKey } from '../keys.ts';
import {
  CreateKey,
  CreatedKey,
  ListKeys,
  RevokeKey,
  RevokedKey,
  ShownKey,
  ShownKeys,
} from '../schemas/keys.ts';
import { operation } from './operation.ts';

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
