import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

import { openSqliteStore } from '#providers/sqlite/store.ts';

import { answerOf } from './answer-suite.ts';
import { NOW, rulesAt, sessionScope, turnOf } from './samples.ts';
import { OPENING, temporaryFolder } from './sqlite-adapter.ts';

const TENANT = 'acme';
const WORD = 'xylophone';
/** Some of one page and some of several. */
const SIZES = [1, 100, 3_000, 3_000, 20_000, 100];

describe('a SQLite file', () => {
  it('contains no compacted turns and no forgotten answers', async () => {
    await using temporary = await temporaryFolder();
    const file = path.join(temporary.folder, 'varve.db');
    {
      await using store = await openSqliteStore({ file, ...OPENING });
      // The first page of a table keeps what it held when it was the only one.
      const others = Array.from({ length: 20 }, (_, n) => {
        return turnOf(TENANT, n + 1, { sessionId: 'before', content: 'Other words. '.repeat(50) });
      });
      await store.turns.append(others, rulesAt(NOW));
      const turns = SIZES.map((size, n) => {
        const content = `${WORD} `.repeat(Math.ceil(size / WORD.length));
        return turnOf(TENANT, n + 1, { content });
      });
      await store.turns.append(turns, rulesAt(NOW));
      await store.answers.put(answerOf(TENANT, { text: `An answer of the ${WORD}.` }));
    }
    expect((await readFile(file)).includes(WORD)).toBe(true);
    {
      await using store = await openSqliteStore({ file, ...OPENING });
      const scope = await store.scopes.get(sessionScope(TENANT));
      const turns = SIZES.map((_, n) => {
        return { id: `turn-${String(n + 1)}`, sequence: n + 1, quotes: ['Some words.'] };
      });
      await store.turns.compact({ scope, turns }, rulesAt(NOW));
      await store.answers.forget(TENANT, { until: NOW, limit: 10 });
    }
    expect((await readFile(file)).includes(WORD)).toBe(false);
  });
});
