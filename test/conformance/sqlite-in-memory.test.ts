/** SQLite in memory: the suite of a store, and searches without search threads. */
import { describe, expect, it } from 'vitest';

import { IN_MEMORY, openSqliteStore } from '#providers/sqlite/store.ts';

import type { Opened } from './adapter.ts';
import { filterSuite } from './filter-suite.ts';
import { keywordSuite } from './keyword-suite.ts';
import { listSuite } from './list-suite.ts';
import { idOf, memoryOf, NOW, rulesAt, userScope } from './samples.ts';
import { searchOracleSuite } from './search-oracle-suite.ts';
import { byWords, found } from './search-samples.ts';
import { OPENING } from './sqlite-adapter.ts';

const open = () => openSqliteStore({ file: IN_MEMORY, ...OPENING });

describe('the store of SQLite in memory', () => {
  listSuite(openOnce);
  filterSuite(openOnce);
  keywordSuite(openOnce);
  searchOracleSuite(openOnce);

  it('STORE-1: a search sees earlier writes of the same connection', async () => {
    await using store = await open();
    await store.memories.add(memoryOf('acme', 1, { content: 'Roses.' }), rulesAt(NOW));
    const roses = () => found(store, userScope('acme'), byWords('roses'));
    expect(await roses()).toEqual([idOf(1)]);
    await store.memories.add(memoryOf('acme', 2, { content: 'More roses.' }), rulesAt(NOW));
    expect(await roses()).toEqual([idOf(1), idOf(2)]);
  });

  it('STORE-1: two stores in memory share no data', async () => {
    await using store = await open();
    await using other = await open();
    await store.memories.add(memoryOf('acme', 1), rulesAt(NOW));
    expect(await other.memories.get('acme', idOf(1))).toBeNull();
  });

  it('STORE-40: a closed store refuses a search with CANCELLED', async () => {
    const store = await open();
    await store[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
    const search = found(store, userScope('acme'), byWords('roses'));
    await expect(search).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('STORE-41: a sound store reports that it is healthy', async () => {
    await using store = await open();
    expect(await store.health()).toMatchObject({ ok: true, findings: [] });
  });
});

/** A store that leaves nothing to open again; the suites above do not ask for it. */
async function openOnce(): Promise<Opened> {
  const store = await open();
  const gone = (): never => {
    throw new Error('What a store in memory held went with it.');
  };
  return {
    store,
    reopen: gone,
    dump: gone,
    raw: gone,
    crashAt: gone,
    hasCrashed: () => false,
    stepsMin: 4,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
