/**
 * Takes due variants under leases and packs them into batches, beside the scopes of a claim. The
 * leases store the plan, so a repeated call with the same claim id returns the same plan.
 */
import { BATCH_LEASE_MS } from '#core/refresh/batch-lease.ts';
import type { ClaimedBatch, ClaimKind } from '#core/refresh/refresh-contract.ts';
import { periodOf } from '#core/budget/budget-account.ts';
import { ITEMS_PER_BATCH_MAX } from '#core/refresh/plan-batches.ts';
import {
  planVariants,
  type DesiredVariant,
  hasVariantShare,
} from '#core/variants/plan-variants.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { Variant } from '#core/records/variant.ts';
import {
  holdVariant,
  FAILURE_HOLD_MS,
  leaseVariant,
  postponeVariant,
  SHARE_HELD_MS,
  variantDecision,
} from '#core/variants/variant-rules.ts';
import { claimedBatches } from '../claim-batches.ts';
import type { RefreshPorts } from '../refresh-ports.ts';
import { readVariantState } from './variant-batch.ts';

/** Variants judged in one claim. */
const CANDIDATES_MAX = 200;
/** Prefix of the id of a batch of variants. */
const VARIANT_BATCH = 'variants-';
/** Far enough for every due mark. */
const EVER_MS = 366 * 86_400_000;

interface VariantClaim {
  readonly tenant: string;
  readonly claimId: string;
  readonly kind: ClaimKind;
  readonly policy: TenantPolicy;
  /** Batches of the claim that its scopes left free. */
  readonly batchesMax: number;
}

export function isVariantBatch({ batchId }: { readonly batchId: string }): boolean {
  return batchId.startsWith(VARIANT_BATCH);
}

export async function claimVariants(
  ports: RefreshPorts,
  claim: VariantClaim,
): Promise<readonly ClaimedBatch[]> {
  const { tenant, claimId } = claim;
  const { variants } = ports.store;
  const earlier = await variants.leased(tenant, { claimId });
  if (earlier.length > 0) return claimedBatches(earlier);
  if (claim.batchesMax === 0) return [];
  const desired = await desiredOf(ports, claim);
  const limits = { itemsMax: ITEMS_PER_BATCH_MAX, batchesMax: claim.batchesMax };
  const taken: Variant[] = [];
  for (const { model, variants: planned } of planVariants(desired, limits)) {
    const batchId = `${VARIANT_BATCH}${ports.platform.newId()}`;
    const until = ports.platform.clock() + BATCH_LEASE_MS;
    for (const variant of planned) {
      const mine = leaseVariant(variant, { claimId, batchId, until, model });
      if (await variants.put(mine)) taken.push(mine);
    }
  }
  return claimedBatches(taken);
}

/** Returns the variants to make; settles the others on the way. */
async function desiredOf(
  ports: RefreshPorts,
  claim: VariantClaim,
): Promise<readonly DesiredVariant[]> {
  const { store, platform, models } = ports;
  const { tenant, kind, policy } = claim;
  const now = platform.clock();
  const until = kind === 'Stale' ? now + EVER_MS : now;
  const due = await store.variants.due(tenant, { until, now, limit: CANDIDATES_MAX });
  if (due.length === 0) return [];
  if (!(await hasShare(ports, claim))) {
    for (const variant of due) await store.variants.put(holdVariant(variant, now + SHARE_HELD_MS));
    return [];
  }
  const desired: DesiredVariant[] = [];
  const readers = new Set<string>();
  for (const variant of due) {
    // A reader takes at least one batch, so further readers would find no room.
    if (readers.size > claim.batchesMax) break;
    const state = await readVariantState(ports, policy, variant);
    const decision = variantDecision(state);
    if (decision !== 'Make') await store.variants.put(postponeVariant(variant, decision, now));
    else if (models.byName(state.model.name) === undefined) {
      await store.variants.put(holdVariant(variant, now + FAILURE_HOLD_MS));
    } else {
      desired.push({ variant, model: state.model.name });
      readers.add(variant.audience);
    }
  }
  return desired;
}

async function hasShare(
  { store, platform }: RefreshPorts,
  { tenant, policy }: VariantClaim,
): Promise<boolean> {
  const { budget } = policy;
  if (budget.limitTokens === null && budget.limitMicroDollars === null) return true;
  const period = periodOf(platform.clock());
  const account = await store.accounts.get(tenant, period, budget);
  return hasVariantShare(
    account,
    await store.accounts.used(tenant, { period, purpose: 'variant' }),
  );
}
