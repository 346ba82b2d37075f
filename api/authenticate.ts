/** Who calls over HTTP: by the token of the installation, or by an API key. */
import type { IncomingMessage } from 'node:http';
import { VarveError } from '#core/errors.ts';
import { keyParts, secretDigest } from './key-secret.ts';
import { bearerOf, isSameSecret } from './listener.ts';
import type { ApiPorts } from './ports.ts';
import { LOCAL_OPERATOR, type Principal } from './principal.ts';

export interface AuthenticateOptions {
  readonly ports: Pick<ApiPorts, 'store' | 'platform'>;
  /** Of who runs the installation. */
  readonly token: string;
}

/**
 * Each call reads the key anew, so that one that was revoked holds nowhere from then on.
 * @throws VarveError UNAUTHENTICATED in the same words, whatever is wrong with what was sent
 */
export function authenticator({ ports, token }: AuthenticateOptions) {
  return async (request: Pick<IncomingMessage, 'headers'>): Promise<Principal> => {
    const given = bearerOf(request);
    if (given === null) throw unauthenticated();
    if (token !== '' && isSameSecret(given, token)) return LOCAL_OPERATOR;
    const principal = await principalOfKey(ports, given);
    if (principal === null) throw unauthenticated();
    return principal;
  };
}

async function principalOfKey(
  { store, platform }: AuthenticateOptions['ports'],
  given: string,
): Promise<Principal | null> {
  const parts = keyParts(given);
  if (parts === null) return null;
  const key = await store.apiKeys.get(parts.tenant, parts.id);
  if (key === null || !isSameSecret(secretDigest(parts.secret), key.hash.digest)) return null;
  if (key.expiresAt !== null && key.expiresAt <= platform.clock()) return null;
  const { name, tenant, role, bound, layers } = key;
  return {
    name: `key:${name}`,
    tenants: [tenant],
    bound,
    role,
    ...(layers === null ? {} : { layers }),
  };
}

function unauthenticated(): VarveError {
  const message =
    'Send the token of this installation, or an API key that holds, as a bearer token.';
  return new VarveError('UNAUTHENTICATED', message);
}
