import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

import type { Store } from '#core/ports/store.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';

import { blockOf, coreOf, lineOf, proposalOf, subjectIdOf } from './document-samples.ts';
import { expectNumbersWithoutGap, expectOneApplies, VERSIONS } from './document-writers.ts';
import { NOW } from './samples.ts';
import { OPENING, temporaryFolder } from './sqlite-adapter.ts';

const TENANT = 'gone-tenant-7';
const WORD = 'xylophone';
/** Some of one page and some of several. */
const SIZES = [1, 100, 3_000];

async function withFile(use: (file: string) => Promise<void>): Promise<void> {
  await using temporary = await temporaryFolder();
  await use(path.join(temporary.folder, 'varve.db'));
}

async function withTwo(use: (stores: readonly [Store, Store]) => Promise<void>): Promise<void> {
  await withFile(async (file) => {
    await using first = await openSqliteStore({ file, ...OPENING });
    await using second = await openSqliteStore({ file, ...OPENING });
    await use([first, second]);
  });
}

async function fillWithWord(store: Store): Promise<void> {
  for (const [n, size] of SIZES.entries()) {
    const text = `${WORD} `.repeat(Math.ceil(size / WORD.length)).slice(0, 4_000);
    const lines = [lineOf(n, { text })];
    await store.documents.append(blockOf(TENANT, n, { lines }), { subjectId: subjectIdOf(1) });
    await store.documents.put(coreOf(TENANT, n + 1, { lines }));
    await store.proposals.put(proposalOf(TENANT, n, { lines }));
  }
}

describe('writers of one SQLite file', () => {
  it('blocks of two stores are numbered without gaps', () =>
    withTwo(async (stores) => {
      expect(await expectNumbersWithoutGap(stores)).toBeGreaterThan(0);
    }));

  it('one of two stores that write the same version succeeds', () =>
    withTwo(async (stores) => {
      expect(await expectOneApplies(stores)).toBe(VERSIONS);
    }));
});

describe('a SQLite file', () => {
  it('does not contain a Markdown memory after an erasure', () =>
    withFile(async (file) => {
      {
        await using store = await openSqliteStore({ file, ...OPENING });
        await fillWithWord(store);
      }
      expect((await readFile(file)).includes(WORD)).toBe(true);
      {
        await using store = await openSqliteStore({ file, ...OPENING });
        const step = { limit: 1_000, now: NOW };
        expect(await store.eraseTenant(TENANT, step)).toMatchObject({ isDone: true });
      }
      expect((await readFile(file)).includes(WORD)).toBe(false);
    }));
});
