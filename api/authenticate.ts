/** Identifies HTTP callers: by the installation's token, an API key, or another issuer's token. */
import { keepNewest } from '#core/keep-newest.ts';
import type { IncomingMessage } from 'node:http';
import { VarveError } from '#core/errors.ts';
import type { TokenReader } from '#core/ports/access-token-reader.ts';
import { bearerOf, isSameSecret } from './http-port.ts';
import type { CallLimiter } from './call-limits.ts';
import type { ApiPorts } from './api-ports.ts';
import { LOCAL_OPERATOR, type Principal } from './principal.ts';
import { createHash, randomBytes } from 'node:crypto';

/** What identifies a caller: headers, and the address that sent them. */
export type CallerRequest = Pick<IncomingMessage, 'headers'> & {
  readonly socket: Pick<IncomingMessage['socket'], 'remoteAddress'>;
};

interface AuthenticateOptions {
  readonly ports: Pick<ApiPorts, 'store' | 'platform'>;
  /** The token of the installation's administrator. */
  readonly token: string;
  /** Called in turn for tokens that are not API keys. */
  readonly tokenReaders?: readonly TokenReader[];
  /** Limits calls without a valid key. */
  readonly unknownCallers?: Pick<CallLimiter, 'checkAddress' | 'countUnknown'> | null;
}

/** `isKnown`: whether the caller's key was valid in an earlier call. */
export type Authenticate = (request: CallerRequest, isKnown?: boolean) => Promise<Principal>;

/**
 * Returns who sends a request. Each call reads the key again, so that a revoked key stops working
 * at once.
 * @throws VarveError UNAUTHENTICATED in the same words, whatever is wrong with what was sent;
 * RATE_LIMITED for an unknown caller at an address that sent too many calls without a valid key
 */
export function authenticator(options: AuthenticateOptions): Authenticate {
  const { ports, token, tokenReaders = [], unknownCallers = null } = options;
  return async (request, isKnown = false) => {
    const given = bearerOf(request);
    if (given === null) throw unauthenticated();
    if (token !== '' && isSameSecret(given, token)) return LOCAL_OPERATOR;
    const address = request.socket.remoteAddress ?? '';
    if (!isKnown) await unknownCallers?.checkAddress(address);
    const principal =
      (await principalOfKey(ports, given)) ?? (await principalOfToken(tokenReaders, given));
    if (principal !== null) return principal;
    unknownCallers?.countUnknown(address);
    throw unauthenticated();
  };
}

/** Maximum callers recognized by what they send; the one known longest is forgotten first. */
const REMEMBERED_MAX = 10_000;

/**
 * Does the same, but refuses a known caller over its limits before reading its key or its body, so
 * that a flood of calls costs others little.
 * @throws VarveError RATE_LIMITED, and as `authenticate` does
 */
export function withEarlyRefusal(
  authenticate: Authenticate,
  callLimiter: Pick<CallLimiter, 'check'> | null,
): Authenticate {
  if (callLimiter === null) return authenticate;
  // Keyed by a digest, so that the process holds no secret in memory for long.
  const remembered = new Map<string, Principal>();
  return async (request) => {
    const given = bearerOf(request);
    const digest = given === null ? null : secretDigest(given);
    const before = digest === null ? undefined : remembered.get(digest);
    if (before !== undefined) await callLimiter.check(before);
    const principal = await authenticate(request, before !== undefined);
    if (digest === null || before !== undefined || principal.tenants === 'all') return principal;
    keepNewest(remembered, REMEMBERED_MAX, [digest, principal]);
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

async function principalOfToken(
  readers: readonly TokenReader[],
  given: string,
): Promise<Principal | null> {
  for (const reader of readers) {
    const caller = await reader.read(given);
    if (caller === null) continue;
    const { name, tenant, role, bound } = caller;
    return { name, tenants: [tenant], bound, role };
  }
  return null;
}

function unauthenticated(): VarveError {
  const message =
    'Send a valid bearer token: the one of this installation, an API key, or one from an issuer ' +
    'that this installation trusts.';
  return new VarveError('UNAUTHENTICATED', message);
}

/** The length of a hash, too long to guess. */
const SECRET_BYTES = 32;
const KEY = /^varve_(?<tenant>[a-z0-9-]{1,63})_(?<id>[0-9a-f-]{36})_(?<secret>[0-9a-f]{64})$/u;

interface KeyParts {
  readonly tenant: string;
  readonly id: string;
  readonly secret: string;
}

export function apiKeyText({ tenant, id, secret }: KeyParts): string {
  return `varve_${tenant}_${id}_${secret}`;
}

/** Returns the parts of an API key; null for any other text. */
function keyParts(text: string): KeyParts | null {
  const { tenant, id, secret } = KEY.exec(text)?.groups ?? {};
  if (tenant === undefined || id === undefined || secret === undefined) return null;
  return { tenant, id, secret };
}

export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('hex');
}

/** Returns the stored form of a secret; the name of the algorithm is stored beside it. */
export function secretDigest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
