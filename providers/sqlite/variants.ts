/** Variants: who reads which summaries, and what is owed to them. */
import {
  PLACE_KEPT_MS,
  VARIANTS_PER_SCOPE_MAX,
  type VariantRecords,
} from '#core/ports/variant-records.ts';
import type { Variant } from '#core/records/variant.ts';
import type { Scope } from '#core/scope.ts';

import type { Connection } from './connection.ts';
import { removeSummary } from './lineage.ts';
import { recordTable, type RecordTable } from './record-table.ts';

type VariantTable = RecordTable<Variant>;

const OF_SCOPE = 'tenant = ? AND layer = ? AND scope_id = ?';
const NOT_LEASED = '(lease_until IS NULL OR lease_until <= ?)';

export function variantRecords(connection: Connection): VariantRecords {
  const variants = variantTable(connection);
  return {
    get: ({ tenant, layer, scopeId }, audience) =>
      connection.read(() => variants.find(tenant, layer, scopeId, audience)),
    ofScope: ({ tenant, layer, scopeId }) =>
      connection.read(() =>
        variants.select(`${OF_SCOPE} ORDER BY audience LIMIT ?`, [
          tenant,
          layer,
          scopeId,
          VARIANTS_PER_SCOPE_MAX,
        ]),
      ),
    due: (tenant, { until, now, limit }) =>
      connection.read(() =>
        variants.select(
          `tenant = ? AND due_at <= ? AND ${NOT_LEASED}
           ORDER BY due_at, layer, scope_id, audience LIMIT ?`,
          [tenant, until, now, limit],
        ),
      ),
    leased: (tenant, by) =>
      connection.read(() => {
        const [column, id] =
          'claimId' in by ? ['lease_claim_id', by.claimId] : ['lease_batch_id', by.batchId];
        const ofLease = `tenant = ? AND ${column} = ? ORDER BY layer, scope_id, audience`;
        return variants.select(ofLease, [tenant, id]);
      }),
    put: (variant) =>
      connection.write(() => {
        const { tenant, layer, scopeId, audience, version } = variant;
        const before = variants.find(tenant, layer, scopeId, audience);
        if ((before?.version ?? 0) !== version - 1) return false;
        if (before === null && !makeRoom(connection, variants, variant)) return false;
        variants.put(variant);
        return true;
      }),
  };
}

/** Removes every variant of a scope; to be called within a transaction. */
export function removeVariants(connection: Connection, { tenant, layer, scopeId }: Scope): void {
  connection.run(`DELETE FROM variants WHERE ${OF_SCOPE}`, [tenant, layer, scopeId]);
}

function variantTable(connection: Connection): VariantTable {
  return recordTable<Variant>(connection, {
    name: 'variants',
    key: ['tenant', 'layer', 'scope_id', 'audience'],
    columns: {
      tenant: 'tenant',
      layer: 'layer',
      scope_id: 'scopeId',
      audience: 'audience',
      last_read_at: 'lastReadAt',
      due_at: 'dueAt',
      version: 'version',
    },
    derived: {
      lease_until: ({ lease }) => lease?.until ?? null,
      lease_claim_id: ({ lease }) => lease?.claimId ?? null,
      lease_batch_id: ({ lease }) => lease?.batchId ?? null,
    },
  });
}

/** Makes a place free among the variants of the scope; false where all places are kept. */
function makeRoom(connection: Connection, variants: VariantTable, variant: Variant): boolean {
  const { tenant, layer, scopeId, lastReadAt: now } = variant;
  // Without a limit at the end, so that a lowered bound takes effect at once.
  const beyond = variants.select(`${OF_SCOPE} ORDER BY last_read_at DESC LIMIT -1 OFFSET ?`, [
    tenant,
    layer,
    scopeId,
    VARIANTS_PER_SCOPE_MAX - 1,
  ]);
  if (beyond.some(({ lastReadAt }) => lastReadAt > now - PLACE_KEPT_MS)) return false;
  for (const { audience } of beyond) {
    variants.remove(tenant, layer, scopeId, audience);
    removeSummary(connection, variant, audience);
  }
  return true;
}
