/** Where the API may listen: on this machine freely, beyond it where callers have to be known. */
import { isIPv4 } from 'node:net';
import { VarveError } from '#core/errors.ts';

export interface Exposure {
  readonly host: string;
  /** Whether callers are authenticated: by a token that was set, or by tokens of an issuer. */
  readonly isAuthenticationSet: boolean;
  readonly hasTls: boolean;
  /** Whether the operator vouches for the network: nothing else reaches or reads it. */
  readonly isTrusted: boolean;
}

/**
 * Answers whether what callers send can be read on its way.
 * @throws VarveError INVALID_INPUT where other machines would reach an unsecured API
 */
export function checkExposure({ host, isAuthenticationSet, hasTls, isTrusted }: Exposure): {
  readonly isReadable: boolean;
} {
  if (isLoopback(host) || isTrusted) return { isReadable: false };
  if (isAuthenticationSet) return { isReadable: !hasTls };
  const message =
    `${host} accepts calls from other machines, but no authentication is set. ` +
    'Set VARVE_API_TOKEN or VARVE_JWT_ISSUER, or listen at 127.0.0.1. ' +
    'On a network where everybody is trusted, pass --trusted-network (VARVE_TRUSTED_NETWORK=true).';
  throw new VarveError('INVALID_INPUT', message, { details: { host } });
}

/** Names but `localhost` are taken for addresses of others: where they lead may change. */
function isLoopback(host: string): boolean {
  if (host === 'localhost' || host === '::1' || host === '[::1]') return true;
  return isIPv4(host) && host.startsWith('127.');
}
