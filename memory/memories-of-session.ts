/** The memories that extraction made of the turns of a session: finds them, and deletes them. */
import { chunked } from '#core/chunks-and-pages.ts';
import { type Scope } from '#core/scope.ts';
import { resolveScope } from '#core/resolve-scope.ts';
import { policyInForce } from '#core/policy/policy-in-force.ts';
import type { MemoryProvider } from '#core/ports/memory-provider.ts';
import type { Store } from '#core/ports/store.ts';
import type { Memory } from '#core/records/memory.ts';
import type { SessionRecord } from '#core/records/session.ts';
import { LIST_LIMIT_MAX } from '#core/search/search-defaults.ts';
import { type RequestPorts, requestRefreshIfDue } from './request-refresh.ts';

/** The number of values that one filter accepts (core/search/filter.ts). */
const FILTERED_IDS_MAX = 100;

interface Ports {
  readonly store: Pick<Store, 'policies'>;
  readonly provider: MemoryProvider;
}

/** Yields the memories, superseded ones included, a group of turns at a time. */
export async function* memoriesOfTurns(
  { store, provider }: Ports,
  { session, turnIds }: { session: SessionRecord; turnIds: readonly string[] },
): AsyncGenerator<Omit<Memory, 'vector'>> {
  const { tenant, sessionId } = session;
  const scopes = await scopesOfSession(store, session);
  if (scopes.length === 0) return;
  for (const ids of chunked(turnIds, FILTERED_IDS_MAX)) {
    const { memories } = await provider.list(tenant, {
      scopes,
      conditions: {
        latestOnly: false,
        tags: [],
        kind: null,
        filter: {
          and: [
            { field: 'session', eq: sessionId },
            { field: 'source', in: ids },
          ],
        },
      },
      order: 'oldest',
      cursor: null,
      limit: LIST_LIMIT_MAX,
    });
    for (const memory of memories) if (memory.origin.channel === 'extraction') yield memory;
  }
}

/**
 * Deletes them, and requests a refresh of the scopes that become due by it. What a turn of another
 * session also says stays, in the words of that turn.
 */
export async function deleteMemoriesOfTurns(
  ports: Ports & RequestPorts,
  of: { session: SessionRecord; turnIds: readonly string[] },
  by: string,
): Promise<void> {
  const { tenant } = of.session;
  const ids: string[] = [];
  for await (const { id } of memoriesOfTurns(ports, of)) ids.push(id);
  const options = { by, idempotencyKey: null, isSourceGone: true };
  for (const id of ids) {
    const scope = await ports.provider.delete({ tenant, id }, options);
    if (scope !== null) await requestRefreshIfDue(ports, scope);
  }
}

/** Returns the scopes that extraction from a session, or from messages, writes to. */
export async function scopesOfSession(
  store: Ports['store'],
  { tenant, identifiers }: Pick<SessionRecord, 'tenant' | 'identifiers'>,
): Promise<readonly Scope[]> {
  const { userId, agentId, projectId } = identifiers;
  const { hierarchy } = await policyInForce(store.policies, tenant);
  return [
    ...(userId === undefined ? [] : ['user']),
    ...(agentId === undefined ? [] : ['agent']),
    ...(projectId === undefined ? [] : ['project']),
  ].map((layer) => resolveScope(tenant, layer, { identifiers, hierarchy }));
}
