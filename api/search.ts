/** Procedures that find memories: search, list, history. */
import { accessibleScopes, scopeOf, type Identifiers } from '#core/identifiers.ts';
import type { MemoryConditions } from '#core/search/scope-search.ts';
import type { Scope } from '#core/scope.ts';
import { policyInForce } from '#core/policy/tenant-policy.ts';
import type {
  HistoryAnswer,
  ListAnswer,
  ListMemories,
  MemoryHistory,
  SearchAnswer,
  SearchMemories,
} from './operations/search.ts';
import type { ApiPorts } from './ports.ts';
import {
  authorizedScope,
  openScopes,
  authorize,
  isBound,
  mayName,
  type Principal,
} from './principal.ts';
import { shownMemory } from './shown-memory.ts';

/** @throws VarveError INVALID_LAYER, MISSING_IDENTIFIER, FILTER_TOO_BROAD */
export async function searchMemories(
  ports: ApiPorts,
  principal: Principal,
  asked: SearchMemories,
): Promise<SearchAnswer> {
  const { tenant, identifiers, includeVector } = asked;
  authorize(principal, { tenant, identifiers });
  const layers = await layersOf(ports, principal, asked);
  const { query, mode, limit, threshold, order, explain } = asked;
  const { hits, ...report } = await ports.provider.search(
    tenant,
    {
      query,
      identifiers,
      mode,
      limit,
      threshold,
      order,
      explain,
      layers,
      conditions: conditionsOf(asked),
    },
    { by: principal.name },
  );
  const shown = hits.map(({ memory, ...hit }) => ({
    ...hit,
    memory: shownMemory(memory, includeVector),
  }));
  return { ...report, hits: shown };
}

/** A page of the memories that the identifiers open (MEM-12, MEM-13). */
export async function listMemories(
  ports: ApiPorts,
  principal: Principal,
  asked: ListMemories,
): Promise<ListAnswer> {
  const { tenant, identifiers, order, limit, includeVector } = asked;
  authorize(principal, { tenant, identifiers });
  const { memories, ...page } = await ports.provider.list(tenant, {
    scopes: await scopesOf(ports, principal, asked),
    conditions: conditionsOf(asked),
    order,
    limit,
    cursor: asked.cursor ?? null,
  });
  return { ...page, memories: memories.map((memory) => shownMemory(memory, includeVector)) };
}

/** What was done to a memory, the newest first; nothing for one of another's. */
export async function memoryHistory(
  ports: ApiPorts,
  principal: Principal,
  { tenant, id, beforeVersion, limit }: MemoryHistory,
): Promise<HistoryAnswer> {
  authorize(principal, { tenant });
  const changes = await ports.provider.history(
    { tenant, id },
    { beforeVersion: beforeVersion ?? null, limit },
  );
  return { changes: changes.filter((change) => mayName(principal, change)) };
}

/** Of the named layers, or of all that the identifiers open and that are not another's. */
async function scopesOf(
  { store }: ApiPorts,
  principal: Principal,
  asked: { tenant: string; identifiers: Identifiers; layers?: readonly string[] | undefined },
): Promise<readonly Scope[]> {
  const { tenant, identifiers, layers } = asked;
  const { hierarchy } = await policyInForce(store.policies, tenant);
  const caller = { identifiers, hierarchy };
  if (layers === undefined) return openScopes(principal, accessibleScopes(tenant, caller).scopes);
  const named = [...new Set(layers)].map((layer) => scopeOf(tenant, layer, caller));
  return named.map((scope) => authorizedScope(principal, scope));
}

/** Null for all that the identifiers open, where none of those is another's. */
async function layersOf(
  ports: ApiPorts,
  principal: Principal,
  asked: { tenant: string; identifiers: Identifiers; layers?: readonly string[] | undefined },
): Promise<readonly string[] | null> {
  if (!isBound(principal)) return asked.layers ?? null;
  const scopes = await scopesOf(ports, principal, asked);
  return scopes.map(({ layer }) => layer);
}

function conditionsOf({
  tags,
  filter,
  kind,
  latestOnly,
}: Pick<ListMemories, 'tags' | 'filter' | 'kind' | 'latestOnly'>): Omit<MemoryConditions, 'now'> {
  return { tags, filter: filter ?? null, kind: kind ?? null, latestOnly };
}
