/** Lists of memories, a page after the other (MEM-12, MEM-13). */
import type { ListAnswer, ListRequest } from '#core/ports/memory-provider.ts';
import { cursorOf, readCursor } from './cursor.ts';
import type { Call } from './operation.ts';
import type { EnginePorts } from './ports.ts';

/** @throws VarveError INVALID_INPUT for a cursor of another list */
export async function listMemories(
  { store, platform }: EnginePorts,
  call: Call,
  request: ListRequest,
): Promise<ListAnswer> {
  const { scopes, conditions, order, cursor, limit } = request;
  const { digest } = platform;
  const after = cursor === null ? null : readCursor(digest, request, cursor);
  const query = {
    scopes,
    conditions: { ...conditions, now: platform.clock() },
    order,
    after,
    limit,
  };
  const page = await call.retried(() => store.memories.list(call.tenant, query));
  const last = page.memories.at(-1);
  return {
    memories: page.memories,
    nextCursor: page.more && last !== undefined ? cursorOf(digest, request, last.id) : null,
    totalCount: page.total,
  };
}
