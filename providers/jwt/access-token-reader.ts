/** Reads JWTs (RFC 7519) of an issuer that publishes its keys (RFC 7517), verified with jose. */
import { decodeJwt, errors, jwtVerify, type JWTPayload, type JWTVerifyOptions } from 'jose';
import { VarveError } from '#core/errors.ts';
import type { Clock, Log } from '#core/ports/platform.ts';
import type { TokenReader } from '#core/ports/access-token-reader.ts';
import { callerOfClaims, type ClaimNames } from '#core/access-token-claims.ts';
import type { Algorithm } from './algorithms.ts';
import { createKeySet, readKeySet } from './key-set.ts';

export interface JwtSettings {
  readonly issuer: string;
  /** The audience that a token must name. */
  readonly audience: string;
  /** Address or file of the keys. */
  readonly jwks: string;
  readonly algorithms: readonly Algorithm[];
  /** Maximum clock skew. */
  readonly toleranceSeconds: number;
  readonly claims: ClaimNames;
}

export interface JwtReaderOptions {
  readonly settings: JwtSettings;
  readonly clock: Clock;
  readonly log: Log;
}

/** Longer tokens are refused: a token has only a few claims. */
const TOKEN_LENGTH_MAX = 16_384;

export function createJwtReader({ settings, clock, log }: JwtReaderOptions): TokenReader {
  const { issuer, audience, jwks, algorithms, toleranceSeconds, claims: names } = settings;
  const keyOf = createKeySet({ read: () => readKeySet(jwks), clock, log });
  const checks = (): JWTVerifyOptions => ({
    issuer,
    audience,
    algorithms: [...algorithms],
    clockTolerance: toleranceSeconds,
    currentDate: new Date(clock()),
    requiredClaims: ['exp', 'sub'],
  });
  const verified = async (token: string): Promise<JWTPayload | null> => {
    try {
      return (await jwtVerify(token, keyOf, checks())).payload;
    } catch (error) {
      if (error instanceof VarveError) throw error;
      const reason = error instanceof errors.JOSEError ? error.code : 'ERR_JWT_UNREADABLE';
      log.debug({ reason }, 'token of the issuer refused');
      return null;
    }
  };
  return {
    read: async (token) => {
      // A token of another issuer never triggers a read of the keys.
      if (token.length > TOKEN_LENGTH_MAX || issuerOf(token) !== issuer) return null;
      const payload = await verified(token);
      if (payload === null) return null;
      const read = callerOfClaims(payload, names);
      if (read.kind === 'Caller') return read.caller;
      log.debug({ reason: 'claim', claim: read.claim }, 'token of the issuer refused');
      return null;
    },
  };
}

function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}
