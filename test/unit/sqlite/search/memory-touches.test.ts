import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { Connection } from '#providers/sqlite/connection.ts';
import { hasAllTouches, touchesAfter } from '#providers/sqlite/search/index-cache.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';
import { lastTouch, touch, TOUCHES_KEPT } from '#providers/sqlite/memory-touches.ts';
import { userScope } from '#test/conformance/samples.ts';
import { OPENING, temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

const SCOPE = userScope('acme');
const OTHER = userScope('other');

/** A file with its tables and one connection that writes touches alone. */
async function withTouches(use: (connection: Connection) => void): Promise<void> {
  await using temporary = await temporaryFolder();
  const file = path.join(temporary.folder, 'varve.db');
  await (await openSqliteStore({ file, ...OPENING }))[Symbol.asyncDispose]();
  const connection = new Connection(new DatabaseSync(file), {
    fileName: 'varve.db',
    busyTimeoutMs: 1_000,
  });
  try {
    await connection.write(() => {
      use(connection);
    });
  } finally {
    connection.close();
  }
}

describe('touches', () => {
  test('increase within each scope, and keep only the last change of a memory', () =>
    withTouches((connection) => {
      for (const id of ['a', 'b', 'a']) touch(connection, { ...SCOPE, id });
      touch(connection, { ...OTHER, id: 'z' });
      expect(lastTouch(connection, SCOPE)).toBe(3);
      expect(lastTouch(connection, OTHER)).toBe(1);
      expect([...touchesAfter(connection, SCOPE, 1)]).toEqual([{ ids: ['b', 'a'], seq: 3 }]);
    }));

  test('increase even if another process touched the scope in between', async () => {
    await using temporary = await temporaryFolder();
    const file = path.join(temporary.folder, 'varve.db');
    await (await openSqliteStore({ file, ...OPENING }))[Symbol.asyncDispose]();
    const options = { fileName: 'varve.db', busyTimeoutMs: 1_000 };
    const connections = [1, 2].map(() => new Connection(new DatabaseSync(file), options));
    const touched: string[] = [];
    try {
      for (const [at, connection] of [...connections, ...connections].entries()) {
        const id = `m${String(at)}`;
        touched.push(id);
        await connection.write(() => {
          touch(connection, { ...SCOPE, id });
        });
      }
      for (const connection of connections) {
        expect([...touchesAfter(connection, SCOPE, 0)]).toEqual([{ ids: touched, seq: 4 }]);
      }
    } finally {
      for (const connection of connections) connection.close();
    }
  });

  test('are limited in number, and a reader can tell that older ones are gone', () =>
    withTouches((connection) => {
      const beyond = 128;
      for (let at = 0; at < TOUCHES_KEPT + beyond; at += 1) {
        touch(connection, { ...SCOPE, id: `m${String(at)}` });
      }
      touch(connection, { ...OTHER, id: 'z' });
      const last = lastTouch(connection, SCOPE) ?? 0;
      expect(last).toBe(TOUCHES_KEPT + beyond);
      const kept = [...touchesAfter(connection, SCOPE, 0)].flatMap(({ ids }) => ids);
      expect(kept.length).toBeGreaterThanOrEqual(TOUCHES_KEPT);
      expect(kept.length).toBeLessThan(last);
      const forgotten = last - kept.length;
      expect(hasAllTouches(connection, SCOPE, forgotten)).toBe(true);
      expect(hasAllTouches(connection, SCOPE, forgotten - 1)).toBe(false);
      expect(hasAllTouches(connection, OTHER, 0)).toBe(true);
    }));
});
