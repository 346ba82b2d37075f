/** Procedures on summaries: get one, list those that a caller's identifiers open. */
import { accessibleScopes, scopeOf } from '#core/identifiers.ts';
import type { Layer } from '#core/layer.ts';
import type { TenantPolicy } from '#core/policy.ts';
import { recipeHash } from '#core/recipe.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Summary } from '#core/records/summary.ts';
import type { Scope } from '#core/scope.ts';
import {
  freshnessReport,
  servedSummary,
  type FreshnessReport,
  type ServedDepth,
  type ServedSummary,
  type ServeRules,
} from '#core/serve.ts';
import { policyInForce } from '#core/tenant-policy.ts';
import { GetSummary, ListSummaries } from './inputs.ts';
import { parseInput } from './parse.ts';
import type { ApiPorts } from './ports.ts';
import { authorizedScope, openScopes, authorize, type Principal } from './principal.ts';

/** A scope with its summary as it may be served, and how fresh it is where there is none. */
export interface ScopeSummary {
  readonly scope: Scope;
  readonly summary: ServedSummary | null;
  readonly freshness: FreshnessReport;
  readonly contextVector: Summary['contextVector'];
}

export interface SummaryAnswer extends Omit<ServedSummary, 'depths'>, ServedDepth {}

/** One depth of one summary; null where it was not made or is not configured (SUM-07). */
export async function getSummary(
  ports: ApiPorts,
  principal: Principal,
  input: unknown,
): Promise<SummaryAnswer | null> {
  const { tenant, layer, identifiers, depth } = parseInput(GetSummary, input);
  authorize(principal, { tenant, identifiers });
  const policy = await policyInForce(ports.store.policies, tenant);
  const named = scopeOf(tenant, layer, { identifiers, hierarchy: policy.hierarchy });
  const scope = authorizedScope(principal, named);
  const { summary } = await readSummary(ports, policy, scope);
  const text = summary?.depths[depth];
  if (summary === null || text === undefined) return null;
  const { depths: _depths, ...metadata } = summary;
  return { ...metadata, ...text };
}

/** Every accessible layer by precedence, with token counts and freshness (SUM-08). */
export async function listSummaries(
  ports: ApiPorts,
  principal: Principal,
  input: unknown,
): Promise<{ summaries: readonly ScopeSummary[]; skippedLayers: readonly Layer[] }> {
  const { tenant, identifiers } = parseInput(ListSummaries, input);
  authorize(principal, { tenant, identifiers });
  const policy = await policyInForce(ports.store.policies, tenant);
  const { hierarchy } = policy;
  const { scopes: named, skippedLayers } = accessibleScopes(tenant, { identifiers, hierarchy });
  const scopes = openScopes(principal, named);
  const summaries = await Promise.all(scopes.map((scope) => readSummary(ports, policy, scope)));
  return { summaries, skippedLayers };
}

/** Reads one summary beside its scope's row and logs the use of a stale one (SUM-21). */
export async function readSummary(
  ports: ApiPorts,
  policy: TenantPolicy,
  scope: Scope,
): Promise<ScopeSummary> {
  const { store, platform, tokens } = ports;
  // The row before the summary: a commit in between then shows a fresh summary as stale, never an
  // old one without the marks of what was deleted from it.
  const record = await store.scopes.get(scope);
  const summary = await store.summaries.get(scope, '');
  const rules = serveRules(ports, policy, record);
  const freshness = freshnessReport(summary, record, rules);
  if (summary !== null && freshness.stale) {
    const { tenant, layer } = scope;
    const told = { tenant, layer, reason: freshness.reason };
    // Without facts that it had: readers should know at once, whoever watches the log as well.
    if (record.droppedSources.length > 0) platform.log.warn(told, 'stale summary served');
    else platform.log.info(told, 'stale summary served');
  }
  return {
    scope,
    summary: summary === null ? null : servedSummary(summary, record, { ...rules, tokens }),
    freshness,
    contextVector: summary?.contextVector ?? null,
  };
}

function serveRules(
  { platform, modelOf }: ApiPorts,
  policy: TenantPolicy,
  { layer }: ScopeRecord,
): Omit<ServeRules, 'tokens'> {
  const layerPolicy = policy.layers[layer];
  const recipe = { layer: layerPolicy, model: modelOf(layerPolicy.modelClass) };
  return {
    recipeHash: recipeHash(platform.digest, recipe),
    policy: layerPolicy,
    now: platform.clock(),
  };
}
