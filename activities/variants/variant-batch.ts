/** A batch of variants as its activities see it: leased variants, and what each is chosen from. */
import type { ErrorCode } from '#core/error-codes.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import { DEPTH_TOKENS_MAX, type Summary } from '#core/records/summary.ts';
import type { VariantLease, Variant } from '#core/records/variant.ts';
import { asOneList } from '#core/refresh/compose-depths.ts';
import { recipeHash, type RecipeModel } from '#core/refresh/recipe.ts';
import { isUnavailable } from '#core/refresh/retries-and-dead-letters.ts';
import { servedSummary } from '#core/refresh/served-summary.ts';
import { offeredFacts, type Offered } from '#core/segments/segment-facts.ts';
import { personalizationContext, scopeOfAudience } from '#core/variants/audience.ts';
import {
  variantDecision,
  giveBackVariant,
  postponeVariant,
  type VariantState,
  retryVariantLater,
  holdVariant,
  FAILURE_HOLD_MS,
  variantRecipeHash,
} from '#core/variants/variant-rules.ts';
import { batchItemId, type BatchKey, type BatchScope } from '../load-batch.ts';
import { settleLostAttempts } from '../settle-lost-reservations.ts';
import type { RefreshPorts } from '../refresh-ports.ts';
import type { Part } from '../plan-segments.ts';

/** A variant that can be made, with the task for the model. */
export interface VariantTask {
  readonly state: KnownVariant & { readonly general: Summary; readonly context: string };
  readonly part: Part;
}

interface VariantBatch {
  readonly tasks: readonly VariantTask[];
  /** Variants that can no longer be made. */
  readonly others: readonly KnownVariant[];
}

/** Returns the variants that a batch still holds. */
export async function loadVariants(
  ports: RefreshPorts,
  batch: BatchKey,
  policy: TenantPolicy,
): Promise<VariantBatch> {
  const tasks: VariantTask[] = [];
  const others: KnownVariant[] = [];
  for (const variant of await ports.store.variants.leased(batch.tenant, batch)) {
    const state = await readVariantState(ports, policy, variant);
    const task = variantTask(ports, policy, state);
    if (task === null) others.push(state);
    else tasks.push(task);
  }
  return { tasks, others };
}

/** Returns the task of a variant; null if it cannot be made, or is no longer needed. */
export function variantTask(
  ports: RefreshPorts,
  policy: TenantPolicy,
  state: KnownVariant,
): VariantTask | null {
  const { general, context } = state;
  const { lease } = state.variant;
  if (lease === null || general === null || context === null) return null;
  if (variantDecision(state) !== 'Make') return null;
  const task = { ...state, general, context };
  return { state: task, part: partOf(ports, policy, { task, lease }) };
}

function partOf(
  { platform, tokens }: RefreshPorts,
  policy: TenantPolicy,
  { task, lease }: { task: VariantTask['state']; lease: VariantLease },
): Part {
  const { record, variant, general, context, recipeHash } = task;
  const { sourceHash, trigger } = general;
  const claimed = { ...lease, sourceHash, trigger, recipeHash, changes: record.changes };
  const { audience } = variant;
  const scope: BatchScope = { record, lease: claimed, audience, about: context, sources: [] };
  const listed = [...asOneList(general.facts)];
  const facts: Offered[] = [
    ...offeredFacts(platform.digest, [{ segmentId: general.id, facts: listed }], tokens),
  ];
  return {
    scope,
    node: null,
    isRoot: true,
    offered: facts,
    question: {
      // A new general summary is a new task: an answer about the facts of an old one is useless.
      item: batchItemId(platform.digest, scope, general.id),
      layer: record.layer,
      depths: policy.layers[record.layer].depths,
      task: 'Select',
      tokensMax: DEPTH_TOKENS_MAX.detailed,
      audience: context,
      sources: facts.map(({ source }) => source),
    },
  };
}

/** Conflicting writes by readers that are tolerated; after that the end of the lease settles it. */
const TRIES_MAX = 8;

/** Changes a variant of a batch; does nothing if the batch no longer holds it. */
export async function settleVariant(
  { store }: Pick<RefreshPorts, 'store'>,
  variant: Variant,
  change: (current: Variant) => Variant,
): Promise<void> {
  let current: Variant | null = variant;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    if (current === null || current.lease?.batchId !== variant.lease?.batchId) return;
    if (await store.variants.put(change(current))) return;
    current = await store.variants.get(variant, variant.audience);
  }
}

/** Gives back a claimed variant that is not made now, and records what it needs. */
export async function unclaimVariant(
  ports: Pick<RefreshPorts, 'store'>,
  state: VariantState,
): Promise<void> {
  const decision = variantDecision(state);
  const { variant, now } = state;
  await settleVariant(ports, variant, (current) =>
    decision === 'Make' ? giveBackVariant(current, now) : postponeVariant(current, decision, now),
  );
}

/** Gives back the variants of a batch, and records a failure if they had one. */
export async function releaseVariants(
  ports: RefreshPorts,
  { tenant, batchId, code }: BatchKey & { readonly code: ErrorCode },
): Promise<void> {
  await settleLostAttempts(ports, { tenant, batchId });
  // They come back in another batch, so the answers for this one are useless.
  await ports.store.answers.close(tenant, batchId);
  const now = ports.platform.clock();
  for (const variant of await ports.store.variants.leased(tenant, { batchId })) {
    await settleVariant(ports, variant, (current) =>
      code === 'BUDGET_EXHAUSTED' || isUnavailable(code)
        ? holdVariant(current, now + FAILURE_HOLD_MS)
        : retryVariantLater(current, now),
    );
  }
}

interface KnownVariant extends VariantState {
  readonly model: RecipeModel;
  /** What the context was taken from, in words without any of its text; null without a context. */
  readonly contextOrigin: string | null;
}

/** Reads everything that the decision on a variant rests on, as it is now. */
export async function readVariantState(
  ports: RefreshPorts,
  policy: TenantPolicy,
  variant: Variant,
): Promise<KnownVariant> {
  const { store, platform } = ports;
  const { audience } = variant;
  // Read the scope first: if it is written after that, the commit fails by its version.
  const record = await store.scopes.get(variant);
  const layer = policy.layers[variant.layer];
  const model = ports.models.ofClass(layer.modelClass);
  const own = recipeHash(platform.digest, { layer, model });
  return {
    variant,
    isPersonalized: layer.personalized,
    record,
    general: await store.summaries.get(variant, ''),
    made: await store.summaries.get(variant, audience),
    recipeHash: variantRecipeHash(platform.digest, own, audience),
    ...(await readContext(ports, policy, variant)),
    now: platform.clock(),
    model,
  };
}

/**
 * Reads what may be served of the audience's own summary, without what was deleted. The text is
 * shown to the model and stored nowhere else: a copy in another scope would outlive a deletion.
 */
async function readContext(
  ports: RefreshPorts,
  policy: TenantPolicy,
  { tenant, audience }: Variant,
): Promise<Pick<KnownVariant, 'context' | 'contextOrigin'>> {
  const nothing = { context: null, contextOrigin: null };
  const scope = scopeOfAudience(tenant, audience);
  if (scope === null) return nothing;
  const { store, tokens, platform } = ports;
  const record = await store.scopes.get(scope);
  const summary = await store.summaries.get(scope, '');
  if (summary === null) return nothing;
  // Freshness does not matter here; only what was dropped from the summary does.
  const now = platform.clock();
  const rules = { recipeHash: '', policy: policy.layers[scope.layer], now, tokens };
  const context = personalizationContext(servedSummary(summary, record, rules), tokens);
  const contextOrigin = context === null ? null : `summary ${summary.id} of the ${scope.layer}`;
  return { context, contextOrigin };
}
