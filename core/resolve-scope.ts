/** Resolves the identifiers of a caller to the scopes that they open. */
import { VarveError } from './errors.ts';
import { IDENTIFIER_OF, type Hierarchy, type Identifiers } from './identifiers.ts';
import { isLayer, LAYERS, type Layer } from './layer.ts';
import type { Scope } from './scope.ts';
import { shortenToUnits } from './storable-text.ts';

/** The most UTF-16 units of an unknown layer that an error shows. */
const SHOWN_LAYER_UNITS = 40;

/** The scope of a layer that the hierarchy does not name. */
const DEFAULT_SCOPE_ID = 'default';

/**
 * Returns the scope of one layer for a caller's identifiers.
 * @throws VarveError INVALID_LAYER for an unknown layer; MISSING_IDENTIFIER, naming the identifier,
 * if it is neither given nor derivable from the hierarchy
 */
export function resolveScope(
  tenant: string,
  layer: string,
  caller: { identifiers: Identifiers; hierarchy: Hierarchy },
): Scope {
  if (!isLayer(layer)) {
    const given = JSON.stringify(shortenToUnits(layer, SHOWN_LAYER_UNITS));
    const message = `There is no layer ${given}; there are ${LAYERS.join(', ')}.`;
    throw new VarveError('INVALID_LAYER', message, { details: { layers: LAYERS } });
  }
  const scopeId = resolve(layer, caller.identifiers, caller.hierarchy);
  if (scopeId === undefined) throw missingIdentifier(layer);
  return { tenant, layer, scopeId };
}

/**
 * Returns every scope that the identifiers open, by precedence, and the layers they do not open.
 */
export function accessibleScopes(
  tenant: string,
  caller: { identifiers: Identifiers; hierarchy: Hierarchy },
): { scopes: readonly Scope[]; skippedLayers: readonly Layer[] } {
  const scopes: Scope[] = [];
  const skippedLayers: Layer[] = [];
  for (const layer of LAYERS) {
    const scopeId = resolve(layer, caller.identifiers, caller.hierarchy);
    if (scopeId === undefined) skippedLayers.push(layer);
    else scopes.push({ tenant, layer, scopeId });
  }
  return { scopes, skippedLayers };
}

/**
 * Derives team, org and company from the layer below; agent, user, session and project never are.
 */
function resolve(layer: Layer, ids: Identifiers, hierarchy: Hierarchy): string | undefined {
  const given = ids[IDENTIFIER_OF[layer]];
  if (given !== undefined) return given;
  switch (layer) {
    case 'team':
      return parentOf(ids.projectId, hierarchy.teamOfProject);
    case 'org':
      return parentOf(resolve('team', ids, hierarchy), hierarchy.orgOfTeam);
    case 'company':
      return parentOf(resolve('org', ids, hierarchy), hierarchy.companyOfOrg);
    default:
      return undefined;
  }
}

/** Reads own fields only: callers choose names, and one may be `constructor`. */
function parentOf(
  child: string | undefined,
  declared: Readonly<Record<string, string>>,
): string | undefined {
  if (child === undefined) return undefined;
  return (Object.hasOwn(declared, child) ? declared[child] : undefined) ?? DEFAULT_SCOPE_ID;
}

/** The error for a layer whose identifier is neither given nor derivable from the hierarchy. */
function missingIdentifier(layer: Layer): VarveError {
  const identifier = IDENTIFIER_OF[layer];
  const message = `The ${layer} layer needs ${identifier}; give it in identifiers.`;
  return new VarveError('MISSING_IDENTIFIER', message, { details: { identifier, layer } });
}
