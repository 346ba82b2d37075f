/** How much is kept, by tenant and layer: sums over scopes, which every write keeps true. */
import { Layer } from '#core/layer.ts';
import type { StorageSize } from '#core/ports/store.ts';

import type { ScopeDocuments } from './scope-document.ts';

export async function storageSizes(
  scopes: ScopeDocuments,
  limit: number,
): Promise<readonly StorageSize[]> {
  const rows = await scopes.aggregate([
    { $match: { 'record.version': { $gt: 0 } } },
    {
      $group: {
        _id: { tenant: '$_id.tenant', layer: '$_id.layer' },
        bytes: { $sum: '$record.sourceBytes' },
        sources: { $sum: '$record.sourceCount' },
      },
    },
    { $sort: { _id: 1 } },
    { $limit: Math.max(1, limit) },
  ]);
  return rows.slice(0, limit).map((row) => {
    const { tenant, layer } = row['_id'] as { tenant: unknown; layer: unknown };
    return {
      tenant: String(tenant),
      layer: Layer.parse(layer),
      bytes: Number(row['bytes']),
      sources: Number(row['sources']),
    };
  });
}
