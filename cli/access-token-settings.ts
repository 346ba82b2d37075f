/** Settings of tokens that others issue: JSON Web Tokens and ServiceAccounts. */
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
/** Such as `userId=sub,agentId=azp`. */
const IdentifierClaims = z
  .string()
  .refine((text) => listed(text).every((each) => CLAIM_PAIR.test(each)), {
    error: `expected NAME=CLAIM with commas between, where NAME is one of ${NAMES.join(', ')}`,
  })
  .transform((text) =>
    Object.fromEntries(listed(text).map((each) => CLAIM_PAIR.exec(each)?.slice(1, 3) ?? [])),
  );

const Keys = z.string().refine(isSafe, {
  error: 'expected a file, or an https address; http is read from this machine alone',
});

/** Over plain HTTP anybody on the way could put a key of their own in. */
function isSafe(place: string): boolean {
  if (!/^http:/iu.test(place)) return true;
  return URL.canParse(place) && LOOPBACK.test(new URL(place).hostname);
}

/** Whose tokens the API takes beside keys of its own, out of the environment. */
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

/** @throws VarveError INVALID_INPUT where a part is set: without it any token would do */
export function jwtSettingsOf(set: z.infer<typeof JwtVariables>): JwtSettings | null {
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

const AUDIENCE_LENGTH_MAX = 256;
const TENANT_PAIR = new RegExp(`^([a-z0-9-]{1,63})=([a-z0-9-]{1,63}):(${ROLES.join('|')})$`, 'u');
const entriesOf = (text: string): string[] => text.split(/[\s,]+/u).filter((each) => each !== '');

/** Such as `team-a=acme:write,team-b=globex:read`. */
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

/** Which ServiceAccounts of a cluster may call the API, out of the environment. */
export const SERVICE_ACCOUNT_VARIABLES = {
  VARVE_SERVICE_ACCOUNT_AUDIENCE: unlessEmpty(z.string().max(AUDIENCE_LENGTH_MAX)),
  VARVE_SERVICE_ACCOUNT_TENANTS: unlessEmpty(Tenants),
} as const;
const ServiceAccountVariables = z.object(SERVICE_ACCOUNT_VARIABLES);

/** @throws VarveError INVALID_INPUT where one of the two is set */
export function serviceAccountsOf(
  set: z.infer<typeof ServiceAccountVariables>,
): TokenReviewSettings | null {
  const { VARVE_SERVICE_ACCOUNT_AUDIENCE: audience, VARVE_SERVICE_ACCOUNT_TENANTS: tenants } = set;
  if (audience === undefined && tenants === undefined) return null;
  if (audience !== undefined && tenants !== undefined) return { audience, tenants };
  const message =
    'Tokens of ServiceAccounts need VARVE_SERVICE_ACCOUNT_AUDIENCE and ' +
    'VARVE_SERVICE_ACCOUNT_TENANTS together. Set both, or neither for none.';
  throw new VarveError('INVALID_INPUT', message);
}

interface TokenSettings {
  readonly jwt: JwtSettings | null;
  readonly serviceAccounts: TokenReviewSettings | null;
  /** Where ServiceAccounts are asked for; null for the API server of the pod. */
  readonly kubeconfig: string | null;
}

/** Who reads tokens that Varve did not make; each part is loaded when it is asked for. */
export interface TokenReaders extends AsyncDisposable {
  /** In the order in which they are asked; none where nothing is configured. */
  readonly readers: readonly TokenReader[];
}

/** @throws VarveError INVALID_INPUT where an API server is to be asked that cannot be found */
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
