/**
 * The one check that every operation stands behind, whatever the face: role, tenant, identifiers
 * and sessions. Operations check once more what only they know, such as where a hierarchy leads.
 */
import { z } from 'zod';
import { requireSameUser } from '#core/sessions/session-access.ts';
import { VarveError } from '#core/errors.ts';
import { Identifiers } from '#core/identifiers.ts';
import { includesRole, type Role } from '#core/role.ts';
import { isObject } from '#core/sources/metadata-limits.ts';
import type { ApiPorts } from './api-ports.ts';
import { authorize, forbidden, mayReadSession, mayUseLayer, type Principal } from './authorize.ts';

/** What of an operation decides who may call it. */
interface Guarded {
  readonly kind: 'query' | 'mutation';
  readonly role: Role;
  readonly beginsSession?: true;
}

/** What inputs name of whom and what they are about; each has some of it. */
const Named = z.object({
  tenant: z.string().optional(),
  layer: z.string().optional(),
  identifiers: Identifiers.optional(),
  sessionId: z.string().optional(),
  memories: z
    .array(z.object({ layer: z.string().optional(), identifiers: Identifiers.optional() }))
    .optional(),
});
type Named = z.output<typeof Named>;

/**
 * The input with the identifiers that the principal is bound to, where it has room for them and
 * leaves them open. They open nothing that the principal might not have named.
 */
export function withBound<Input>(principal: Pick<Principal, 'bound'>, input: Input): Input {
  const { bound } = principal;
  if (Object.keys(bound).length === 0 || !isObject(input)) return input;
  const { identifiers, memories } = input as { identifiers?: unknown; memories?: unknown };
  return {
    ...input,
    ...(isObject(identifiers) ? { identifiers: filled(identifiers, bound) } : {}),
    ...(Array.isArray(memories) ? { memories: memories.map((m) => withBound(principal, m)) } : {}),
  };
}

/** By what follows from others in the hierarchy of a tenant: those others. */
const FOLLOWS_FROM: Partial<Record<keyof Identifiers, readonly (keyof Identifiers)[]>> = {
  teamId: ['projectId'],
  orgId: ['projectId', 'teamId'],
  companyId: ['projectId', 'teamId', 'orgId'],
};

/** The team of a named project is not open: the hierarchy says it, and it may be another's. */
function filled(named: Identifiers, bound: Identifiers): Identifiers {
  const isNamed = (name: keyof Identifiers) => named[name] !== undefined;
  const names = Object.keys(bound) as (keyof Identifiers)[];
  const open = names.filter((name) => ![name, ...(FOLLOWS_FROM[name] ?? [])].some(isNamed));
  return { ...named, ...Object.fromEntries(open.map((name) => [name, bound[name]])) };
}

/** @throws VarveError FORBIDDEN */
export async function admit(
  ports: Pick<ApiPorts, 'store' | 'isDeclaredOnly'>,
  principal: Principal,
  { row, input }: { readonly row: Guarded; readonly input: unknown },
): Promise<void> {
  const { role = 'admin' } = principal;
  if (!includesRole(role, row.role)) throw lacksRole(role, row.role);
  const named = namedBy(input);
  if (named?.tenant === undefined) return;
  const { tenant, sessionId } = named;
  for (const { identifiers = {} } of partsOf(named)) authorize(principal, { tenant, identifiers });
  if (ports.isDeclaredOnly && row.role !== 'admin') await requireDeclared(ports, tenant);
  if (sessionId !== undefined) {
    authorize(principal, { tenant, identifiers: { sessionId } });
    if (!mayUseLayer(principal, 'session')) throw forbidden();
  }
  if (Object.keys(principal.bound).length > 0) {
    await admitSessions(ports, principal, { row, tenant, named });
  }
  await admitUsers(ports, tenant, named);
}

/**
 * In a cluster an undeclared tenant is one that any namespace might claim, with its memories.
 * Admins may still look at what is left of one, and erase it.
 */
async function requireDeclared({ store }: Pick<ApiPorts, 'store'>, tenant: string): Promise<void> {
  if ((await store.policies.get(tenant)) !== null) return;
  throw new VarveError(
    'FORBIDDEN',
    'No resource declares this tenant. Check its name, declare a MemoryTenant with this ' +
      'tenantId, or set VARVE_DECLARED_ONLY=false.',
  );
}

/** A caller that names a user and a session must name the user who owns the session. */
async function admitUsers(
  { store }: Pick<ApiPorts, 'store'>,
  tenant: string,
  named: Named,
): Promise<void> {
  const usersOf = new Map<string, Set<string>>();
  for (const { identifiers: { sessionId = named.sessionId, userId } = {} } of partsOf(named)) {
    if (sessionId === undefined || userId === undefined) continue;
    usersOf.set(sessionId, (usersOf.get(sessionId) ?? new Set()).add(userId));
  }
  for (const [sessionId, users] of usersOf) {
    const session = await store.sessions.get(tenant, sessionId);
    if (session !== null) for (const userId of users) requireSameUser(session, userId);
  }
}

/** Null for an input that names nothing; one that names something unknown is refused. */
function namedBy(input: unknown): Named | null {
  if (input === undefined || input === null) return null;
  const named = Named.safeParse(input);
  if (!named.success) throw forbidden();
  return named.data;
}

function partsOf(named: Named): readonly Pick<Named, 'layer' | 'identifiers'>[] {
  return [named, ...(named.memories ?? [])];
}

/**
 * A caller that is bound to identifiers may name its own sessions, and an unused one. The first
 * turn sets the owner of a session; before that, such a caller can neither store memories in it nor
 * read it, since its owner is unknown.
 */
async function admitSessions(
  { store }: Pick<ApiPorts, 'store'>,
  principal: Principal,
  { row, tenant, named }: { readonly row: Guarded; readonly tenant: string; readonly named: Named },
): Promise<void> {
  const parts = partsOf(named);
  const written = parts.filter(({ layer }) => row.kind === 'mutation' && layer === 'session');
  const used = new Set(sessionsOf(written));
  if (named.sessionId !== undefined && row.beginsSession !== true) used.add(named.sessionId);
  const begun = named.sessionId === undefined ? [] : [named.sessionId];
  for (const sessionId of new Set([...sessionsOf(parts), ...begun])) {
    const session = await store.sessions.get(tenant, sessionId);
    if (session !== null && mayReadSession(principal, session)) continue;
    if (session === null && principal.bound.sessionId === sessionId) continue;
    if (session !== null || used.has(sessionId)) throw forbidden();
    const scope = await store.scopes.get({ tenant, layer: 'session', scopeId: sessionId });
    if (scope.version > 0) throw forbidden();
  }
}

function sessionsOf(parts: readonly Pick<Named, 'identifiers'>[]): readonly string[] {
  return parts.flatMap(({ identifiers }) => identifiers?.sessionId ?? []);
}

/** Says what is missing, and nothing of what the call is about. */
function lacksRole(has: Role, needed: Role): VarveError {
  const message = `This call needs the role ${needed}; this caller has ${has}.`;
  return new VarveError('FORBIDDEN', message, { details: { needed, has } });
}
