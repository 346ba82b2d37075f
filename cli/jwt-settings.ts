/** Whose tokens the API takes beside keys of its own, out of the environment. */
import { z } from 'zod';
import { VarveError } from '#core/errors.ts';
import { Identifiers } from '#core/identifiers.ts';
import { ALGORITHMS } from '#providers/jwt/algorithms.ts';
import type { JwtSettings } from '#providers/jwt/token-reader.ts';
import { given } from './variable.ts';

const CLAIM_LENGTH_MAX = 256;
const TOLERANCE_SECONDS_MAX = 300;
const TOLERANCE_SECONDS = 30;
const LOOPBACK = /^(?:localhost|127\.[\d.]+|\[::1\])$/u;

const Claim = z.string().min(1).max(CLAIM_LENGTH_MAX);
const listed = (text: string): string[] => text.split(',').map((each) => each.trim());

const Algorithms = z
  .string()
  .transform(listed)
  .pipe(z.array(z.enum(ALGORITHMS, `expected some of ${ALGORITHMS.join(', ')}, with commas`)));

const NAMES = Identifiers.keyof().options;
const PAIR = new RegExp(`^(${NAMES.join('|')})=(.{1,${String(CLAIM_LENGTH_MAX)}})$`, 'u');
/** Such as `userId=sub,agentId=azp`. */
const IdentifierClaims = z
  .string()
  .refine((text) => listed(text).every((each) => PAIR.test(each)), {
    error: `expected NAME=CLAIM with commas between, where NAME is one of ${NAMES.join(', ')}`,
  })
  .transform((text) =>
    Object.fromEntries(listed(text).map((each) => PAIR.exec(each)?.slice(1, 3) ?? [])),
  );

const Keys = z.string().refine(isSafe, {
  error: 'expected a file, or an https address; http is read from this machine alone',
});

/** Over plain HTTP anybody on the way could put a key of their own in. */
function isSafe(place: string): boolean {
  if (!/^http:/iu.test(place)) return true;
  return URL.canParse(place) && LOOPBACK.test(new URL(place).hostname);
}

export const JWT_VARIABLES = {
  VARVE_JWT_ISSUER: given(z.string()),
  VARVE_JWT_AUDIENCE: given(z.string()),
  VARVE_JWT_JWKS: given(Keys),
  VARVE_JWT_TENANT_CLAIM: given(Claim),
  VARVE_JWT_ROLE_CLAIM: given(Claim),
  VARVE_JWT_IDENTIFIER_CLAIMS: given(IdentifierClaims),
  VARVE_JWT_ALGORITHMS: given(Algorithms),
  VARVE_JWT_CLOCK_TOLERANCE_SECONDS: given(
    z.coerce.number().int().min(0).max(TOLERANCE_SECONDS_MAX),
  ),
} as const;
const Variables = z.object(JWT_VARIABLES);

/** @throws VarveError INVALID_INPUT where a part is set: without it any token would do */
export function jwtSettingsOf(set: z.infer<typeof Variables>): JwtSettings | null {
  const { VARVE_JWT_ISSUER: issuer, VARVE_JWT_AUDIENCE: audience, VARVE_JWT_JWKS: jwks } = set;
  const hasAny = Object.keys(JWT_VARIABLES).some(
    (name) => set[name as keyof typeof JWT_VARIABLES] !== undefined,
  );
  if (!hasAny) return null;
  if (issuer === undefined || audience === undefined || jwks === undefined) {
    const message =
      'Tokens of an issuer need VARVE_JWT_ISSUER, VARVE_JWT_AUDIENCE and VARVE_JWT_JWKS ' +
      'together. Set all three, or no VARVE_JWT_… for none.';
    throw new VarveError('INVALID_INPUT', message);
  }
  return {
    issuer,
    audience,
    jwks,
    algorithms: set.VARVE_JWT_ALGORITHMS ?? ALGORITHMS,
    toleranceSeconds: set.VARVE_JWT_CLOCK_TOLERANCE_SECONDS ?? TOLERANCE_SECONDS,
    claims: {
      tenant: set.VARVE_JWT_TENANT_CLAIM ?? 'tenant',
      role: set.VARVE_JWT_ROLE_CLAIM ?? 'role',
      identifiers: set.VARVE_JWT_IDENTIFIER_CLAIMS ?? {},
    },
  };
}
