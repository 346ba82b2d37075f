/** Due variants to batches: those of one reader share a call, of two never (design 6.17). */
import type { Account, Amount } from '../records/account.ts';
import type { Variant } from '../records/variant.ts';
import { HORIZON_MS, type WindowReading } from '../refresh/refresh-contract.ts';

export interface DesiredVariant {
  readonly variant: Variant;
  /** Name of the model that makes it. */
  readonly model: string;
}

interface PlannedVariants {
  readonly model: string;
  readonly variants: readonly Variant[];
}

/**
 * Packs variants of one tenant in the given order. Deterministic. Variants that find no place stay
 * due.
 */
export function planVariants(
  wanted: readonly DesiredVariant[],
  { itemsMax, batchesMax }: { itemsMax: number; batchesMax: number },
): readonly PlannedVariants[] {
  const open: { key: string; model: string; variants: Variant[] }[] = [];
  for (const { variant, model } of wanted) {
    const key = JSON.stringify([variant.tenant, variant.audience, model]);
    const room = open.find((batch) => batch.key === key && batch.variants.length < itemsMax);
    if (room !== undefined) room.variants.push(variant);
    else if (open.length < batchesMax) open.push({ key, model, variants: [variant] });
  }
  return open.map(({ model, variants }) => ({ model, variants }));
}

/**
 * The reading of a window with the variants that are due soon, the earliest first. They close no
 * window that is open: then they are made with the batches of that window.
 */
export function withVariants(
  reading: WindowReading,
  due: readonly Variant[],
  now: number,
): WindowReading {
  const soon = due.filter(({ dueAt }) => dueAt !== null && dueAt <= now + HORIZON_MS);
  const [first] = soon;
  if (first === undefined) return reading;
  const layers = new Set([...layersOf(reading), ...soon.map(({ layer }) => layer)]);
  if (reading.kind === 'Open') {
    return { ...reading, pending: reading.pending + soon.length, layers: [...layers] };
  }
  return {
    kind: 'Open',
    wanted: reading.wanted,
    closesInMs: Math.max(0, (first.dueAt ?? now) - now),
    pending: soon.length,
    layers: [...layers],
    urgent: false,
  };
}

function layersOf(reading: WindowReading) {
  return reading.kind === 'Open' ? reading.layers : [];
}

/** Part of each limit, with its grants: the general summaries, which all readers get, go first. */
export const VARIANT_BUDGET_SHARE = 0.2;

/**
 * Whether variants may use more of a period's budget, given what they have used and reserved of it.
 * Looked at before a claim, so calls in flight may pass the share; the limit itself nothing passes.
 */
export function hasVariantShare(account: Account, used: Amount): boolean {
  const limits = { tokens: account.limitTokens, microDollars: account.limitMicroDollars };
  return (['tokens', 'microDollars'] as const).every((measure) => {
    const limit = limits[measure];
    if (limit === null) return true;
    return used[measure] < (limit + account.granted[measure]) * VARIANT_BUDGET_SHARE;
  });
}
