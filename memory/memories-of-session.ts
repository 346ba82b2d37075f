/** Finds the memories that were kept from the turns of a session. */
import { type Scope } from '#core/scope.ts';
import { resolveScope } from '#core/resolve-scope.ts';
import { policyInForce } from '#core/policy/policy-in-force.ts';
import type { MemoryProvider } from '#core/ports/memory-provider.ts';
import type { Store } from '#core/ports/store.ts';
import type { Memory } from '#core/records/memory.ts';
import type { SessionRecord } from '#core/records/session.ts';

/** The number of values that one filter accepts (core/search/filter.ts). */
const FILTERED_IDS_MAX = 100;
const LISTED_MAX = 500;

interface Ports {
  readonly store: Pick<Store, 'policies'>;
  readonly provider: MemoryProvider;
}

/** Yields the memories, superseded ones included, a group of turns at a time. */
export async function* keptMemories(
  { store, provider }: Ports,
  { session, turnIds }: { session: SessionRecord; turnIds: readonly string[] },
): AsyncGenerator<Omit<Memory, 'vector'>> {
  const { tenant, sessionId } = session;
  const scopes = await scopesOfSession(store, session);
  if (scopes.length === 0) return;
  for (let at = 0; at < turnIds.length; at += FILTERED_IDS_MAX) {
    const ids = turnIds.slice(at, at + FILTERED_IDS_MAX);
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
      limit: LISTED_MAX,
    });
    for (const memory of memories) if (memory.origin.channel === 'extraction') yield memory;
  }
}

/** Returns the scopes that extraction from a session writes to. */
export async function scopesOfSession(
  store: Ports['store'],
  { tenant, identifiers }: SessionRecord,
): Promise<readonly Scope[]> {
  const { userId, agentId, projectId } = identifiers;
  const { hierarchy } = await policyInForce(store.policies, tenant);
  return [
    ...(userId === undefined ? [] : ['user']),
    ...(agentId === undefined ? [] : ['agent']),
    ...(projectId === undefined ? [] : ['project']),
  ].map((layer) => resolveScope(tenant, layer, { identifiers, hierarchy }));
}
