/**
 * Functions of the operations on summaries: get one, list those that the identifiers open, retry
 * dead letters.
 */
import { GENERAL } from '#core/variants/audience.ts';
import type { Scope } from '#core/scope.ts';
import { accessibleScopes, resolveScope } from '#core/resolve-scope.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import { outdatedMarks } from '#core/recall/outdated/outdated-sentences.ts';
import { recallTerms } from '#core/recall/words/recall-terms.ts';
import { recipeHash } from '#core/refresh/recipe.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { DEPTHS, type Depth, type Summary } from '#core/records/summary.ts';
import { expiryOf } from '#core/sources/memory-lifecycle.ts';
import type { Source } from '#core/sources/source.ts';
import {
  freshnessReport,
  servedSummary,
  withoutAmounts,
  type FreshnessReport,
  type ServedSummary,
  type ServeRules,
  type SinceSummary,
} from '#core/refresh/served-summary.ts';
import { policyInForce } from '#core/policy/policy-in-force.ts';
import { applyRetry } from '#core/refresh/scope-waits.ts';
import type { ApiPorts } from './api-ports.ts';
import { queryVector, relevances } from './relevant-layers.ts';
import { variantReadingOf, readVariant, type SummaryReader } from './read-variant.ts';
import {
  authorize,
  authorizedScope,
  authorizeTenant,
  openScopes,
  type Principal,
} from './principal.ts';
import { requestTenantRefresh } from './refresh.ts';
import type * as schemas from './schemas/summary.ts';
import { changeScopes, chosenScopes } from '#memory/change-many-scopes.ts';

/** A scope with its summary as it may be served, and its freshness even without a summary. */
export interface ScopeSummary {
  readonly scope: Scope;
  readonly summary: ServedSummary | null;
  readonly freshness: FreshnessReport;
  /** Null also while the summary still shows dropped sources. */
  readonly contextVector: Summary['contextVector'];
}

export interface ReadSummary extends ScopeSummary {
  /** Whether the cache of this process had the summary. */
  readonly isCached: boolean;
}

/** Returns one depth of one summary; null if it was not made or is not configured (SUM-07). */
export async function getSummary(
  ports: ApiPorts,
  principal: Principal,
  { tenant, layer, identifiers, depth }: schemas.GetSummary,
): Promise<schemas.SummaryAnswer | null> {
  authorize(principal, { tenant, identifiers });
  const policy = await policyInForce(ports.store.policies, tenant);
  const named = resolveScope(tenant, layer, { identifiers, hierarchy: policy.hierarchy });
  const scope = authorizedScope(principal, named);
  const reading = variantReadingOf(principal, { policy, identifiers });
  const read = await readSummary(ports, reading, scope);
  const { summary } = read;
  const text = summary?.depths[depth];
  countRetrieval(ports, read, text === undefined ? null : depth);
  if (summary === null || text === undefined) return null;
  const { depths: _depths, ...metadata } = summary;
  return { ...metadata, ...text };
}

/**
 * Lists every accessible layer by precedence, with token counts and freshness (SUM-08), and with
 * its relevance if a query is given (SUM-10).
 */
export async function listSummaries(
  ports: ApiPorts,
  principal: Principal,
  { tenant, identifiers, query }: schemas.ListSummaries,
): Promise<schemas.ListedSummaries> {
  authorize(principal, { tenant, identifiers });
  const policy = await policyInForce(ports.store.policies, tenant);
  const { hierarchy } = policy;
  const { scopes: named, skippedLayers } = accessibleScopes(tenant, { identifiers, hierarchy });
  const scopes = openScopes(principal, named);
  const reading = variantReadingOf(principal, { policy, identifiers });
  const [read, vector] = await Promise.all([
    Promise.all(scopes.map((scope) => readSummary(ports, reading, scope))),
    query === undefined ? null : queryVector(ports, principal, { tenant, query }),
  ]);
  const compared = query === undefined ? [] : await relevances(ports, { query, vector }, read);
  const summaries = read.map(({ isCached, ...each }, at) => {
    const shown = DEPTHS.filter((depth) => each.summary?.depths[depth] !== undefined);
    for (const depth of shown) countRetrieval(ports, { ...each, isCached }, depth);
    return { ...each, relevance: compared[at] ?? null };
  });
  return { summaries, skippedLayers };
}

/** Counts one use of one depth; null if nothing of the summary was shown (SUM-14). */
export function countRetrieval(
  { metrics }: Pick<ApiPorts, 'metrics'>,
  { scope: { layer }, isCached }: ReadSummary,
  depth: Depth | null,
): void {
  metrics.count('memory_summary_retrievals_total', {
    layer,
    depth: depth ?? 'none',
    cache_hit: isCached ? 'true' : 'false',
  });
}

/**
 * Reads one summary with the record of its scope, in the reader's variant if the layer is
 * personalized; logs and counts the use of a stale one (SUM-21).
 */
export async function readSummary(
  ports: ApiPorts,
  reading: SummaryReader,
  scope: Scope,
): Promise<ReadSummary> {
  const { store, summaryCache, metrics, timer, tokens } = ports;
  const startedAt = timer();
  // Read the record before the summary. A commit in between then makes a fresh summary look stale,
  // but never shows an old one without the marks of what was deleted from it.
  const record = await store.scopes.get(scope);
  const { summary, isHit } = await summaryCache.get(record, GENERAL);
  const rules = serveRules(ports, reading.policy, record);
  const own = summary === null ? null : await readVariant(ports, reading, { record, ...rules });
  metrics.observe('memory_summary_retrieval_latency_ms', {}, timer() - startedAt);
  const report = freshnessReport(summary, record, rules);
  const freshness = reading.mayKnowBudget ? report : withoutAmounts(report);
  const shown = own?.summary ?? summary;
  const since = shown === null ? {} : await sinceThen(ports, reading, { record, shown });
  const isDropped = record.droppedSources.length + (since.expired ?? []).length > 0;
  if (summary !== null) noteStale(ports, { scope, summary, freshness, isDropped });
  return {
    scope,
    summary: served(shown, {
      record,
      freshness,
      rules: {
        ...rules,
        tokens,
        outdatedMarks: outdatedMarks(scope, (text) => recallTerms(ports.analyzer, text), {
          at: rules.now,
        }),
      },
      since,
    }),
    freshness,
    contextVector: isDropped ? null : (summary?.contextVector ?? null),
    isCached: own?.isHit ?? isHit,
  };
}

/** A variant is as fresh as the general summary that it was selected from. */
function served(
  summary: Summary | null,
  {
    record,
    freshness,
    rules,
    since,
  }: {
    record: ScopeRecord;
    freshness: FreshnessReport;
    rules: ServeRules;
    since: SinceSummary;
  },
): ServedSummary | null {
  const shown = summary === null ? null : servedSummary(summary, record, rules, since);
  return shown === null ? null : { ...shown, freshness };
}

async function sinceThen(
  ports: ApiPorts,
  reading: SummaryReader,
  { record, shown }: { record: ScopeRecord; shown: Summary },
): Promise<SinceSummary> {
  const [unseen, expired] = await Promise.all([
    unseenSources(ports, reading, record),
    expiredSources(ports, record, shown),
  ]);
  return { unseen, expired };
}

/**
 * Returns expired sources of a summary. They matter only until the next refresh, which omits them.
 */
async function expiredSources(
  { store, platform }: ApiPorts,
  { tenant, nextExpiryAt }: ScopeRecord,
  { facts }: Summary,
): Promise<readonly string[]> {
  const now = platform.clock();
  if (nextExpiryAt === null || nextExpiryAt > now) return [];
  const expired: string[] = [];
  // One by one: summaries have few facts, and few reads happen before that refresh.
  for (const id of new Set(facts.flatMap(({ sources }) => sources))) {
    const memory = await store.memories.get(tenant, id);
    if (memory !== null && (expiryOf(memory) ?? Infinity) <= now) expired.push(id);
  }
  return expired;
}

/**
 * Returns the present form of what was written after the summary's sources were read, newest first.
 */
async function unseenSources(
  { store, platform }: ApiPorts,
  { turnsApart = false }: SummaryReader,
  record: ScopeRecord,
): Promise<readonly Source[]> {
  const ids = record.unseenSources.map(({ id }) => id).toReversed();
  if (ids.length === 0) return [];
  const found = await store.scopes.sourcesById(record, ids, platform.clock());
  return turnsApart ? found.filter(({ kind }) => kind === 'memory') : found;
}

interface StaleRead {
  readonly scope: Scope;
  readonly summary: Pick<Summary, 'generatedAt'>;
  readonly freshness: FreshnessReport;
  /** Whether the summary leaves out facts. */
  readonly isDropped: boolean;
}

/** Counts each stale read, but logs each state only once. */
function noteStale(
  { platform, metrics, staleNotes }: ApiPorts,
  { scope, summary, freshness: { reason }, isDropped }: StaleRead,
): void {
  const { tenant, layer } = scope;
  if (reason !== null) metrics.count('memory_summary_stale_reads_total', { layer, reason });
  const state = reason === null ? null : [summary.generatedAt, reason, isDropped].join(' ');
  if (!staleNotes.recordIfChanged(scope, state)) return;
  const fields = { tenant, layer, reason };
  // The summary lost facts, so readers are affected at once: log a warning.
  if (isDropped) platform.log.warn(fields, 'stale summary served');
  else platform.log.info(fields, 'stale summary served');
}

function serveRules(
  { platform, modelOf }: ApiPorts,
  policy: TenantPolicy,
  { layer }: ScopeRecord,
): Omit<ServeRules, 'tokens'> {
  const layerPolicy = policy.layers[layer];
  const recipe = { layer: layerPolicy, model: modelOf(policy, layerPolicy.modelClass) };
  return {
    recipeHash: recipeHash(platform.digest, recipe),
    policy: layerPolicy,
    now: platform.clock(),
  };
}

/**
 * Returns dead letters, oldest first. @throws VarveError INVALID_INPUT, FORBIDDEN for a bound
 * principal
 */
export async function listDeadLetters(
  ports: ApiPorts,
  principal: Principal,
  { tenant, limit }: schemas.ListDeadLetters,
): Promise<schemas.DeadLetters> {
  authorizeTenant(principal, tenant);
  const all: schemas.DeadLetter[] = [];
  for await (const record of chosenScopes(ports, { tenant })) all.push(...deadLetterOf(record));
  all.sort((a, b) => a.since - b.since);
  return { deadLetters: all.slice(0, limit), total: all.length };
}

/**
 * Makes dead letters due again, with three new attempts. Scopes that wait after a failure or for
 * budget keep waiting.
 * @throws VarveError INVALID_INPUT, FORBIDDEN for a bound principal
 */
export async function retryDeadLetters(
  ports: ApiPorts,
  principal: Principal,
  { tenant, layer, scopeId }: schemas.RetryDeadLetters,
): Promise<schemas.Retried> {
  authorizeTenant(principal, tenant);
  const retried = await changeScopes(ports, { tenant, layer, scopeId }, applyRetry);
  if (retried > 0) {
    const { platform, store } = ports;
    await store.events.append({
      tenant,
      id: platform.newId(),
      at: platform.clock(),
      type: 'memory_refresh_retried',
      attributes: { scopes: retried, principal: principal.name },
    });
    await requestTenantRefresh(ports, tenant);
  }
  return { retried };
}

function deadLetterOf({ layer, scopeId, deadLetter, changes }: ScopeRecord): schemas.DeadLetter[] {
  if (deadLetter === null) return [];
  const { code, reason, at: since } = deadLetter;
  return [{ layer, scopeId, code, reason, since, changes }];
}
