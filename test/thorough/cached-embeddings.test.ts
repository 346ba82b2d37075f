import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';

import { type Store } from '#core/ports/store.ts';
import { BULK_CHUNK_MAX } from '#core/ports/write-rules-and-outcomes.ts';
import type { Memory } from '#core/records/memory.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';
import { idOf, memoryOf, NOW, rulesAt } from '#test/conformance/samples.ts';
import { addAll } from '#test/conformance/search-samples.ts';
import { OPENING, temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

const GENERATION = 'hash-1';
/** More than one window of a walk over a tenant. */
const MANY = 2_100;
/** Vectors of contents without a memory that a tenant keeps. */
const KEPT = 1_000;
const TEST_MS_MAX = 60_000;

async function withStore(use: (store: Store, file: string) => Promise<void>): Promise<void> {
  await using temporary = await temporaryFolder();
  const file = path.join(temporary.folder, 'varve.db');
  await using store = await openSqliteStore({ file, ...OPENING });
  await use(store, file);
}

function embedded(n: number): Memory {
  return memoryOf('acme', n, { embeddingGeneration: GENERATION, vector: [1, n] });
}

async function deleteAll(store: Store, memories: readonly Memory[]): Promise<void> {
  for (let at = 0; at < memories.length; at += BULK_CHUNK_MAX) {
    const some = memories.slice(at, at + BULK_CHUNK_MAX);
    await store.memories.deleteMany(some, rulesAt(NOW + at));
  }
}

describe('embeddings in SQLite', () => {
  it(
    'STORE-54: a missing embedding is found behind many present ones',
    { timeout: TEST_MS_MAX },
    () =>
      withStore(async (store) => {
        const numbers = Array.from({ length: MANY }, (_, n) => n);
        await addAll(store, numbers.map(embedded));
        await store.memories.add(memoryOf('acme', MANY), rulesAt(NOW));
        const query = { generation: GENERATION, after: null, limit: 5, now: NOW };
        const missing = await store.embeddings.missing('acme', query);
        expect(missing.map(({ id }) => id)).toEqual([idOf(MANY)]);
        const progress = await store.embeddings.progress('acme', {
          generation: GENERATION,
          now: NOW,
        });
        expect(progress).toEqual({ done: MANY, missing: 1, missingTokens: 10 });
      }),
  );

  it('only the newest embeddings of deleted contents stay cached', { timeout: TEST_MS_MAX }, () =>
    withStore(async (store, file) => {
      const memories = Array.from({ length: KEPT + BULK_CHUNK_MAX }, (_, n) => embedded(n));
      await addAll(store, memories);
      await deleteAll(store, memories);
      using database = new DatabaseSync(file, { readOnly: true });
      const kept = database.prepare('SELECT count(*) AS n FROM embedding_cache').get();
      expect(kept).toEqual({ n: KEPT });
      const [first] = memories;
      const last = memories.at(-1);
      const contentHashes = [first?.contentHash ?? '', last?.contentHash ?? ''];
      const query = { generation: GENERATION, contentHashes };
      const cached = await store.embeddings.cached('acme', query);
      expect([...cached]).toEqual([[last?.contentHash, last?.vector]]);
    }),
  );
});
