/** A principal: who calls, and what that caller may name and open (design 6.2). */
import { VarveError } from '#core/errors.ts';
import { IDENTIFIER_OF, type Identifiers } from '#core/identifiers.ts';
import type { Layer } from '#core/layer.ts';
import type { SessionRecords, Store } from '#core/ports/store.ts';
import { includesRole, type Role } from '#core/role.ts';
import type { Scope } from '#core/scope.ts';
import type { Subject } from '#core/subject.ts';
import type { SessionRecord } from '#core/records/session.ts';
import { PRINCIPAL_LENGTH_MAX, type ReviewDecision } from '#core/records/review.ts';
import type { LineReader } from '#memory/current-file-lines.ts';

export interface Principal {
  readonly name: string;
  /** The tenants it may name; `all` for the operator of an installation. */
  readonly tenants: 'all' | readonly string[];
  /** Identifiers that it is bound to; empty for one that may speak for anyone in its tenant. */
  readonly bound: Identifiers;
  /** Absent for a caller that opened the store itself and may do what the file allows. */
  readonly role?: Role;
  /** Whether no call limits apply: it runs the installation, but acts in one tenant here. */
  readonly isUnlimited?: boolean;
  /** Layers that it may read and write; all layers if absent. */
  readonly layers?: readonly Layer[];
}

/** Returns what a record keeps of a decision of the caller. */
export function decisionOf(
  { name }: Principal,
  { at, reason }: Pick<ReviewDecision, 'at' | 'reason'>,
): ReviewDecision {
  return { at, principal: name.slice(0, PRINCIPAL_LENGTH_MAX), reason };
}

/** The person who runs an embedded installation. */
export const LOCAL_OPERATOR: Principal = {
  name: 'local',
  tenants: 'all',
  bound: {},
  role: 'admin',
};

/**
 * Refuses another tenant or another's identifier, with the same message whether or not it exists.
 * @throws VarveError FORBIDDEN
 */
export function authorize(
  principal: Principal,
  call: { tenant: string; identifiers?: Identifiers },
): void {
  const tenantAllowed = principal.tenants === 'all' || principal.tenants.includes(call.tenant);
  const bound = Object.entries(principal.bound) as [keyof Identifiers, string][];
  const foreign = bound.find(([name, value]) => {
    const named = call.identifiers?.[name];
    return named !== undefined && named !== value;
  });
  if (!tenantAllowed) throw forbidden();
  if (foreign !== undefined) throw forbidden(foreign[0]);
}

/**
 * Refuses a caller that is bound to identifiers: one user must not decide on a whole tenant, such
 * as on its budget.
 * @throws VarveError FORBIDDEN
 */
export function authorizeTenant(principal: Principal, tenant: string): void {
  authorize(principal, { tenant });
  if (isBound(principal)) throw forbidden();
}

/**
 * For a caller bound to identifiers, refuses the Markdown memory of any other subject, with the
 * same message whether or not it exists.
 * @throws VarveError FORBIDDEN
 */
export function authorizeSubject(principal: Principal, tenant: string, subject: Subject): void {
  authorize(principal, { tenant });
  if (!mayNameSubject(principal, subject)) throw forbidden();
}

export function mayNameSubject(principal: Principal, { kind, id }: Subject): boolean {
  if (!mayUseLayer(principal, kind)) return false;
  const isForAnybody = Object.keys(principal.bound).length === 0;
  return isForAnybody || principal.bound[IDENTIFIER_OF[kind]] === id;
}

/** Whether a principal is bound to identifiers or layers, instead of having the whole tenant. */
export function isBound({ bound, layers }: Principal): boolean {
  return Object.keys(bound).length > 0 || layers !== undefined;
}

/** Whether it may read the audit, the receipts of erasures, and the words of deleted memories. */
export function isTenantAdmin(principal: Principal): boolean {
  return !isBound(principal) && includesRole(principal.role ?? 'admin', 'admin');
}

export function mayUseLayer({ layers }: Principal, layer: Layer): boolean {
  return layers?.includes(layer) ?? true;
}

/**
 * Returns the scope, unless the hierarchy led from the named identifiers to another's scope.
 * @throws VarveError FORBIDDEN
 */
export function authorizedScope(principal: Principal, scope: Scope): Scope {
  if (mayName(principal, scope)) return scope;
  throw forbidden();
}

/** Returns the scopes that the identifiers open and that belong to no other caller. */
export function openScopes(principal: Principal, scopes: readonly Scope[]): readonly Scope[] {
  return scopes.filter((scope) => mayName(principal, scope));
}

/**
 * Whether a principal may read a session. A bound principal reads no session of another, whatever
 * the other identifiers are.
 */
export function mayReadSession(
  principal: Principal,
  { sessionId, identifiers }: { sessionId: string; identifiers: Identifiers },
): boolean {
  if (!mayUseLayer(principal, 'session')) return false;
  const { bound } = principal;
  const named: Identifiers = { ...identifiers, sessionId };
  return (Object.entries(bound) as [keyof Identifiers, string][]).every(
    ([name, value]) => named[name] === value,
  );
}

/** @throws VarveError FORBIDDEN for a session that the principal may not read */
export function authorizeSession(
  principal: Principal,
  session: { sessionId: string; identifiers: Identifiers },
): void {
  if (!mayReadSession(principal, session)) throw forbidden();
}

/** The error names the field that the caller is bound to, but no value. */
export function forbidden(identifier?: keyof Identifiers): VarveError {
  if (identifier === undefined)
    return new VarveError('FORBIDDEN', 'This caller may not act for that tenant or identifier.');
  const message =
    `This caller is bound to another ${identifier}. Leave ${identifier} out, or give the one ` +
    'that the caller is bound to.';
  return new VarveError('FORBIDDEN', message, { details: { identifier } });
}

/**
 * Whether a record found by its id is in a scope that this caller may name. Any other record must
 * look as if it did not exist.
 */
export function mayName(
  principal: Principal,
  { layer, scopeId }: Pick<Scope, 'layer' | 'scopeId'>,
): boolean {
  const named = principal.bound[IDENTIFIER_OF[layer]];
  return mayUseLayer(principal, layer) && (named === undefined || named === scopeId);
}

/**
 * Does the same, and also checks that the session of a record is the caller's; the session's own
 * record says whose it is. If there is no such record, only an unbound principal or one bound to
 * the session may read.
 */
export async function mayReach(
  { sessions }: { readonly sessions: Pick<SessionRecords, 'get'> },
  principal: Principal,
  { tenant, layer, scopeId }: Scope,
): Promise<boolean> {
  if (!mayName(principal, { layer, scopeId })) return false;
  const { bound } = principal;
  if (layer !== 'session' || Object.keys(bound).length === 0) return true;
  const session = await sessions.get(tenant, scopeId);
  return session === null ? bound.sessionId === scopeId : mayReadSession(principal, session);
}

/** Null for a session that does not exist. @throws VarveError FORBIDDEN for another's */
export async function authorizedSession(
  { store: { sessions } }: { readonly store: Pick<Store, 'sessions'> },
  principal: Principal,
  { tenant, sessionId }: { tenant: string; sessionId: string },
): Promise<SessionRecord | null> {
  const known = await sessions.get(tenant, sessionId);
  if (known !== null) authorizeSession(principal, known);
  return known;
}

/** Returns which sources of lines a caller may know of. */
export function lineReader(
  { sessions }: { readonly sessions: Pick<SessionRecords, 'get'> },
  principal: Principal,
  tenant: string,
): LineReader {
  return {
    tenant,
    mayReadSession: (session) => mayReadSession(principal, session),
    mayReachScope: (scope) => mayReach({ sessions }, principal, scope),
  };
}
