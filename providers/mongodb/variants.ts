/** Variants: who reads which summaries, and what is owed to them. */
import {
  PLACE_KEPT_MS,
  VARIANTS_PER_SCOPE_MAX,
  type VariantRecords,
} from '#core/ports/variant-records.ts';
import type { Variant } from '#core/records/variant.ts';
import type { Scope } from '#core/scope.ts';

import { decodeRecord, encodeRecord, keyOf, type Fields } from './record-document.ts';
import { NEVER, scopeId as scopeKey, type ScopeDocuments } from './scope-document.ts';
import type { SummaryDocuments } from './summary-document.ts';
import { byId, type Table } from './table.ts';

export interface VariantDocument {
  readonly _id: Scope & { readonly audience: string };
  readonly record: Fields & { readonly version: number };
  readonly lastReadAt: number;
  readonly dueAt: number;
  /** 0 where there is no lease. */
  readonly leaseUntil: number;
}

export type VariantDocuments = Table<VariantDocument>;

export interface VariantTables {
  readonly variants: VariantDocuments;
  readonly scopes: ScopeDocuments;
  readonly summaries: SummaryDocuments;
}

/** Variants of one claim; a claim has far fewer. */
const LEASED_MAX = 10_000;
/** Variants removed to make room for one: a bound that was lowered takes effect in steps. */
const REMOVED_MAX = 100;

const SHAPE = { name: 'variants', key: ['tenant', 'layer', 'scopeId', 'audience'] } as const;
const BY_NAME = { '_id.layer': 1, '_id.scopeId': 1, '_id.audience': 1 } as const;

export function variantRecords(tables: VariantTables): VariantRecords {
  const { variants } = tables;
  return {
    async get({ tenant, layer, scopeId }, audience) {
      const found = await variants.first(byId(keyOf(SHAPE, { tenant, layer, scopeId, audience })));
      return found === null ? null : decode(found);
    },
    async ofScope(scope) {
      const selection = { sort: BY_NAME, limit: VARIANTS_PER_SCOPE_MAX };
      return (await variants.select(ofScope(scope), selection)).map(decode);
    },
    async due(tenant, { until, now, limit }) {
      const due = { '_id.tenant': tenant, dueAt: { $lte: until }, leaseUntil: { $lte: now } };
      const found = await variants.select(due, { sort: { dueAt: 1, ...BY_NAME }, limit });
      return found.map(decode);
    },
    async leased(tenant, by) {
      const ofLease =
        'claimId' in by
          ? { 'record.lease.claimId': by.claimId }
          : { 'record.lease.batchId': by.batchId };
      const selection = { sort: BY_NAME, limit: LEASED_MAX };
      return (await variants.select({ '_id.tenant': tenant, ...ofLease }, selection)).map(decode);
    },
    put: (variant) => putVariant(tables, variant),
  };
}

/** Removes every variant of a scope. */
export async function removeVariants(variants: VariantDocuments, scope: Scope): Promise<void> {
  await variants.removeAll(ofScope(scope));
}

/** A death leaves at most one variant too many, for which the next new one makes room. */
async function putVariant(tables: VariantTables, variant: Variant): Promise<boolean> {
  const document = encode(variant);
  if (variant.version > 1) {
    const before = { ...byId(document._id), 'record.version': variant.version - 1 };
    return tables.variants.replace(before, document);
  }
  if (!(await hasPlace(tables.variants, variant))) return false;
  if (!(await tables.variants.insert(document))) return false;
  await makeRoom(tables, variant);
  return true;
}

/** Whether there is a place among the variants of the scope, or one that is not kept. */
async function hasPlace(variants: VariantDocuments, variant: Variant): Promise<boolean> {
  const known = await variants.count(ofScope(variant), VARIANTS_PER_SCOPE_MAX);
  if (known < VARIANTS_PER_SCOPE_MAX) return true;
  const oldest = await variants.first(ofScope(variant), { lastReadAt: 1 });
  return oldest === null || oldest.lastReadAt <= variant.lastReadAt - PLACE_KEPT_MS;
}

async function makeRoom(
  { variants, scopes, summaries }: VariantTables,
  scope: Scope,
): Promise<void> {
  const beyond = (await variants.count(ofScope(scope))) - VARIANTS_PER_SCOPE_MAX;
  if (beyond <= 0) return;
  const selection = { sort: { lastReadAt: 1 }, limit: Math.min(beyond, REMOVED_MAX) } as const;
  for (const { _id } of await variants.select(ofScope(scope), selection)) {
    const { audience } = _id;
    // First the scope stops naming the text; by the revision no commit that is under way names it
    // again.
    const change = { $pull: { summaries: { audience } }, $inc: { revision: 1 } };
    await scopes.update({ ...byId(scopeKey(scope)), 'summaries.audience': audience }, change);
    await summaries.removeAll({ ...ofScope(scope), '_id.audience': audience });
    await variants.remove(byId(_id));
  }
}

function ofScope({ tenant, layer, scopeId }: Scope): Record<string, unknown> {
  return { '_id.tenant': tenant, '_id.layer': layer, '_id.scopeId': scopeId };
}

function encode(variant: Variant): VariantDocument {
  const { record } = encodeRecord<Variant>(SHAPE, variant);
  const { version, lastReadAt, dueAt, lease } = variant;
  return {
    _id: keyOf<Variant>(SHAPE, variant) as VariantDocument['_id'],
    record: { ...record, version },
    lastReadAt,
    dueAt: dueAt ?? NEVER,
    leaseUntil: lease?.until ?? 0,
  };
}

function decode(document: VariantDocument): Variant {
  return decodeRecord<Variant>(SHAPE, document);
}
