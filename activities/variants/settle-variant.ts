/** Writes what became of a claimed variant, whoever read it in between. */
import type { Variant } from '#core/records/variant.ts';
import { givenBack, settled, variantDecision, type VariantState } from '#core/variants/variant.ts';
import type { RefreshPorts } from '../refresh-ports.ts';

/** Readers that may note their read in between; after that the end of the lease settles it. */
const TRIES_MAX = 8;

/** Does nothing where the batch does not hold the variant any more. */
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

/** Gives a claimed variant back that is not made now, by what it needs. */
export async function giveUpVariant(
  ports: Pick<RefreshPorts, 'store'>,
  state: VariantState,
): Promise<void> {
  const decision = variantDecision(state);
  const { variant, now } = state;
  await settleVariant(ports, variant, (current) =>
    decision === 'Make' ? givenBack(current, now) : settled(current, decision, now),
  );
}
