/** A batch of variants as its activities see it: leased variants, and what each is chosen from. */
import type { TenantPolicy } from '#core/records/policy.ts';
import { DEPTH_TOKENS_MAX, type Summary } from '#core/records/summary.ts';
import type { VariantLease } from '#core/records/variant.ts';
import { offeredFacts, type Offered } from '#core/segments/segment-facts.ts';
import { variantDecision } from '#core/variants/variant.ts';
import { itemId, type BatchKey, type BatchScope } from '../batch.ts';
import type { RefreshPorts } from '../refresh-ports.ts';
import type { Part } from '../scope-plan.ts';
import { readVariantState, type KnownVariant } from './variant-state.ts';

/** A variant that can be made, beside the task for the model. */
export interface VariantTask {
  readonly state: KnownVariant & { readonly general: Summary; readonly context: string };
  readonly part: Part;
}

export interface VariantBatch {
  readonly tasks: readonly VariantTask[];
  /** Those that cannot be made any more. */
  readonly others: readonly KnownVariant[];
}

/** The variants that a batch still holds. */
export async function loadVariants(
  ports: RefreshPorts,
  batch: BatchKey,
  policy: TenantPolicy,
): Promise<VariantBatch> {
  const tasks: VariantTask[] = [];
  const others: KnownVariant[] = [];
  for (const variant of await ports.store.variants.leased(batch.tenant, batch)) {
    const state = await readVariantState(ports, policy, variant);
    const task = taskOf(ports, policy, state);
    if (task === null) others.push(state);
    else tasks.push(task);
  }
  return { tasks, others };
}

/** Null where the variant can't be made, or is not wanted any more. */
export function taskOf(
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
  const facts: Offered[] = [
    ...offeredFacts(platform.digest, [{ segmentId: general.id, facts: general.facts }], tokens),
  ];
  return {
    scope,
    node: null,
    isRoot: true,
    offered: facts,
    question: {
      // Another generation is another task: an answer about the facts of an old one is useless.
      item: itemId(platform.digest, scope, general.id),
      layer: record.layer,
      depths: policy.layers[record.layer].depths,
      task: 'Select',
      tokensMax: DEPTH_TOKENS_MAX.detailed,
      audience: context,
      sources: facts.map(({ source }) => source),
    },
  };
}
