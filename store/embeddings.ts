/** Embedding generations: their states, their calibrations, and additional vectors of memories. */
import type { EmbeddingRecords } from '#core/ports/embedding-records.ts';
import * as kinds from './record-kinds-and-indexes.ts';
import { requireVector } from './memories.ts';
import type { MemorySearch } from './memory-search.ts';
import { putVersion, tenantsBy, type StoreParts } from './store-parts.ts';

export function embeddingRecords(parts: StoreParts, search: MemorySearch): EmbeddingRecords {
  const { driver, writes } = parts;
  const others = async (...of: Parameters<MemorySearch['othersWithVector']>) =>
    (await search.othersWithVector(...of)).map(({ id }) => id);
  return {
    state: (tenant) => driver.get(kinds.EMBEDDING_STATES, [tenant]),
    putState: (state) => putVersion(parts, kinds.EMBEDDING_STATES, [state.tenant], state),
    async tenants({ after, limit }) {
      const found = await tenantsBy(driver, kinds.SCOPES, { column: 'known', after, limit });
      return found.map(({ group }) => group);
    },
    changing: ({ after, limit }) =>
      driver.scan(kinds.EMBEDDING_STATES, {
        where: [
          ['tenant', '>', after ?? ''],
          ['changing', '>', ''],
        ],
        limit,
      }),
    calibration: (generation) => driver.get(kinds.CALIBRATIONS, [generation]),
    putCalibration: (calibration) =>
      writes.run(kinds.CALIBRATIONS, [calibration.generation], ({ set }) => {
        set(calibration);
      }),
    cached: (tenant, query) => search.cached(tenant, query),
    missing: (tenant, query) => search.missing(tenant, query),
    progress: (tenant, query) => search.progress(tenant, query),
    async putVectors(tenant, { generation, vectors, own }) {
      for (const { vector } of vectors) requireVector(vector);
      const given = new Map(vectors.map((each) => [each.id, each]));
      return changeVectors(parts, tenant, [...given.keys()], (memory) => {
        const each = given.get(memory.id);
        if (each?.contentHash !== memory.contentHash) return null;
        const others = memory.vectors?.filter((other) => other.generation !== generation) ?? [];
        const { vector } = each;
        return {
          ...memory,
          vectors: [...others, { generation, vector }],
          ...(own ? { embeddingGeneration: generation } : {}),
        };
      });
    },
    adopt: async (tenant, generation, limit) =>
      changeVectors(parts, tenant, await others(tenant, generation, limit), (memory) =>
        hasVector(memory, generation) ? { ...memory, embeddingGeneration: generation } : null,
      ),
    drop: async (tenant, generation, limit) =>
      changeVectors(parts, tenant, await others(tenant, generation, limit), (memory) => {
        if (memory.embeddingGeneration === generation || !hasVector(memory, generation))
          return null;
        const left = memory.vectors?.filter((each) => each.generation !== generation) ?? [];
        return { ...memory, vectors: left };
      }),
  };
}

function hasVector({ vectors }: kinds.StoredMemory, wanted: string): boolean {
  return vectors?.some(({ generation }) => generation === wanted) === true;
}

/**
 * Changes vectors of memories. Searches see the change; the records of their scopes stay the same.
 */
async function changeVectors(
  { driver, writes }: StoreParts,
  tenant: string,
  ids: readonly string[],
  change: (memory: kinds.StoredMemory) => kinds.StoredMemory | null,
): Promise<number> {
  const found = await driver.getMany(
    kinds.MEMORIES,
    ids.map((id) => [tenant, id]),
  );
  const there = found.filter((memory) => memory !== null);
  let changed = 0;
  for (const each of there) {
    const run = writes.run(kinds.SCOPES, kinds.scopeKeyOf(each), async ({ get, put }) => {
      const memory = await get(kinds.MEMORIES, [tenant, each.id]);
      const next = memory === null ? null : change(memory);
      if (next !== null) put(kinds.MEMORIES, next);
      return next !== null;
    });
    if (await run) changed += 1;
  }
  return changed;
}
