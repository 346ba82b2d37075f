/** Reads summaries as they may be served: one, or all that the identifiers open. */
import type * as schemas from './schemas/summary.ts';
import { GENERAL } from '#core/variants/audience.ts';
import type { Scope } from '#core/scope.ts';
import { accessibleScopes } from '#core/resolve-scope.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import { outdatedMarks } from '#core/recall/outdated/mark-outdated.ts';
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
import type { ApiPorts } from './api-ports.ts';
import { queryVector, relevances } from './relevant-layers.ts';
import { variantReadingOf, readVariant, type SummaryReader } from './read-variant.ts';
import { authorize, openScopes, type Principal } from './principal.ts';

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

/** Returns expired sources of a summary, which matter only until the next refresh. */
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

/** Returns the present form of what was written after the sources were read, newest first. */
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
