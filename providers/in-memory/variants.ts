/** Variants: who reads which summaries, and what is owed to them. */
import {
  PLACE_KEPT_MS,
  VARIANTS_PER_SCOPE_MAX,
  type VariantRecords,
} from '#core/ports/variant-records.ts';
import type { Variant } from '#core/records/variant.ts';
import type { Scope } from '#core/scope.ts';

import type { Database, Tables } from './database.ts';

export function variantRecords(database: Database): VariantRecords {
  const { tables } = database;
  return {
    get: ({ tenant, layer, scopeId }, audience) =>
      database.read(() => tables.variants.get(tenant, layer, scopeId, audience)),
    ofScope: (scope) => database.read(() => variantsOf(tables, scope)),
    due: (tenant, { until, now, limit }) =>
      database.read(() =>
        tables.variants
          .group(tenant)
          .filter((variant) => isDue(variant, { until, now }))
          .toSorted((a, b) => (a.dueAt ?? 0) - (b.dueAt ?? 0) || byName(a, b))
          .slice(0, limit),
      ),
    leased: (tenant, by) =>
      database.read(() =>
        tables.variants
          .group(tenant)
          .filter(({ lease }) =>
            'claimId' in by ? lease?.claimId === by.claimId : lease?.batchId === by.batchId,
          )
          .toSorted(byName),
      ),
    put: (variant) => database.write(() => putVariant(tables, variant)),
  };
}

/** Due variants of all tenants, each with its tenant and since when. */
export function dueVariants(tables: Tables, now: number): readonly Variant[] {
  return tables.variants.all().filter((variant) => isDue(variant, { until: now, now }));
}

/** Removes every variant of a scope; to be called within a write. */
export function removeVariants(tables: Tables, scope: Scope): void {
  for (const variant of variantsOf(tables, scope)) tables.variants.remove(variant);
}

function putVariant(tables: Tables, variant: Variant): boolean {
  const { tenant, layer, scopeId, audience, version } = variant;
  const before = tables.variants.get(tenant, layer, scopeId, audience);
  if ((before?.version ?? 0) !== version - 1) return false;
  if (before === null && !makeRoom(tables, variant)) return false;
  tables.variants.put(variant);
  return true;
}

/** Makes a place free among the variants of the scope; false where all places are kept. */
function makeRoom(tables: Tables, { lastReadAt: now, ...scope }: Variant): boolean {
  const others = variantsOf(tables, scope).toSorted((a, b) => b.lastReadAt - a.lastReadAt);
  const beyond = others.slice(VARIANTS_PER_SCOPE_MAX - 1);
  if (beyond.some(({ lastReadAt }) => lastReadAt > now - PLACE_KEPT_MS)) return false;
  for (const variant of beyond) {
    const { tenant, layer, scopeId, audience } = variant;
    tables.variants.remove(variant);
    const text = tables.summaries.get(tenant, layer, scopeId, audience);
    if (text !== null) tables.summaries.remove(text);
  }
  return true;
}

function variantsOf(tables: Tables, { tenant, layer, scopeId }: Scope): readonly Variant[] {
  return tables.variants
    .group(tenant)
    .filter((variant) => variant.layer === layer && variant.scopeId === scopeId)
    .toSorted(byName);
}

function isDue({ dueAt, lease }: Variant, { until, now }: { until: number; now: number }): boolean {
  return dueAt !== null && dueAt <= until && (lease === null || lease.until <= now);
}

function byName(a: Variant, b: Variant): number {
  const nameOf = ({ layer, scopeId, audience }: Variant) => [layer, scopeId, audience].join('\0');
  return nameOf(a) < nameOf(b) ? -1 : 1;
}
