/** Touches: which memories changed since an index in memory last looked, in order. */
import type { Memory } from '#core/records/memory.ts';

import type { Connection } from './connection.ts';

export type TouchedKey = Pick<Memory, 'tenant' | 'layer' | 'scopeId' | 'id'>;

/**
 * Gives the memory a higher `seq` than any before; to be called in the transaction of every add,
 * change and deletion, and where its vectors change.
 */
export function touch(connection: Connection, { tenant, layer, scopeId, id }: TouchedKey): void {
  connection.run(
    `INSERT OR REPLACE INTO memory_touches (tenant, layer, scope_id, memory_id)
     VALUES (?, ?, ?, ?)`,
    [tenant, layer, scopeId, id],
  );
}
