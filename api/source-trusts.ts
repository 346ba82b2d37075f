/** How far the sources of a block are believed. */
import { VarveError } from '#core/errors.ts';
import type { Trust } from '#core/records/memory.ts';
import type { GivenLine } from './daily-lines.ts';
import type { ApiPorts } from './ports.ts';
import { mayName, type Principal } from './principal.ts';

/** Different sources of one block: many times the turns of a long session, and each is read. */
export const SOURCES_PER_BLOCK_MAX = 1_000;
/** Reads of one call at the same time; they leave room for those of others. */
const READS_AT_ONCE_MAX = 16;

/** Each source that lines name, once. @throws VarveError CONTENT_TOO_LONG with the maximum */
export function sourcesOf(given: readonly Pick<GivenLine, 'sources'>[]): ReadonlySet<string> {
  const ids = new Set(given.flatMap(({ sources }) => sources));
  if (ids.size <= SOURCES_PER_BLOCK_MAX) return ids;
  throw new VarveError('CONTENT_TOO_LONG', 'The block has too many sources; append it in parts.', {
    details: { sourcesMax: SOURCES_PER_BLOCK_MAX, sources: ids.size },
  });
}

/**
 * Of the sources that are memories which the caller may name. Others are kept as they are named,
 * as turns are, and say nothing: another tenant's is like one that is nowhere.
 */
export async function trustsOf(
  { store }: Pick<ApiPorts, 'store'>,
  principal: Principal,
  { tenant, sources }: { readonly tenant: string; readonly sources: ReadonlySet<string> },
): Promise<ReadonlyMap<string, Trust>> {
  const trusts = new Map<string, Trust>();
  const left = [...sources];
  const lane = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const memory = await store.memories.get(tenant, id);
      if (memory !== null && mayName(principal, memory)) trusts.set(id, memory.trust);
    }
  };
  await Promise.all(Array.from({ length: Math.min(READS_AT_ONCE_MAX, left.length) }, lane));
  return trusts;
}
