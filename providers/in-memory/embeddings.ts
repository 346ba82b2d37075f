/** Vectors beside memories, and which generation a tenant's memories are compared by. */
import { isLive } from '#core/memory-state.ts';
import type { EmbeddingRecords } from '#core/ports/embedding-records.ts';
import type { EmbeddingState } from '#core/records/embedding-state.ts';

import type { Database, Tables } from './database.ts';
import { noteGenerations, requireVectors, vectorsOf } from './memory-row.ts';
import type { MemoryRow } from './rows.ts';

export function embeddingRecords(database: Database): EmbeddingRecords {
  const { tables } = database;
  return {
    state: (tenant) => database.read(() => tables.embeddingStates.get(tenant)),
    putState: (state) => database.write(() => putState(tables, state)),
    tenants: ({ after, limit }) =>
      database.read(() => {
        const tenants = new Set(tables.scopes.all().map(({ tenant }) => tenant));
        return pageAfter([...tenants], (tenant) => tenant, { after, limit });
      }),
    changing: ({ after, limit }) =>
      database.read(() => {
        const states = tables.embeddingStates.all().filter(({ phase }) => phase !== 'Steady');
        return pageAfter(states, ({ tenant }) => tenant, { after, limit });
      }),
    calibration: (generation) => database.read(() => tables.calibrations.get(generation)),
    putCalibration: (calibration) => database.write(() => tables.calibrations.put(calibration)),
    cached: (tenant, { generation, contentHashes }) =>
      database.read(() => {
        const wanted = new Set(contentHashes);
        return new Map(
          memoriesOf(tables, tenant).flatMap((row) => {
            const found = wanted.has(row.contentHash) ? vectorOf(row, generation) : undefined;
            return found === undefined ? [] : [[row.contentHash, found] as const];
          }),
        );
      }),
    missing: (tenant, { generation, after, limit, now }) =>
      database.read(() => {
        const live = memoriesOf(tables, tenant).filter((row) => isLive(row, now));
        const rows = live.filter((row) => vectorOf(row, generation) === undefined);
        return pageAfter(rows, ({ id }) => id, { after, limit }).map(
          ({ id, content, contentHash, tokenCount }) => ({ id, content, contentHash, tokenCount }),
        );
      }),
    putVectors: (tenant, write) => database.write(() => putVectors(tables, tenant, write)),
    adopt: (tenant, generation, limit) =>
      database.write(() => {
        const rows = memoriesOf(tables, tenant)
          .filter((row) => row.embeddingGeneration !== generation)
          .filter((row) => vectorOf(row, generation) !== undefined)
          .slice(0, limit);
        for (const row of rows) tables.memories.put({ ...row, embeddingGeneration: generation });
        return rows.length;
      }),
    drop: (tenant, generation, limit) =>
      database.write(() => {
        const rows = memoriesOf(tables, tenant)
          .filter((row) => row.embeddingGeneration !== generation)
          .filter((row) => vectorOf(row, generation) !== undefined)
          .slice(0, limit);
        for (const row of rows) {
          const vectors = row.vectors.filter((own) => own.generation !== generation);
          tables.memories.put({ ...row, vectors });
        }
        return rows.length;
      }),
    progress: (tenant, { generation, now }) =>
      database.read(() => {
        const live = memoriesOf(tables, tenant).filter((row) => isLive(row, now));
        const without = live.filter((row) => vectorOf(row, generation) === undefined);
        const missingTokens = without.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
        return { done: live.length - without.length, missing: without.length, missingTokens };
      }),
  };
}

function putState(tables: Tables, state: EmbeddingState): boolean {
  const before = tables.embeddingStates.get(state.tenant)?.version ?? 0;
  if (before !== state.version - 1) return false;
  tables.embeddingStates.put(state);
  return true;
}

function putVectors(
  tables: Tables,
  tenant: string,
  { generation, vectors, own }: Parameters<EmbeddingRecords['putVectors']>[1],
): number {
  for (const { vector } of vectors) requireVectors(tables, tenant, vectorsOf(generation, vector));
  let written = 0;
  for (const { id, contentHash, vector } of vectors) {
    const row = tables.memories.get(tenant, id);
    if (row === null || row.contentHash !== contentHash) continue;
    const added = vectorsOf(generation, vector);
    const others = row.vectors.filter((each) => each.generation !== generation);
    noteGenerations(tables, tenant, added);
    tables.memories.put({
      ...row,
      vectors: [...others, ...added],
      embeddingGeneration: own ? generation : row.embeddingGeneration,
    });
    written += 1;
  }
  return written;
}

/** Every memory of a tenant, in no order. */
function memoriesOf(tables: Tables, tenant: string): readonly MemoryRow[] {
  return tables.memories.all().filter((row) => row.tenant === tenant);
}

function vectorOf(row: MemoryRow, generation: string): readonly number[] | undefined {
  return row.vectors.find((own) => own.generation === generation)?.vector;
}

function pageAfter<T>(
  rows: readonly T[],
  nameOf: (row: T) => string,
  { after, limit }: { after: string | null; limit: number },
): readonly T[] {
  return rows
    .filter((row) => after === null || nameOf(row) > after)
    .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    .slice(0, limit);
}
