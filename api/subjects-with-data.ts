/** After a search without a hit: what the caller may read, but the call does not open. */
import { IDENTIFIER_OF } from '#core/identifiers.ts';
import { LAYERS, type Layer } from '#core/layer.ts';
import { accessibleScopes } from '#core/resolve-scope.ts';
import type { Scope } from '#core/scope.ts';
import { openerOf, openersOf, openingScope } from '#core/sessions/session-access.ts';
import { policyInForce } from '#core/policy/policy-in-force.ts';
import { isBound, mayName, mayReach, mayUseLayer, type Principal } from './principal.ts';
import type { ApiPorts } from './api-ports.ts';
import type { NothingFound, SearchMemories } from './schemas/search.ts';

/** Maximum scopes of a layer that are looked at. */
const LOOKED_AT_MAX = 20;
/** Maximum scopes of a layer that an answer names. */
const NAMED_MAX = 3;

type Elsewhere = Pick<NothingFound, 'moreIdentifiers' | 'elsewhere'>;
type Place = Pick<Scope, 'layer' | 'scopeId'>;

/**
 * Returns the identifiers that would open scopes with data, and for a caller that may speak for
 * anyone in the tenant also the first of these scopes. Nothing if the call names layers.
 */
export async function storedElsewhere(
  ports: ApiPorts,
  principal: Principal,
  asked: SearchMemories,
): Promise<Elsewhere> {
  const { tenant, identifiers, layers, sources } = asked;
  if (layers !== undefined) return { moreIdentifiers: [], elsewhere: [] };
  const { hierarchy } = await policyInForce(ports.store.policies, tenant);
  const { scopes, skippedLayers } = accessibleScopes(tenant, { identifiers, hierarchy });
  const holding = await Promise.all(
    LAYERS.filter((layer) => mayUseLayer(principal, layer)).map(async (layer) => {
      if (layer === 'session') return await sessionsElsewhere(ports, principal, asked);
      return sources.includes('memory') ? await holdingOf(ports, tenant, layer) : [];
    }),
  );
  const opened = new Set(scopes.map(keyOf));
  const places = new Map(holding.flat().map((place) => [keyOf(place), place]));
  const found = [...places.values()].filter(
    (place) => mayName(principal, place) && !opened.has(keyOf(place)),
  );
  const missing = skippedLayers.filter((layer) => found.some((place) => place.layer === layer));
  return {
    moreIdentifiers: missing.map((layer) => IDENTIFIER_OF[layer]),
    elsewhere: isBound(principal)
      ? []
      : firstOfEach(found).map(({ layer, scopeId: id }) => ({ layer, id })),
  };
}

async function holdingOf(
  { store }: ApiPorts,
  tenant: string,
  layer: Layer,
): Promise<readonly Place[]> {
  const records = await store.scopes.list(tenant, LOOKED_AT_MAX, { layer, scopeId: '' });
  return records.filter((record) => record.layer === layer && record.sourceCount > 0);
}

/**
 * Returns the users, agents and projects that would open sessions with turns, and the sessions that
 * only their own id opens, because they have memories or belong to nobody.
 */
async function sessionsElsewhere(
  ports: ApiPorts,
  principal: Principal,
  { tenant, identifiers, sources }: SearchMemories,
): Promise<readonly Place[]> {
  const openers = new Set(openersOf(identifiers));
  const held = await holdingOf(ports, tenant, 'session');
  const places = await Promise.all(
    held.map(async ({ scopeId }): Promise<readonly Place[]> => {
      const own = { tenant, layer: 'session', scopeId } as const;
      const isOpen = scopeId === identifiers.sessionId;
      if (isOpen || !(await mayReach(ports.store, principal, own))) return [];
      const record = await ports.store.sessions.get(tenant, scopeId);
      if (sources.includes('turn') && record !== null) {
        const opening = openingScope(record.identifiers);
        const isSearched = openers.has(openerOf(record.identifiers));
        if (!isSearched) return [opening ?? own];
      }
      return sources.includes('memory') && (await countSessionMemories(ports, own)) > 0
        ? [own]
        : [];
    }),
  );
  return places.flat();
}

/** Returns how many memories a session has; the source count of its scope includes its turns. */
export async function countSessionMemories(
  { provider }: ApiPorts,
  { tenant, layer, scopeId }: Scope,
): Promise<number> {
  const { totalCount } = await provider.list(tenant, {
    scopes: [{ tenant, layer, scopeId }],
    conditions: { tags: [], filter: null, kind: null, latestOnly: true },
    order: 'newest',
    limit: 1,
    cursor: null,
  });
  return totalCount;
}

/** Returns the first few places of each layer. Sessions have many, so none is named. */
function firstOfEach(places: readonly Place[]): readonly Place[] {
  return LAYERS.filter((layer) => layer !== 'session').flatMap((layer) =>
    places.filter((place) => place.layer === layer).slice(0, NAMED_MAX),
  );
}

const keyOf = ({ layer, scopeId }: Place): string => `${layer}/${scopeId}`;
