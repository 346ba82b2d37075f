import { copyFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { describe, expect, it } from 'vitest';

import { STORE_FILE } from '#cli/choose-store.ts';
import { KEPT_ENTRIES_MIN } from '#providers/sqlite/search/index-cache.ts';

import { temporaryFolder } from './sqlite-adapter.ts';
import { erasureProof } from './erasure-proof.ts';
import { restoreSuite } from './restore-suite.ts';
import { fillCanaries, MARK, openHarness, TENANT, tracesIn, USER } from './erasure-harness.ts';

describe('a restored SQLite file', () => {
  restoreSuite(async () => {
    const temporary = await temporaryFolder();
    const { folder } = temporary;
    const file = path.join(folder, 'data', 'varve.db');
    const ledger = path.join(folder, 'data', 'erasures');
    return {
      ledger,
      open: (settings) => openHarness(path.dirname(file), settings),
      traces: (mark?: string) => tracesIn(path.dirname(file), mark),
      backUp: () => copyFile(file, path.join(folder, 'backup.db')),
      async restore() {
        for (const end of ['-wal', '-shm']) await rm(`${file}${end}`, { force: true });
        await copyFile(path.join(folder, 'backup.db'), file);
      },
      remove: async () => temporary[Symbol.asyncDispose](),
    };
  });
});

/** Parts of kept indexes that hold a word. */
function keptWith(word: string, folder: string): number {
  using database = new DatabaseSync(path.join(folder, STORE_FILE), { readOnly: true });
  const sql = 'SELECT count(*) AS n FROM memory_indexes WHERE instr(bytes, CAST(? AS BLOB)) > 0';
  return Number(database.prepare(sql).get(word)?.['n']);
}

/** Of each of two people. */
const ROWS = 60;

describe('an erasure in SQLite', () => {
  erasureProof(async () => {
    const temporary = await temporaryFolder();
    return {
      open: () => openHarness(temporary.folder),
      traces: (mark?: string) => tracesIn(temporary.folder, mark),
      remove: async () => temporary[Symbol.asyncDispose](),
    };
  });

  it('leaves no copies of moved rows in the pages of the file', async () => {
    await using temporary = await temporaryFolder();
    await using harness = await openHarness(temporary.folder);
    const { library } = harness;
    const add = async (userId: string, word: string, length: number): Promise<string> => {
      const content = `${word} `.repeat(length);
      const of = { tenant: TENANT, layer: 'user', identifiers: { userId } } as const;
      return (await library.memory.add({ ...of, content })).memory.id;
    };
    // Rows of both that grow and shrink by turns, so that pages are split and joined.
    const ids: string[] = [];
    for (let n = 0; n < ROWS; n += 1) {
      ids.push(await add(USER, MARK, 1 + ((n * 37) % 90)), await add('bob', 'tulip', 1 + (n % 50)));
    }
    for (const [n, id] of ids.entries()) {
      const content = `${n % 2 === 0 ? MARK : 'rose'} `.repeat(1 + ((n * 53) % 120));
      await library.memory.update({ tenant: TENANT, id, content });
    }
    await library.memory.erase({ tenant: TENANT, target: { kind: 'User', id: USER } });
    expect(await tracesIn(temporary.folder)).toEqual([]);
  });

  it('leaves nothing in the indexes that search threads keep now or later', async () => {
    await using temporary = await temporaryFolder();
    const { folder } = temporary;
    const place = { layer: 'project', identifiers: { projectId: 'shop' } } as const;
    const about = { tenant: TENANT, identifiers: place.identifiers, query: 'tulips' };
    let id = '';
    {
      await using harness = await openHarness(folder);
      const memories = Array.from({ length: KEPT_ENTRIES_MIN }, (_, at) => ({
        ...place,
        content: `Bed ${String(at)} has tulips.`,
      }));
      await harness.library.memory.bulkAdd({ tenant: TENANT, memories });
      const content = `${MARK} has tulips.`;
      id = (await harness.library.memory.add({ tenant: TENANT, ...place, content })).memory.id;
      await harness.library.memory.search(about);
    }
    expect(keptWith(MARK, folder)).toBeGreaterThan(0);
    {
      await using harness = await openHarness(folder);
      await harness.library.memory.search(about);
      await harness.library.memory.erase({ tenant: TENANT, target: { kind: 'Memory', id } });
      expect(await tracesIn(folder)).toEqual([]);
      await harness.library.memory.search(about);
    }
    expect(await tracesIn(folder)).toEqual([]);
    expect(keptWith('tulip', folder)).toBeGreaterThan(0);
  });

  it('leaves nothing in files that another process has open', async () => {
    await using temporary = await temporaryFolder();
    await using other = await openHarness(temporary.folder);
    await using harness = await openHarness(temporary.folder);
    const { shared: id } = await fillCanaries(harness);
    const identifiers = { userId: USER };
    await other.library.memory.search({ tenant: TENANT, identifiers, query: 'garden' });
    await harness.library.memory.erase({ tenant: TENANT, target: { kind: 'Memory', id } });
    const target = { kind: 'User', id: USER } as const;
    await harness.library.memory.erase({ tenant: TENANT, target });
    expect(await tracesIn(temporary.folder)).toEqual([]);
    const { hits } = await other.library.memory.search({
      tenant: TENANT,
      identifiers,
      query: 'garden in Bremen',
      threshold: 0,
    });
    expect(hits).toEqual([]);
  });
});
