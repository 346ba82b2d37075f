/**
 * Activity: takes due scopes under leases and packs them into batches. The leases store the plan,
 * so a repeated call with the same claim id returns the same plan, and a lost run loses nothing.
 */
import { askedTexts, callSizes, type AskedTexts, type CallSizes } from '#core/refresh/call-size.ts';
import { BATCH_LEASE_MS } from '#core/refresh/batch-lease.ts';
import { claimDecision, citedIds, isSkippedByClaim } from '#core/refresh/claim-decision.ts';
import type { ClaimedBatch, ClaimKind, ClaimReport } from '#core/refresh/refresh-contract.ts';
import {
  BATCHES_PER_CLAIM_MAX,
  byUrgency,
  ITEMS_PER_BATCH_MAX,
  planBatches,
  type PlannedModel,
} from '#core/refresh/plan-batches.ts';
import type { ModelClass } from '#core/records/model-class.ts';
import type { LayerPolicy, TenantPolicy } from '#core/records/policy.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import { recipeHash } from '#core/refresh/recipe.ts';
import type { Lease, ScopeRecord } from '#core/records/scope-record.ts';
import type { Summary, Usage } from '#core/records/summary.ts';
import { applyCommit, NO_SOURCES } from '#core/refresh/scope-transitions.ts';
import { applyUnavailable, waitsForBudget } from '#core/refresh/retries-and-dead-letters.ts';
import { isSegmented, sourceWeight } from '#core/segments/segment-sizes.ts';
import { freshnessOf } from '#core/refresh/staleness.ts';
import { policyToRefreshBy } from '#core/policy/policy-in-force.ts';
import { selectScopesPastWindow } from '#core/refresh/batch-window.ts';
import { clampFutureLeases } from './clamp-future-leases.ts';
import { modelNamed } from './load-batch.ts';
import { roomForItems } from './summary-model-call.ts';
import type { Models, RefreshPorts } from './refresh-ports.ts';
import { duePolicyOf } from '#core/refresh/when-to-refresh.ts';

/** Scopes judged in one claim. */
const CANDIDATES_MAX = 200;
/** Due scopes read at most; those whose batch window is still open are skipped. */
const DUE_SCOPES_MAX = 1_000;
/** Scopes read when every stale one is requested: any scope with a summary may have a due mark. */
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
  if (earlier.length > 0)
    return { batches: claimedBatches(earlier.toSorted(byUrgency)), unchanged: 0, emptied: 0 };

  const policy = await policyToRefreshBy(ports.store.policies, tenant);
  if (policy === null) return { batches: [], unchanged: 0, emptied: 0 };
  // The library has no tick that does this.
  await clampFutureLeases(ports, tenant);
  const settled = { Unchanged: 0, Empty: 0 };
  const toGenerate: ScopeRecord[] = [];
  let judged = 0;
  for (const record of await candidates(ports, input, policy)) {
    const summary = await ports.store.summaries.get(record, '');
    const now = ports.platform.clock();
    const rules = { recipeHash: recipeOf(ports, policy, record), now };
    const layer = policy.layers[record.layer];
    const freshness = freshnessOf({ summary, scope: record, policy: layer, ...rules });
    if (
      isSkippedByClaim(record, summary, {
        freshness,
        extractiveFallback: extractiveFallback(ports, layer),
        now,
      })
    )
      continue;
    judged += 1;
    const { skipIfUnchanged } = layer;
    const decision = claimDecision(record, summary, { ...rules, skipIfUnchanged });
    if (decision === 'Generate' && !isServed(ports, layer)) await holdBack(ports, record);
    else if (decision === 'Generate') toGenerate.push(record);
    else if (await closeWithoutModel(ports, policy, { record, summary })) settled[decision] += 1;
    if (judged >= CANDIDATES_MAX) break;
  }
  const leased = await leaseAll(ports, policy, { scopes: toGenerate, claimId });
  const batches = claimedBatches(leased.toSorted(byUrgency));
  return { batches, unchanged: settled.Unchanged, emptied: settled.Empty };
}

/** Whether the model of a layer is available. */
function isServed({ models }: RefreshPorts, { modelClass }: LayerPolicy): boolean {
  return models.byName(models.ofClass(modelClass).name) !== undefined;
}

/** Makes a scope wait for the model that its policy names; no other model may read its sources. */
async function holdBack({ store, platform }: RefreshPorts, record: ScopeRecord): Promise<void> {
  // If the scope changed meanwhile, the next claim looks at it again.
  await store.scopes.replace(applyUnavailable(record, platform.clock(), 'NOT_FOUND'));
}

async function candidates(
  { store, platform }: RefreshPorts,
  { tenant, kind }: ClaimInput,
  policy: TenantPolicy,
): Promise<readonly ScopeRecord[]> {
  const now = platform.clock();
  if (kind === 'Stale') {
    const rules = { until: now + EVER_MS, now, limit: STALE_CANDIDATES_MAX };
    return (await store.scopes.due(tenant, rules)).filter((record) => !isResting(record, now));
  }
  const due = await store.scopes.due(tenant, { until: now, now, limit: DUE_SCOPES_MAX });
  return kind === 'Due' ? due : selectScopesPastWindow(due, { policy, now });
}

/**
 * After a failure of the scope, the pause holds for every caller: rounds in quick succession would
 * make the scope a dead letter within a second. An operator ends it with `summaries retry`.
 */
function isResting(record: ScopeRecord, now: number): boolean {
  const { hold, deadLetter, dueAt } = record;
  if (deadLetter !== null) return (dueAt ?? Infinity) > now;
  return hold !== null && hold.until > now && !waitsForBudget(record);
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
      // The record may keep the expiry of a deleted source; an empty scope has nothing to expire.
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
  const measured = measuredModels(models);
  const modelOf = (scope: ScopeRecord) => measured(policy.layers[scope.layer].modelClass);
  const batches = planBatches(scopes, {
    modelOf,
    sizeOf: (scope) =>
      sizeOf(scope, { ...modelOf(scope), asked: askedTexts(policy.layers[scope.layer]) }),
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
        until: now + BATCH_LEASE_MS,
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

interface MeasuredModel extends PlannedModel {
  readonly model: SummaryModel;
  readonly sizes: CallSizes;
}

/** Measures the fixed size of each model's calls once per claim. */
function measuredModels(models: Models): (modelClass: ModelClass) => MeasuredModel {
  const measured = new Map<ModelClass, MeasuredModel>();
  return (modelClass) => {
    const known = measured.get(modelClass);
    if (known !== undefined) return known;
    const model = modelNamed(models, models.ofClass(modelClass).name);
    const sizes = callSizes(model);
    const made = { model, sizes, name: model.name, room: roomForItems(model, sizes) };
    measured.set(modelClass, made);
    return made;
  };
}

/** A segmented scope takes a whole call at a time, which its segments fill. */
function sizeOf(
  { sourceCount: count, sourceTokens: tokens }: ScopeRecord,
  { model, sizes, room, asked }: MeasuredModel & { readonly asked: AskedTexts },
): Usage {
  if (isSegmented(sourceWeight({ tokens, count }), model)) return room;
  return sizes.sizeOf({ task: 'Extract', ...asked, sources: count, tokens });
}

/** Name of the extractive fallback; null if the layer's own model is the extractive one. */
function extractiveFallback({ models }: RefreshPorts, { modelClass }: LayerPolicy): string | null {
  const { name } = models.extractive;
  return models.ofClass(modelClass).name === name ? null : name;
}

function recipeOf(ports: RefreshPorts, policy: TenantPolicy, scope: ScopeRecord): string {
  const layer = policy.layers[scope.layer];
  const model = ports.models.ofClass(layer.modelClass);
  return recipeHash(ports.platform.digest, { layer, model });
}

type Leased = Pick<ScopeRecord, 'layer'> & {
  readonly lease: Pick<Lease, 'batchId' | 'model'> | null;
  /** Absent for a variant, which reads a few facts and no sources. */
  readonly sourceTokens?: number;
};

/** The batches of what is leased, in its order. */
export function claimedBatches(leased: readonly Leased[]): readonly ClaimedBatch[] {
  const batches = Map.groupBy(leased, ({ lease }) => lease?.batchId ?? '');
  return [...batches].map(([batchId, items]) => ({
    batchId,
    model: items[0]?.lease?.model ?? '',
    layers: [...new Set(items.map(({ layer }) => layer))],
    items: items.length,
    sourceTokens: items.reduce((sum, { sourceTokens = 0 }) => sum + sourceTokens, 0),
  }));
}
