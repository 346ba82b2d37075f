/**
 * Activity: takes due scopes under leases and packs them into batches. The plan lies in the leases,
 * so a repeated call under the same claim id answers the same plan, and a lost run loses nothing.
 */
import { claimDecision, citedIds } from '#core/claim.ts';
import { LEASE_MS, type ClaimedBatch, type ClaimKind, type ClaimReport } from '#core/contract.ts';
import {
  BATCHES_PER_CLAIM_MAX,
  byUrgency,
  ITEMS_PER_BATCH_MAX,
  planBatches,
} from '#core/plan-batches.ts';
import type { TenantPolicy } from '#core/policy.ts';
import { recipeHash } from '#core/recipe.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Summary } from '#core/records/summary.ts';
import { applyCommit, NO_SOURCES } from '#core/scope-change.ts';
import { freshnessOf, type StalenessInput } from '#core/staleness.ts';
import { duePolicyOf, policyInForce } from '#core/tenant-policy.ts';
import type { RefreshPorts } from './refresh-ports.ts';

/** Scopes judged in one claim. */
const CANDIDATES_MAX = 200;
/** Scopes looked at when every stale one is asked for: each that has a summary is due some day. */
const STALE_CANDIDATES_MAX = 10_000;
/** Far enough for every due mark that a policy can set. */
const EVER_MS = 10 * 366 * 86_400_000;

interface ClaimInput {
  readonly tenant: string;
  readonly claimId: string;
  readonly kind: ClaimKind;
}

export async function claimBatches(ports: RefreshPorts, input: ClaimInput): Promise<ClaimReport> {
  const { tenant, claimId } = input;
  const { scopes } = ports.store;
  const earlier = await scopes.leased(tenant, { claimId });
  if (earlier.length > 0) return { batches: report(earlier), unchanged: 0, emptied: 0 };

  const policy = await policyInForce(ports.store.policies, tenant);
  const settled = { Unchanged: 0, Empty: 0 };
  const toGenerate: ScopeRecord[] = [];
  let judged = 0;
  for (const record of await candidates(ports, input)) {
    const summary = await ports.store.summaries.get(record, '');
    const now = ports.platform.clock();
    const rules = { recipeHash: recipeOf(ports, policy, record), now };
    const layer = policy.layers[record.layer];
    if (!isWanted(record, now) && isFresh({ summary, scope: record, policy: layer, ...rules })) {
      continue;
    }
    judged += 1;
    const { skipIfUnchanged } = layer;
    const decision = claimDecision(record, summary, { ...rules, skipIfUnchanged });
    if (decision === 'Generate') toGenerate.push(record);
    else if (await closeWithoutModel(ports, policy, { record, summary })) settled[decision] += 1;
    if (judged >= CANDIDATES_MAX) break;
  }
  const leased = await leaseAll(ports, policy, { scopes: toGenerate, claimId });
  return { batches: report(leased), unchanged: settled.Unchanged, emptied: settled.Empty };
}

async function candidates(
  { store, platform }: RefreshPorts,
  { tenant, kind }: ClaimInput,
): Promise<readonly ScopeRecord[]> {
  const now = platform.clock();
  return kind === 'Due'
    ? store.scopes.due(tenant, { until: now, now, limit: CANDIDATES_MAX })
    : store.scopes.due(tenant, { until: now + EVER_MS, now, limit: STALE_CANDIDATES_MAX });
}

/** Changed, due, or with a source that ended; any other scope is claimed only if it is stale. */
function isWanted({ changes, dueAt, nextExpiryAt }: ScopeRecord, now: number): boolean {
  return changes > 0 || isPast(dueAt, now) || isPast(nextExpiryAt, now);
}

function isPast(at: number | null, now: number): boolean {
  return at !== null && at <= now;
}

function isFresh(input: StalenessInput): boolean {
  return freshnessOf(input).kind === 'Fresh';
}

/** Records that a scope was found equal to its sources, or that it has none left. */
async function closeWithoutModel(
  { store, platform }: RefreshPorts,
  policy: TenantPolicy,
  { record, summary }: { record: ScopeRecord; summary: Summary | null },
): Promise<boolean> {
  const now = platform.clock();
  const { tenant, layer } = record;
  const empty = record.sourceCount === 0;
  const scope = applyCommit(
    record,
    {
      ...record,
      // The record keeps the expiry of a source that was deleted before it; nothing is left to end.
      ...(empty ? NO_SOURCES : {}),
      cited: citedIds(summary),
      generated: false,
    },
    { policy: duePolicyOf(policy, layer), now },
  );
  return store.summaries.commit({
    summary: null,
    scope,
    outcome: empty ? 'Emptied' : 'Unchanged',
    event: {
      tenant,
      id: platform.newId(),
      at: now,
      type: empty ? 'memory_summary_emptied' : 'memory_summary_checked',
      attributes: { layer, trigger: record.dueTrigger ?? 'Requested' },
    },
  });
}

async function leaseAll(
  ports: RefreshPorts,
  policy: TenantPolicy,
  { scopes, claimId }: { scopes: readonly ScopeRecord[]; claimId: string },
): Promise<readonly ScopeRecord[]> {
  const { platform, models, store } = ports;
  const modelOf = (scope: ScopeRecord) => models.ofClass(policy.layers[scope.layer].modelClass);
  const inputTokensMax = Math.min(...scopes.map((scope) => modelOf(scope).inputTokensMax));
  const batches = planBatches(scopes, (scope) => modelOf(scope).name, {
    inputTokensMax,
    itemsMax: ITEMS_PER_BATCH_MAX,
    batchesMax: BATCHES_PER_CLAIM_MAX,
  });
  const now = platform.clock();
  const claims = batches.flatMap(({ model, scopes: planned }) => {
    const batchId = platform.newId();
    return planned.map((scope) => ({
      scope,
      lease: {
        claimId,
        batchId,
        until: now + LEASE_MS,
        sourceHash: scope.sourceHash,
        changes: scope.changes,
        trigger: scope.dueTrigger ?? ('Requested' as const),
        recipeHash: recipeOf(ports, policy, scope),
        model,
      },
    }));
  });
  return claims.length === 0 ? [] : store.scopes.lease(claims, now);
}

function recipeOf(ports: RefreshPorts, policy: TenantPolicy, scope: ScopeRecord): string {
  const layer = policy.layers[scope.layer];
  const model = ports.models.ofClass(layer.modelClass);
  return recipeHash(ports.platform.digest, { layer, model });
}

/** The batches of leased scopes, the most urgent first. */
function report(leased: readonly ScopeRecord[]): readonly ClaimedBatch[] {
  const batches = Map.groupBy(leased.toSorted(byUrgency), (scope) => scope.lease?.batchId ?? '');
  return [...batches].map(([batchId, scopes]) => ({
    batchId,
    model: scopes[0]?.lease?.model ?? '',
    layers: [...new Set(scopes.map((scope) => scope.layer))],
    items: scopes.length,
    sourceTokens: scopes.reduce((sum, scope) => sum + scope.sourceTokens, 0),
  }));
}
