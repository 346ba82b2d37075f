/** Lists of memories: everything that is asked for is part of the query, before its limit. */
import type { ListQuery, MemoryPage } from '#core/ports/memory-records.ts';

import { inScope, meeting } from './filter-condition.ts';
import { decodeMemory, type MemoryDocuments } from './memory-documents.ts';

export async function listMemories(
  memories: MemoryDocuments,
  tenant: string,
  { scopes, conditions, order, after, limit }: ListQuery,
): Promise<MemoryPage> {
  if (scopes.length === 0) return { memories: [], more: false, total: 0 };
  const places = scopes.map(({ layer, scopeId }) => ({ 'c.layer': layer, 'c.scopeId': scopeId }));
  const [only] = scopes;
  const within =
    only !== undefined && scopes.length === 1
      ? inScope({ ...only, tenant })
      : { '_id.tenant': tenant, $or: places };
  const all = { ...within, ...meeting(conditions) };
  const isOldest = order === 'oldest';
  const beyond = after === null ? {} : { '_id.id': isOldest ? { $gt: after } : { $lt: after } };
  const sort = { '_id.id': isOldest ? 1 : -1 } as const;
  const found = await memories.select({ ...all, ...beyond }, { sort, limit: limit + 1 });
  const total = await memories.count(all);
  const page = found.slice(0, limit).flatMap((document) => decodeMemory(document) ?? []);
  return { memories: page, more: found.length > limit, total };
}
