import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

import type { Memory } from '#core/records/memory.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';
import { openFile, write, writeMany } from '#test/unit/sqlite/search/search-fixture.ts';

import { memoryOf, userScope } from './samples.ts';
import { byVector, byWords, GENERATION } from './search-samples.ts';
import { OPENING, temporaryFolder } from './sqlite-adapter.ts';

const WRITER = fileURLToPath(new URL('./sqlite-writer.ts', import.meta.url));
const SEARCHER = fileURLToPath(new URL('../unit/sqlite/search/search-once.ts', import.meta.url));
const SCOPE = userScope('acme');
const ADDS = 50;
const MANY = 50_000;
const OTHERS = 20_000;
/** To send a call and read its hits takes a few turns of the event loop by itself. */
const TURNS_OF_A_CALL = 20;
const MANY_OF_SCOPE = { scope: SCOPE, count: MANY, generation: GENERATION };

/** The one memory that differs from the many. */
function rareOne(differing: Partial<Memory>) {
  const vectors = [{ generation: GENERATION, vector: [-1, 0] }];
  return { memory: memoryOf('acme', 1, differing), terms: ['heron'], vectors };
}

describe('searches of a SQLite file', () => {
  it('find each write of another process as soon as it is acknowledged', async () => {
    await using temporary = await temporaryFolder();
    const file = path.join(temporary.folder, 'varve.db');
    await using store = await openSqliteStore({ file, ...OPENING });
    const child = spawn(process.execPath, [WRITER, file, '0', String(ADDS), '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    let said = 0;
    for await (const id of createInterface({ input: child.stdout })) {
      said += 1;
      const { candidates } = await store.memories.search(SCOPE, byWords('garden', { limit: ADDS }));
      expect(candidates.map(({ memory }) => memory.id)).toContain(id);
    }
    await ended;
    expect(said).toBe(ADDS);
  });

  it('do not keep an otherwise idle process running', async () => {
    await using opened = await openFile();
    const { memory, vectors } = rareOne({});
    await write(opened.connection, [{ memory, terms: ['tea'], vectors }]);
    const child = spawn(process.execPath, [SEARCHER, opened.file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [printed, [status]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    expect({ printed, status }).toEqual({ printed: '1', status: 0 });
  });

  it('do not block the event loop while 50,000 vectors are compared', async () => {
    await using opened = await openFile();
    await writeMany(opened.connection, MANY_OF_SCOPE);
    // The thread of the scope has started and opened the file: what follows is the search alone.
    await opened.search.list('acme', {
      scopes: [SCOPE],
      conditions: byWords('').conditions,
      order: 'newest',
      after: null,
      limit: 1,
    });
    const state = { turns: 0, answered: false };
    const counting = countTurns(state);
    const { compared, path } = await opened.search.search(SCOPE, byVector([1, 0]));
    const { turns } = state;
    state.answered = true;
    await counting;
    expect({ compared, path }).toEqual({ compared: MANY, path: 'Memory' });
    expect(turns).toBeGreaterThan(TURNS_OF_A_CALL);
  });

  it.each([
    { way: 'in memory', options: {} },
    { way: 'read in pages', options: { indexBytesMax: 1 } },
  ])('find a rare match behind 20,000 others, $way', async ({ options }) => {
    await using opened = await openFile(options);
    await writeMany(opened.connection, { ...MANY_OF_SCOPE, count: OTHERS });
    const rare = rareOne({ tags: ['rare'], metadata: { ticket: { status: 'open' } } });
    await write(opened.connection, [rare]);
    const limit = 1;
    const filter = { field: 'ticket.status', eq: 'open' };
    for (const query of [
      byWords('heron', { limit }),
      byVector([-1, 0], { limit }),
      byVector([1, 0], { limit, conditions: { tags: ['rare'] } }),
      byVector([1, 0], { limit, conditions: { filter } }),
    ]) {
      const { candidates } = await opened.search.search(SCOPE, query);
      expect(candidates.map(({ memory }) => memory.id)).toEqual([rare.memory.id]);
    }
    const { conditions } = byWords('', { conditions: { filter } });
    const list = { scopes: [SCOPE], conditions, order: 'newest', after: null, limit } as const;
    const { memories, total } = await opened.search.list('acme', list);
    expect({ ids: memories.map(({ id }) => id), total }).toEqual({
      ids: [rare.memory.id],
      total: 1,
    });
  });
});

async function countTurns(state: { turns: number; answered: boolean }): Promise<void> {
  while (!state.answered) {
    await nextTurn();
    state.turns += 1;
  }
}
