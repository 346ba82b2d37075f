/** Procedures on the API keys of a tenant. */
import { VarveError } from '#core/errors.ts';
import { KEYS_MAX, type ApiKey } from '#core/records/api-key.ts';
import { keyText, newSecret, secretDigest } from './key-secret.ts';
import type { ApiPorts } from './api-ports.ts';
import { authorizeTenant, type Principal } from './authorize.ts';
import type {
  CreatedKey,
  CreateKey,
  ListKeys,
  RevokedKey,
  RevokeKey,
  ShownKey,
  ShownKeys,
} from './schemas/keys.ts';

/** @throws VarveError INVALID_INPUT for an end that is past, CONFLICT where there are too many */
export async function createKey(
  { store, platform }: ApiPorts,
  principal: Principal,
  { tenant, name, role, identifiers, layers, expiresAt }: CreateKey,
): Promise<CreatedKey> {
  authorizeTenant(principal, tenant);
  const now = platform.clock();
  if (expiresAt !== undefined && expiresAt <= now) {
    throw new VarveError('INVALID_INPUT', 'expiresAt: expected a time in the future.');
  }
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
    return { ...shown(key, now), key: keyText({ tenant, id: key.id, secret }) };
  }
  const message = `A tenant has at most ${String(KEYS_MAX)} keys; revoke one first.`;
  throw new VarveError('CONFLICT', message, { details: { keysMax: KEYS_MAX } });
}

/** All of them, the oldest first; of none is the secret known any more. */
export async function listKeys(
  { store, platform }: ApiPorts,
  principal: Principal,
  { tenant }: ListKeys,
): Promise<ShownKeys> {
  authorizeTenant(principal, tenant);
  const now = platform.clock();
  const keys = await store.apiKeys.list(tenant);
  return { keys: keys.map((key) => shown(key, now)) };
}

/** @throws VarveError NOT_FOUND */
export async function revokeKey(
  { store }: ApiPorts,
  principal: Principal,
  { tenant, id }: RevokeKey,
): Promise<RevokedKey> {
  authorizeTenant(principal, tenant);
  if (await store.apiKeys.remove(tenant, id)) return { revoked: true };
  const message = `${tenant} has no key ${JSON.stringify(id)}; varve keys list shows all.`;
  throw new VarveError('NOT_FOUND', message, { details: { id } });
}

function shown(
  { id, name, role, bound, layers, createdAt, createdBy, expiresAt }: ApiKey,
  now: number,
): ShownKey {
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
