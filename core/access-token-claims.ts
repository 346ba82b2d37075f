/** Finds the caller behind a token of another issuer: by its claims, or as a ServiceAccount. */
import { Identifiers } from './identifiers.ts';
import type { TokenCaller } from './ports/access-token-reader.ts';
import { Role, ROLES } from './role.ts';
import { TenantId } from './scope.ts';

/** The claims to read: each is a name, or a path such as `realm_access.roles`. */
export interface ClaimNames {
  readonly tenant: string;
  readonly role: string;
  /** Every token must have each of them, so that no token gets wider access by leaving one out. */
  readonly identifiers: Readonly<Partial<Record<keyof Identifiers, string>>>;
}

type ReadClaims =
  | { readonly kind: 'Caller'; readonly caller: TokenCaller }
  /** The claim that is missing or has an invalid value. */
  | { readonly kind: 'Refused'; readonly claim: string };

type Claims = Readonly<Record<string, unknown>>;

/** The name that is stored with each write has at most 256 characters. */
const SUBJECT_LENGTH_MAX = 200;

export function callerOfClaims(claims: Claims, names: ClaimNames): ReadClaims {
  const subject = subjectOf(claims);
  if (subject === null) return { kind: 'Refused', claim: 'sub' };
  const tenant = TenantId.safeParse(claimAt(claims, names.tenant));
  if (!tenant.success) return { kind: 'Refused', claim: names.tenant };
  const role = roleOf(claimAt(claims, names.role));
  if (role === null) return { kind: 'Refused', claim: names.role };
  const bound: Record<string, string> = {};
  for (const [name, claim] of Object.entries(names.identifiers)) {
    const value = claimAt(claims, claim);
    if (typeof value !== 'string' || !Identifiers.safeParse({ [name]: value }).success) {
      return { kind: 'Refused', claim };
    }
    bound[name] = value;
  }
  const caller = { name: `jwt:${subject}`, tenant: tenant.data, role, bound };
  return { kind: 'Caller', caller };
}

function subjectOf({ sub }: Claims): string | null {
  const isSubject = typeof sub === 'string' && sub.length <= SUBJECT_LENGTH_MAX;
  return isSubject && Identifiers.safeParse({ userId: sub }).success ? sub : null;
}

/** Returns the highest known role of a list, which may also have roles of other programs. */
function roleOf(value: unknown): Role | null {
  if (!Array.isArray(value)) return Role.safeParse(value).data ?? null;
  return ROLES.findLast((role) => value.includes(role)) ?? null;
}

/** Prefers a claim with the whole name to one with the path: names may be addresses with dots. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let at: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Claims)[part];
  }
  return at;
}

interface NamespaceAccess {
  readonly tenant: string;
  readonly role: Role;
}

/** By namespace. An unlisted namespace has no tenant, because anybody may be free to create one. */
export type NamespaceTenants = Readonly<Record<string, NamespaceAccess>>;

const USER = /^system:serviceaccount:(?<namespace>[a-z0-9-]{1,63}):(?<account>[a-z0-9.-]{1,253})$/u;
/** The name that is stored with each write has at most 256 characters. */
const ACCOUNT_LENGTH_MAX = 180;

/** Returns null for a user that is not a ServiceAccount in one of these namespaces. */
export function callerOfAccount(user: string, tenants: NamespaceTenants): TokenCaller | null {
  const { namespace = '', account = '' } = USER.exec(user)?.groups ?? {};
  const access = Object.hasOwn(tenants, namespace) ? tenants[namespace] : undefined;
  if (access === undefined || account.length > ACCOUNT_LENGTH_MAX) return null;
  return { name: `account:${namespace}/${account}`, ...access, bound: {} };
}
