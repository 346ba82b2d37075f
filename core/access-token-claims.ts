/** Who a token of another issuer stands for: by its claims, or as a ServiceAccount. */
import { Identifiers } from './identifiers.ts';
import type { TokenCaller } from './ports/access-token-reader.ts';
import { Role, ROLES } from './role.ts';
import { TenantId } from './scope.ts';

/** Which claim says what: a name, or a path such as `realm_access.roles`. */
export interface ClaimNames {
  readonly tenant: string;
  readonly role: string;
  /** Every token has to have each of them, so that none is bound to less by leaving one out. */
  readonly identifiers: Readonly<Partial<Record<keyof Identifiers, string>>>;
}

type ReadClaims =
  | { readonly kind: 'Caller'; readonly caller: TokenCaller }
  /** The claim that is missing, or holds what it may not. */
  | { readonly kind: 'Refused'; readonly claim: string };

type Claims = Readonly<Record<string, unknown>>;

/** Names beside what was written have at most 256 characters. */
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

/** Of a list the role that includes the others: issuers list what other programs know beside it. */
function roleOf(value: unknown): Role | null {
  if (!Array.isArray(value)) return Role.safeParse(value).data ?? null;
  return ROLES.findLast((role) => value.includes(role)) ?? null;
}

/** A claim by its whole name stands above one by a path: names may be addresses, with dots. */
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

/** By name. A namespace that is not named has no tenant: anybody may be free to make one. */
export type NamespaceTenants = Readonly<Record<string, NamespaceAccess>>;

const USER = /^system:serviceaccount:(?<namespace>[a-z0-9-]{1,63}):(?<account>[a-z0-9.-]{1,253})$/u;
/** Names beside what was written have at most 256 characters. */
const ACCOUNT_LENGTH_MAX = 180;

/** Null for a user that is no ServiceAccount of these namespaces. */
export function callerOfAccount(user: string, tenants: NamespaceTenants): TokenCaller | null {
  const { namespace = '', account = '' } = USER.exec(user)?.groups ?? {};
  const access = Object.hasOwn(tenants, namespace) ? tenants[namespace] : undefined;
  if (access === undefined || account.length > ACCOUNT_LENGTH_MAX) return null;
  return { name: `account:${namespace}/${account}`, ...access, bound: {} };
}
