/** Who calls, and what that caller may name (design 6.2). */
import { VarveError } from '#core/errors.ts';
import { IDENTIFIER_OF, type Identifiers } from '#core/identifiers.ts';
import type { Scope } from '#core/scope.ts';
import type { Subject } from '#core/subject.ts';

export interface Principal {
  readonly name: string;
  /** The tenants it may name; `all` for the operator of an installation. */
  readonly tenants: 'all' | readonly string[];
  /** Identifiers it is bound to; empty for a principal that may speak for anybody of its tenant. */
  readonly bound: Identifiers;
}

/** The person who runs an embedded installation. */
export const LOCAL_OPERATOR: Principal = { name: 'local', tenants: 'all', bound: {} };

/**
 * Refuses another tenant or another's identifier, with the same words whether it exists or not.
 * @throws VarveError FORBIDDEN
 */
export function authorize(
  principal: Principal,
  call: { tenant: string; identifiers?: Identifiers },
): void {
  const tenantAllowed = principal.tenants === 'all' || principal.tenants.includes(call.tenant);
  const bound = Object.entries(principal.bound) as [keyof Identifiers, string][];
  const identifiersAllowed = bound.every(([name, value]) => {
    const named = call.identifiers?.[name];
    return named === undefined || named === value;
  });
  if (tenantAllowed && identifiersAllowed) return;
  throw forbidden();
}

/**
 * Refuses whoever is bound to identifiers: what concerns a whole tenant, such as its money, is not
 * for one of its users.
 * @throws VarveError FORBIDDEN
 */
export function authorizeTenant(principal: Principal, tenant: string): void {
  authorize(principal, { tenant });
  if (isBound(principal)) throw forbidden();
}

/**
 * Refuses the Markdown memory of anybody but itself to whoever is bound to identifiers, in the same
 * words whether there is one or not.
 * @throws VarveError FORBIDDEN
 */
export function authorizeSubject(principal: Principal, tenant: string, subject: Subject): void {
  authorize(principal, { tenant });
  if (!mayNameSubject(principal, subject)) throw forbidden();
}

export function mayNameSubject(principal: Principal, { kind, id }: Subject): boolean {
  return !isBound(principal) || principal.bound[IDENTIFIER_OF[kind]] === id;
}

/** Whether it speaks for somebody of its tenant, and not for the whole of it. */
export function isBound({ bound }: Principal): boolean {
  return Object.keys(bound).length > 0;
}

/**
 * The scope, unless the hierarchy led from the named identifiers to another's.
 * @throws VarveError FORBIDDEN
 */
export function authorizedScope(principal: Principal, scope: Scope): Scope {
  if (mayName(principal, scope)) return scope;
  throw forbidden();
}

/** Of the scopes that identifiers open by themselves, those that are not another's. */
export function openScopes(principal: Principal, scopes: readonly Scope[]): readonly Scope[] {
  return scopes.filter((scope) => mayName(principal, scope));
}

/**
 * Whether a session is one of those that a principal speaks for: one that is bound reads no session
 * of another, whatever the other identifiers are.
 */
export function mayReadSession(
  { bound }: Principal,
  { sessionId, identifiers }: { sessionId: string; identifiers: Identifiers },
): boolean {
  const named: Identifiers = { ...identifiers, sessionId };
  return (Object.entries(bound) as [keyof Identifiers, string][]).every(
    ([name, value]) => named[name] === value,
  );
}

/** @throws VarveError FORBIDDEN */
export function authorizeSession(
  principal: Principal,
  session: { sessionId: string; identifiers: Identifiers },
): void {
  if (!mayReadSession(principal, session)) throw forbidden();
}

function forbidden(): VarveError {
  return new VarveError('FORBIDDEN', 'This caller may not act for that tenant or identifier.');
}

/**
 * Whether a record found by its id lies in a scope that this caller may name. What does not is to
 * look like what does not exist.
 */
export function mayName(
  { bound }: Principal,
  { layer, scopeId }: Pick<Scope, 'layer' | 'scopeId'>,
): boolean {
  const named = bound[IDENTIFIER_OF[layer]];
  return named === undefined || named === scopeId;
}
