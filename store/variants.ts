/** Variants: who reads which summaries, and what is pending for these readers. */
import { PLACE_KEPT_MS, VARIANTS_PER_SCOPE_MAX, type VariantRecords } from '#core/ports/store.ts';
import type { Variant } from '#core/records/variant.ts';
import { equal } from './storage-driver.ts';
import * as kinds from './record-kinds-and-indexes.ts';
import { leasesToClamp, leasedBy, clampLeases } from './scopes.ts';
import type { StoreParts } from './store-parts.ts';
import type { Transaction } from './retry-concurrent-writes.ts';

export function variantRecords(parts: StoreParts): VariantRecords {
  const { driver } = parts;
  return {
    get: (scope, audience) => driver.get(kinds.VARIANTS, [...kinds.scopeKeyOf(scope), audience]),
    ofScope: (scope) =>
      driver.scan(kinds.VARIANTS, { where: kinds.ofScope(scope), limit: VARIANTS_PER_SCOPE_MAX }),
    due: (tenant, { until, now, limit }) =>
      driver.scan(kinds.VARIANTS, {
        where: [...equal({ tenant }), ['dueAt', '<=', until], ['leaseUntil', 'null or <=', now]],
        order: ['dueAt'],
        limit,
      }),
    leased: (tenant, by) => driver.scan(kinds.VARIANTS, leasedBy(tenant, by)),
    async clampLeases(clamp) {
      const found = await driver.scan(kinds.VARIANTS, leasesToClamp(clamp));
      return clampLeases(found, clamp, (variant) => putVariant(parts, variant));
    },
    put: (variant) => putVariant(parts, variant),
  };
}

function putVariant({ writes }: StoreParts, variant: Variant): Promise<boolean> {
  return writes.run(kinds.SCOPES, kinds.scopeKeyOf(variant), async (transaction) => {
    const key = [...kinds.scopeKeyOf(variant), variant.audience];
    const before = await transaction.get(kinds.VARIANTS, key);
    if ((before?.version ?? 0) !== variant.version - 1) return false;
    if (before === null && !(await makeRoom(transaction, variant))) return false;
    transaction.put(kinds.VARIANTS, variant);
    return true;
  });
}

/** Frees a place among the variants of the scope; returns false if all places must be kept. */
async function makeRoom(
  { scan, delete: remove }: Transaction<kinds.StoredScope>,
  variant: Variant,
): Promise<boolean> {
  const now = variant.lastReadAt;
  const all = await scan(kinds.VARIANTS, {
    where: kinds.ofScope(variant),
    order: ['lastReadAt'],
    descending: true,
    // More than the limit, so that a lowered limit takes effect at once.
    limit: 2 * VARIANTS_PER_SCOPE_MAX,
  });
  const beyond = all.slice(VARIANTS_PER_SCOPE_MAX - 1);
  if (beyond.some(({ lastReadAt }) => lastReadAt > now - PLACE_KEPT_MS)) return false;
  for (const { audience } of beyond) {
    const key = [...kinds.scopeKeyOf(variant), audience];
    remove(kinds.VARIANTS, key);
    remove(kinds.SUMMARIES, key);
    remove(kinds.CITATIONS, key);
  }
  return true;
}
