/**
 * The check that every operation goes through, over every interface: role, tenant, identifiers and
 * sessions. Operations also check what only they know, such as where a hierarchy leads.
 */
import { z } from 'zod';
import { requireSameUser } from '#core/sessions/session-access.ts';
import { VarveError } from '#core/errors.ts';
import { Identifiers } from '#core/identifiers.ts';
import { includesRole, type Role } from '#core/role.ts';
import { isPlainObject } from '#core/sources/metadata-limits.ts';
import type { ApiPorts } from './api-ports.ts';
import {
  authorize,
  authorizeTenant,
  forbidden,
  mayReadSession,
  mayUseLayer,
  type Principal,
} from './principal.ts';

/** The properties of an operation that decide who may call it. */
interface Guarded {
  readonly kind: 'query' | 'mutation';
  readonly role: Role;
  readonly beginsSession?: true;
}

/** The fields that say whom and what a call is about; each input has some of them. */
const Named = z.object({
  tenant: z.string().optional(),
  layer: z.string().optional(),
  identifiers: Identifiers.optional(),
  sessionId: z.string().optional(),
  memories: z
    .array(
      z.object({
        layer: z.string().optional(),
        identifiers: Identifiers.optional(),
        extracted: z.object({ sessionId: z.string().optional() }).optional(),
      }),
    )
    .optional(),
});
type Named = z.output<typeof Named>;

/**
 * Returns the input, with open identifiers filled in from those that the principal is bound to.
 * They open nothing that the principal could not have named itself.
 */
export function fillBoundIdentifiers<Input>(
  principal: Pick<Principal, 'bound'>,
  input: Input,
): Input {
  const { bound } = principal;
  if (Object.keys(bound).length === 0 || !isPlainObject(input)) return input;
  const { identifiers, memories } = input as { identifiers?: unknown; memories?: unknown };
  return {
    ...input,
    ...(isPlainObject(identifiers) ? { identifiers: filled(identifiers, bound) } : {}),
    ...(Array.isArray(memories)
      ? { memories: memories.map((m) => fillBoundIdentifiers(principal, m)) }
      : {}),
  };
}

/** For each identifier that a tenant's hierarchy derives from others: those others. */
const FOLLOWS_FROM: Partial<Record<keyof Identifiers, readonly (keyof Identifiers)[]>> = {
  teamId: ['projectId'],
  orgId: ['projectId', 'teamId'],
  companyId: ['projectId', 'teamId', 'orgId'],
};

/**
 * Fills in bound identifiers. If a project is named, its team stays as the hierarchy says: it may
 * be another team than the bound one.
 */
function filled(named: Identifiers, bound: Identifiers): Identifiers {
  const isNamed = (name: keyof Identifiers) => named[name] !== undefined;
  const names = Object.keys(bound) as (keyof Identifiers)[];
  const open = names.filter((name) => ![name, ...(FOLLOWS_FROM[name] ?? [])].some(isNamed));
  return { ...named, ...Object.fromEntries(open.map((name) => [name, bound[name]])) };
}

/** @throws VarveError FORBIDDEN for a call that its caller may not make */
export async function checkAccess(
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
  for (const each of [sessionId ?? [], sourcesOf(named)].flat()) {
    authorize(principal, { tenant, identifiers: { sessionId: each } });
    if (!mayUseLayer(principal, 'session')) throw forbidden();
  }
  if (Object.keys(principal.bound).length > 0) {
    await admitSessions(ports, principal, { row, tenant, named });
  }
  await admitUsers(ports, tenant, named);
  // Whoever operates a tenant decides on all of it.
  if (row.role === 'operate' || row.role === 'admin') authorizeTenant(principal, tenant);
}

/**
 * In a cluster, any namespace might claim an undeclared tenant together with its memories. Admins
 * may still see what is left of one, and erase it.
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
  for (const { identifiers: { sessionId, userId } = {}, extracted } of partsOf(named)) {
    if (userId === undefined) continue;
    for (const each of [sessionId ?? named.sessionId ?? [], extracted?.sessionId ?? []].flat()) {
      usersOf.set(each, (usersOf.get(each) ?? new Set()).add(userId));
    }
  }
  for (const [sessionId, users] of usersOf) {
    const session = await store.sessions.get(tenant, sessionId);
    if (session !== null) for (const userId of users) requireSameUser(session, userId);
  }
}

/** Returns null for an input that names nothing; refuses one that names something unknown. */
function namedBy(input: unknown): Named | null {
  if (input === undefined || input === null) return null;
  const named = Named.safeParse(input);
  if (!named.success) throw forbidden();
  return named.data;
}

function partsOf(named: Named): readonly NonNullable<Named['memories']>[number][] {
  return [{ layer: named.layer, identifiers: named.identifiers }, ...(named.memories ?? [])];
}

/** Returns the sessions whose turns memories are said to come from. */
function sourcesOf({ memories = [] }: Named): readonly string[] {
  return memories.flatMap(({ extracted }) => extracted?.sessionId ?? []);
}

/**
 * A caller that is bound to identifiers may name its own sessions, and an unused one. The first
 * turn sets the owner of a session; before that, such a caller can neither store memories in it or
 * from it nor read it, since its owner is unknown.
 */
async function admitSessions(
  { store }: Pick<ApiPorts, 'store'>,
  principal: Principal,
  { row, tenant, named }: { readonly row: Guarded; readonly tenant: string; readonly named: Named },
): Promise<void> {
  const parts = partsOf(named);
  const written = parts.filter(({ layer }) => row.kind === 'mutation' && layer === 'session');
  const used = new Set([...sessionsOf(written), ...sourcesOf(named)]);
  if (named.sessionId !== undefined && row.beginsSession !== true) used.add(named.sessionId);
  const begun = named.sessionId === undefined ? [] : [named.sessionId];
  for (const sessionId of new Set([...sessionsOf(parts), ...begun, ...used])) {
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

/** Says which role is missing, and nothing about the subject of the call. */
function lacksRole(has: Role, needed: Role): VarveError {
  const message = `This call needs the role ${needed}; this caller has ${has}.`;
  return new VarveError('FORBIDDEN', message, { details: { needed, has } });
}
