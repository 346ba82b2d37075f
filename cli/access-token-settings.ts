/** Settings for tokens that others issue: JSON Web Tokens and tokens of ServiceAccounts. */
import { z } from 'zod';
import { VarveError } from '#core/errors.ts';
import { Identifiers } from '#core/identifiers.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { TokenReader } from '#core/ports/access-token-reader.ts';
import { ROLES } from '#core/role.ts';
import { ALGORITHMS } from '#providers/jwt/algorithms.ts';
import type { JwtSettings } from '#providers/jwt/access-token-reader.ts';
import type { TokenReviewSettings } from '#providers/kubernetes/token-reviews.ts';
import { unlessEmpty } from './store-and-model-settings.ts';

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
const CLAIM_PAIR = new RegExp(`^(${NAMES.join('|')})=(.{1,${String(CLAIM_LENGTH_MAX)}})$`, 'u');
/** E.g. `userId=sub,agentId=azp`. */
const IdentifierClaims = z
  .string()
  .refine((text) => listed(text).every((each) => CLAIM_PAIR.test(each)), {
    error: `expected NAME=CLAIM with commas between, where NAME is one of ${NAMES.join(', ')}`,
  })
  .transform((text) =>
    Object.fromEntries(listed(text).map((each) => CLAIM_PAIR.exec(each)?.slice(1, 3) ?? [])),
  );

const Keys = z.string().refine(isSafe, {
  error: 'expected a file or an https address; http is allowed only on this machine',
});

/** Over plain HTTP, anybody between could insert a key of their own. */
function isSafe(place: string): boolean {
  if (!/^http:/iu.test(place)) return true;
  return URL.canParse(place) && LOOPBACK.test(new URL(place).hostname);
}

/** Environment variables for JSON Web Tokens, which the API accepts besides its own keys. */
export const JWT_VARIABLES = {
  VARVE_JWT_ISSUER: unlessEmpty(z.string()),
  VARVE_JWT_AUDIENCE: unlessEmpty(z.string()),
  VARVE_JWT_JWKS: unlessEmpty(Keys),
  VARVE_JWT_TENANT_CLAIM: unlessEmpty(Claim),
  VARVE_JWT_ROLE_CLAIM: unlessEmpty(Claim),
  VARVE_JWT_IDENTIFIER_CLAIMS: unlessEmpty(IdentifierClaims),
  VARVE_JWT_ALGORITHMS: unlessEmpty(Algorithms),
  VARVE_JWT_CLOCK_TOLERANCE_SECONDS: unlessEmpty(
    z.coerce.number().int().min(0).max(TOLERANCE_SECONDS_MAX),
  ),
} as const;
const JwtVariables = z.object(JWT_VARIABLES);

/**
 * Returns null if nothing is set.
 * @throws VarveError INVALID_INPUT if only some parts are set: without the rest any token would
 * pass
 */
export function jwtSettingsOf(set: z.infer<typeof JwtVariables>): JwtSettings | null {
  const { VARVE_JWT_ISSUER: issuer, VARVE_JWT_AUDIENCE: audience, VARVE_JWT_JWKS: jwks } = set;
  const hasAny = Object.keys(JWT_VARIABLES).some(
    (name) => set[name as keyof typeof JWT_VARIABLES] !== undefined,
  );
  if (!hasAny) return null;
  if (issuer === undefined || audience === undefined || jwks === undefined) {
    const message =
      'Tokens of an issuer need VARVE_JWT_ISSUER, VARVE_JWT_AUDIENCE and VARVE_JWT_JWKS ' +
      'together. Set all three or none of them.';
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

const AUDIENCE_LENGTH_MAX = 256;
const TENANT_PAIR = new RegExp(`^([a-z0-9-]{1,63})=([a-z0-9-]{1,63}):(${ROLES.join('|')})$`, 'u');
const entriesOf = (text: string): string[] => text.split(/[\s,]+/u).filter((each) => each !== '');

/** E.g. `team-a=acme:write,team-b=globex:read`. */
const Tenants = z
  .string()
  .refine((text) => entriesOf(text).every((each) => TENANT_PAIR.test(each)), {
    error: `expected NAMESPACE=TENANT:ROLE with commas between, where ROLE is ${ROLES.join(', ')}`,
  })
  .transform((text) =>
    Object.fromEntries(
      entriesOf(text).map((each) => {
        const [, namespace = '', tenant = '', role = ''] = TENANT_PAIR.exec(each) ?? [];
        return [namespace, { tenant, role: role as (typeof ROLES)[number] }];
      }),
    ),
  );

/** Environment variables for the ServiceAccounts of a cluster that may call the API. */
export const SERVICE_ACCOUNT_VARIABLES = {
  VARVE_SERVICE_ACCOUNT_AUDIENCE: unlessEmpty(z.string().max(AUDIENCE_LENGTH_MAX)),
  VARVE_SERVICE_ACCOUNT_TENANTS: unlessEmpty(Tenants),
} as const;
const ServiceAccountVariables = z.object(SERVICE_ACCOUNT_VARIABLES);

/** Null if nothing is set. @throws VarveError INVALID_INPUT if only one of the two is set */
export function serviceAccountsOf(
  set: z.infer<typeof ServiceAccountVariables>,
): TokenReviewSettings | null {
  const { VARVE_SERVICE_ACCOUNT_AUDIENCE: audience, VARVE_SERVICE_ACCOUNT_TENANTS: tenants } = set;
  if (audience === undefined && tenants === undefined) return null;
  if (audience !== undefined && tenants !== undefined) return { audience, tenants };
  const message =
    'Tokens of ServiceAccounts need VARVE_SERVICE_ACCOUNT_AUDIENCE and ' +
    'VARVE_SERVICE_ACCOUNT_TENANTS together. Set both or neither.';
  throw new VarveError('INVALID_INPUT', message);
}

interface TokenSettings {
  readonly jwt: JwtSettings | null;
  readonly serviceAccounts: TokenReviewSettings | null;
  /** The API server that checks ServiceAccounts; null for the one of the pod. */
  readonly kubeconfig: string | null;
}

/** Readers of tokens that Varve did not issue; each is loaded on its first use. */
export interface TokenReaders extends AsyncDisposable {
  /** In the order in which they are tried; empty if nothing is configured. */
  readonly readers: readonly TokenReader[];
}

/** @throws VarveError INVALID_INPUT if an API server is needed and cannot be found */
export async function openTokenReaders(
  { jwt, serviceAccounts, kubeconfig }: TokenSettings,
  platform: Pick<Platform, 'clock' | 'digest' | 'log'>,
): Promise<TokenReaders> {
  await using held = new AsyncDisposableStack();
  const readers: TokenReader[] = [];
  if (jwt !== null) {
    const { createJwtReader } = await import('#providers/jwt/access-token-reader.ts');
    readers.push(createJwtReader({ settings: jwt, ...platform }));
  }
  if (serviceAccounts !== null) {
    const [{ openTokenReviews }, { createTimers }] = await Promise.all([
      import('#providers/kubernetes/token-reviews.ts'),
      import('#providers/node/timers.ts'),
    ]);
    const options = { settings: serviceAccounts, kubeconfig, timers: createTimers(), platform };
    readers.push(held.use(openTokenReviews(options)));
  }
  const kept = held.move();
  return { readers, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
