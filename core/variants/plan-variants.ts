/**
 * Packs due variants into batches: variants of one reader share a call, those of different readers
 * never do (design 6.17).
 */
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
 * Packs variants of one tenant in the given order. Deterministic. Variants that do not fit stay
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
 * Adds the variants that are due soon to a window reading, earliest first. They never close an open
 * window: they are then made with the batches of that window.
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

/**
 * Share of each limit, including grants. General summaries come first, because all readers get
 * them.
 */
export const VARIANT_BUDGET_SHARE = 0.2;

/**
 * Returns whether variants may use more of a period's budget, given what they used and reserved.
 * Checked before a claim, so calls in flight may exceed the share; nothing exceeds the limit
 * itself.
 */
export function hasVariantShare(account: Account, used: Amount): boolean {
  const limits = { tokens: account.limitTokens, microDollars: account.limitMicroDollars };
  return (['tokens', 'microDollars'] as const).every((measure) => {
    const limit = limits[measure];
    if (limit === null) return true;
    return used[measure] < (limit + account.granted[measure]) * VARIANT_BUDGET_SHARE;
  });
}
