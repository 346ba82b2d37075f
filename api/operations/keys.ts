/** Operations on API keys: who may call, for whom, and for how long. */
import * as schemas from '../schemas/keys.ts';
import { operation } from './operation.ts';
import { VarveError } from '#core/errors.ts';
import { requireFutureExpiry } from '#core/require-future-expiry.ts';
import { KEYS_MAX, type ApiKey } from '#core/records/api-key.ts';
import { apiKeyText, newSecret, secretDigest } from '../authenticate.ts';

const KEY: schemas.ShownKey = {
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
    summary: 'Creates an API key of a tenant. Varve stores only a hash of its secret.',
    input: schemas.CreateKey,
    output: schemas.CreatedKey,
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
    errors: ['CONFLICT'],
    commands: ['keys create'],
    async run(
      { store, platform },
      principal,
      { tenant, name, role, identifiers, layers, expiresAt },
    ) {
      const now = platform.clock();
      requireFutureExpiry(expiresAt, now);
      const secret = newSecret();
      const key: ApiKey = {
        tenant,
        id: platform.newId(),
        name,
        role,
        bound: identifiers,
        layers: layers === undefined ? null : [...new Set(layers)],
        hash: { algorithm: 'sha256', digest: secretDigest(secret) },
        createdAt: now,
        createdBy: principal.name,
        expiresAt: expiresAt ?? null,
      };
      if (await store.apiKeys.add(key)) {
        return { ...shown(key, now), key: apiKeyText({ tenant, id: key.id, secret }) };
      }
      const message = `A tenant has at most ${String(KEYS_MAX)} keys; revoke one first.`;
      throw new VarveError('CONFLICT', message, { details: { keysMax: KEYS_MAX } });
    },
  }),
  list: operation({
    name: 'key.list',
    kind: 'query',
    summary: 'Lists the API keys of a tenant, without their secrets.',
    input: schemas.ListKeys,
    output: schemas.ShownKeys,
    example: { input: { tenant: 'acme' }, output: { keys: [KEY] } },
    role: 'admin',
    commands: ['keys list', 'export'],
    async run({ store, platform }, _, { tenant }) {
      const now = platform.clock();
      const keys = await store.apiKeys.list(tenant);
      return { keys: keys.map((key) => shown(key, now)) };
    },
  }),
  revoke: operation({
    name: 'key.revoke',
    kind: 'mutation',
    summary: 'Revokes an API key at once, in every process, and deletes its record.',
    input: schemas.RevokeKey,
    output: schemas.RevokedKey,
    example: { input: { tenant: 'acme', id: KEY.id }, output: { revoked: true } },
    role: 'admin',
    errors: ['NOT_FOUND'],
    commands: ['keys revoke'],
    async run({ store }, _, { tenant, id }) {
      if (await store.apiKeys.remove(tenant, id)) return { revoked: true as const };
      const message = `${tenant} has no key ${JSON.stringify(id)}; varve keys list shows all.`;
      throw new VarveError('NOT_FOUND', message, { details: { id } });
    },
  }),
};

function shown(
  { id, name, role, bound, layers, createdAt, createdBy, expiresAt }: ApiKey,
  now: number,
): schemas.ShownKey {
  const hasExpired = expiresAt !== null && expiresAt <= now;
  return {
    id,
    name,
    role,
    identifiers: bound,
    layers,
    createdAt,
    createdBy,
    expiresAt,
    hasExpired,
  };
}
