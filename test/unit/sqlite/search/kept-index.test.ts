import { describe, expect, it } from 'vitest';

import type { Connection } from '#providers/sqlite/connection.ts';
import { IndexCache } from '#providers/sqlite/search/index-cache.ts';
import { noteErased, readKept } from '#providers/sqlite/search/kept-index.ts';
import { keepIndexes } from '#providers/sqlite/search/search-thread-program.ts';
import { byVector, byWords, GENERATION } from '#test/conformance/search-samples.ts';
import { memoryOf, sessionScope, userScope } from '#test/conformance/samples.ts';

import { openFile, remove, write, writeMany, type Opened } from './search-fixture.ts';

const SCOPE = userScope('acme');
const COUNT = 30;
/** A file that has more already has no room at all. */
const PAGE_BYTES = 4_096;
const ROOM = 100_000_000;
const KEEPS_ALL = { keptEntriesMin: 1, keepAfterMs: 60_000 } as const;

/** As a process that begins: nothing is in memory. */
function newCache(connection: Connection): IndexCache {
  return new IndexCache(connection, ROOM, 1);
}

async function indexed(connection: Connection, cache: IndexCache, scope = SCOPE) {
  const index = await connection.read(() => cache.indexOf(scope));
  return index?.search(byWords('tea', { limit: COUNT + 1 }));
}

async function keep({ connection, file }: Opened, scope = SCOPE, fileBytesMax?: number) {
  const cache = newCache(connection);
  await indexed(connection, cache, scope);
  await keepIndexes(cache, { file, busyTimeoutMs: 1_000, fileBytesMax });
}

function kept({ connection }: Opened, scope = SCOPE) {
  return connection.read(() => readKept(connection, scope));
}

async function openFilled(): Promise<Opened> {
  const opened = await openFile();
  await writeMany(opened.connection, { scope: SCOPE, count: COUNT, generation: GENERATION });
  return opened;
}

describe('an index stored in the file', () => {
  it.each(['head', 'entries', 'terms', 'ends', 'occurrences', 'lengths', 'checksum'])(
    'is rebuilt and stored again if its %s is damaged',
    async (part) => {
      await using opened = await openFilled();
      const { connection } = opened;
      await keep(opened);
      const before = await kept(opened);
      const damage = 'UPDATE memory_indexes SET bytes = substr(bytes, 2) WHERE part = ?';
      await connection.write(() => connection.run(damage, [part]));
      expect(await kept(opened)).toBeNull();
      const cache = newCache(connection);
      expect((await indexed(connection, cache))?.hits).toHaveLength(COUNT);
      await keepIndexes(cache, { file: opened.file, busyTimeoutMs: 1_000 });
      expect(await kept(opened)).toEqual(before);
    },
  );

  it('is not stored if indexes were erased since it was built', async () => {
    await using opened = await openFilled();
    const { connection, file } = opened;
    const cache = newCache(connection);
    await indexed(connection, cache);
    await connection.write(() => {
      noteErased(connection);
    });
    await keepIndexes(cache, { file, busyTimeoutMs: 1_000 });
    expect(await kept(opened)).toBeNull();
    // The next search has read what is there now.
    await indexed(connection, cache);
    await keepIndexes(cache, { file, busyTimeoutMs: 1_000 });
    expect(await kept(opened)).not.toBeNull();
  });

  it('is left out of a full file, and searches still work', async () => {
    await using opened = await openFile();
    const count = 5_000;
    await writeMany(opened.connection, { scope: SCOPE, count, generation: GENERATION });
    await keep(opened, SCOPE, PAGE_BYTES);
    expect(await kept(opened)).toBeNull();
    expect((await indexed(opened.connection, newCache(opened.connection)))?.compared).toBe(count);
  });

  it('is rebuilt if it missed changes that are no longer recorded', async () => {
    await using opened = await openFilled();
    const { connection } = opened;
    await keep(opened);
    const one = memoryOf('acme', 1);
    await write(connection, [{ memory: one, terms: ['tea'], vectors: [] }]);
    await remove(connection, one);
    await connection.write(() =>
      connection.run('DELETE FROM memory_touches WHERE seq <= ?', [COUNT + 1]),
    );
    expect((await indexed(connection, newCache(connection)))?.compared).toBe(COUNT);
  });

  it('leaves out a vector of another length, like a rebuilt index', async () => {
    await using opened = await openFilled();
    const { connection } = opened;
    await keep(opened);
    const shorten = 'UPDATE memory_vectors SET vector = substr(vector, 1, 4) WHERE memory_id = ?';
    await connection.write(() => connection.run(shorten, ['many-00000007']));
    const query = byVector([1, 0], { limit: COUNT });
    const answers = [];
    for (const forgets of [false, true]) {
      if (forgets) await connection.write(() => connection.run('DELETE FROM memory_indexes'));
      const cache = newCache(connection);
      answers.push(await connection.read(() => cache.indexOf(SCOPE)?.search(query)));
    }
    expect(answers[0]?.hits).toHaveLength(COUNT - 1);
    expect(answers[0]).toEqual(answers[1]);
  });

  it.each([SCOPE, sessionScope('acme')])(
    'is stored by a thread that ends: $layer',
    async (scope) => {
      await using opened = await openFile({ keeping: KEEPS_ALL });
      const many = { scope, count: COUNT, generation: GENERATION };
      await writeMany(opened.connection, many);
      const query = byWords('tea', { limit: COUNT });
      const before = await opened.search.search(scope, query);
      expect(await kept(opened, scope)).toBeNull();
      await opened.search.close();
      expect(await kept(opened, scope)).toMatchObject({ seq: COUNT });
      await using again = await openFile({ file: opened.file });
      expect(await again.search.search(scope, query)).toEqual(before);
    },
  );

  it('is stored while its thread continues', async () => {
    await using opened = await openFile({ keeping: { ...KEEPS_ALL, keepAfterMs: 1 } });
    const many = { scope: SCOPE, count: COUNT, generation: GENERATION };
    await writeMany(opened.connection, many);
    await opened.search.search(SCOPE, byWords('tea'));
    await expect.poll(() => kept(opened), { timeout: 30_000 }).toMatchObject({ seq: COUNT });
  });
});
