/** A new general summary ends the texts that were chosen from the old one: they are due again. */
import type { TenantPolicy } from '#core/records/policy.ts';
import type { Scope } from '#core/scope.ts';
import { afterGeneral } from '#core/variants/variant.ts';
import type { RefreshPorts } from '../refresh-ports.ts';

/** Repeatable. What a death leaves unmarked is marked by the next read. */
export async function markVariants(
  { store, platform }: Pick<RefreshPorts, 'store' | 'platform'>,
  policy: TenantPolicy,
  scope: Scope,
): Promise<void> {
  if (!policy.layers[scope.layer].personalized) return;
  const now = platform.clock();
  for (const variant of await store.variants.ofScope(scope)) {
    const marked = afterGeneral(variant, now);
    if (marked !== null) await store.variants.put(marked);
  }
}
