/** Who and what a call is about, and which scopes those identifiers open (design 6.2). */
import { z } from 'zod';
import { VarveError } from './errors.ts';
import { isLayer, LAYERS, type Layer } from './layer.ts';
import type { Scope } from './scope.ts';
import { isStorable, NOT_STORABLE } from './storable-text.ts';

export const IDENTIFIER_LENGTH_MAX = 256;

const Identifier = z
  .string()
  .min(1)
  .max(IDENTIFIER_LENGTH_MAX)
  .refine(isStorable, { error: NOT_STORABLE });

export const Identifiers = z.strictObject({
  agentId: Identifier.optional(),
  userId: Identifier.optional(),
  sessionId: Identifier.optional(),
  projectId: Identifier.optional(),
  teamId: Identifier.optional(),
  orgId: Identifier.optional(),
  companyId: Identifier.optional(),
});
export type Identifiers = z.infer<typeof Identifiers>;

const ScopeName = z.string().min(1).max(IDENTIFIER_LENGTH_MAX);

/** Which team a project belongs to, and so on upwards; absent names resolve to `default`. */
export const Hierarchy = z.strictObject({
  teamOfProject: z.record(ScopeName, ScopeName),
  orgOfTeam: z.record(ScopeName, ScopeName),
  companyOfOrg: z.record(ScopeName, ScopeName),
});
export type Hierarchy = z.infer<typeof Hierarchy>;

/** The scope that a layer has when the hierarchy names none. */
export const DEFAULT_SCOPE_ID = 'default';

/** The identifier that a layer needs, by name, as error messages and clients spell it. */
export const IDENTIFIER_OF: Readonly<Record<Layer, keyof Identifiers>> = {
  agent: 'agentId',
  user: 'userId',
  session: 'sessionId',
  project: 'projectId',
  team: 'teamId',
  org: 'orgId',
  company: 'companyId',
};

/**
 * The scope of one layer for a caller's identifiers.
 * @throws VarveError INVALID_LAYER for an unknown layer; MISSING_IDENTIFIER, naming the identifier,
 * where it is neither given nor derivable from the hierarchy.
 */
export function scopeOf(
  tenant: string,
  layer: string,
  caller: { identifiers: Identifiers; hierarchy: Hierarchy },
): Scope {
  if (!isLayer(layer)) {
    throw new VarveError('INVALID_LAYER', `There is no layer "${layer.slice(0, 40)}".`, {
      details: { layers: LAYERS },
    });
  }
  const scopeId = resolve(layer, caller.identifiers, caller.hierarchy);
  if (scopeId === undefined) {
    const identifier = IDENTIFIER_OF[layer];
    throw new VarveError('MISSING_IDENTIFIER', `The ${layer} layer needs ${identifier}.`, {
      details: { identifier, layer },
    });
  }
  return { tenant, layer, scopeId };
}

/** Every scope that the identifiers open, by precedence; the layers they do not open. */
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

/** Team, org and company are derived upwards; agent, user, session and project never are. */
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

/** Only what was declared counts: `constructor` is a name like any other, and callers choose it. */
function parentOf(
  child: string | undefined,
  declared: Readonly<Record<string, string>>,
): string | undefined {
  if (child === undefined) return undefined;
  return (Object.hasOwn(declared, child) ? declared[child] : undefined) ?? DEFAULT_SCOPE_ID;
}
