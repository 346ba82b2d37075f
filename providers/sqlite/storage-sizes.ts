/** Bytes of live content, summed over scope records, where each write keeps them. */
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Layer } from '#core/layer.ts';
import type { StorageSize } from '#core/ports/store.ts';

import type { Connection } from './connection.ts';

/** Scopes read before other work may go on: some milliseconds. */
const WINDOW_SCOPES = 2_000;

const WINDOW = `
  SELECT tenant, layer, scope_id, source_bytes AS bytes, source_count AS sources FROM scopes
  WHERE (tenant, layer, scope_id) > (?, ?, ?) ORDER BY tenant, layer, scope_id
  LIMIT ${WINDOW_SCOPES}`;

/** By tenant and layer, in their order; reads no more than the rows that are asked for need. */
export async function storageSizes(
  connection: Connection,
  limit: number,
): Promise<readonly StorageSize[]> {
  const sizes: StorageSize[] = [];
  for (let after = ['', '', '']; ; await nextTurn()) {
    const from = after;
    const rows = await connection.read(() => connection.all(WINDOW, from));
    for (const row of rows) {
      const tenant = String(row['tenant']);
      // Written from a parsed scope, so that the cast says what the column holds.
      const layer = row['layer'] as Layer;
      const last = sizes.at(-1);
      const isSame = last?.tenant === tenant && last.layer === layer;
      const { bytes, sources } = isSame ? last : { bytes: 0, sources: 0 };
      if (isSame) sizes.pop();
      if (sizes.length === limit) return sizes;
      sizes.push({
        tenant,
        layer,
        bytes: bytes + Number(row['bytes']),
        sources: sources + Number(row['sources']),
      });
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < WINDOW_SCOPES) return sizes;
    after = [String(last['tenant']), String(last['layer']), String(last['scope_id'])];
  }
}
