/** Due variants to batches: those of one reader share a call, of two never (design 6.17). */
import type { Variant } from '../records/variant.ts';

export interface DesiredVariant {
  readonly variant: Variant;
  /** Name of the model that makes it. */
  readonly model: string;
}

export interface PlannedVariants {
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
