/** Whom a ServiceAccount of Kubernetes stands for, by the namespace that it lies in. */
import type { TokenCaller } from './ports/token-reader.ts';
import type { Role } from './role.ts';

export interface NamespaceAccess {
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
