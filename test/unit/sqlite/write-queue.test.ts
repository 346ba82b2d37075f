import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';

import { VarveError } from '#core/errors.ts';
import { Connection } from '#providers/sqlite/connection.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

const BUSY_TIMEOUT_MS = 60;

interface Opened extends AsyncDisposable {
  readonly connection: Connection;
  readonly file: string;
  readonly statements: string[];
  /** A statement that is not run, since the process dies before it. */
  failAt: string | null;
}

/** A file with one table of numbers, each of them once. */
async function openNumbers(): Promise<Opened> {
  const temporary = await temporaryFolder();
  const file = path.join(temporary.folder, 'varve.db');
  const statements: string[] = [];
  const faults = {
    beforeStatement(sql: string) {
      statements.push(sql);
      if (sql === opened.failAt) throw new Error('The disk is gone.');
    },
    afterCommit: () => undefined,
  };
  const database = new DatabaseSync(file, { timeout: 0 });
  const options = { fileName: 'varve.db', busyTimeoutMs: BUSY_TIMEOUT_MS, faults };
  const connection = new Connection(database, options);
  const opened: Opened = {
    connection,
    file,
    statements,
    failAt: null,
    async [Symbol.asyncDispose]() {
      connection.close();
      await temporary[Symbol.asyncDispose]();
    },
  };
  connection.script('PRAGMA journal_mode = WAL; CREATE TABLE numbers (n INTEGER PRIMARY KEY)');
  statements.length = 0;
  return opened;
}

function add(connection: Connection, n: number): Promise<number> {
  return connection.write(() => {
    connection.run('INSERT INTO numbers VALUES (?)', [n]);
    return n;
  });
}

/** As another process reads the file. */
function numbersIn(file: string): unknown[] {
  using database = new DatabaseSync(file, { readOnly: true });
  return database
    .prepare('SELECT n FROM numbers ORDER BY n')
    .all()
    .map((row) => row['n']);
}

function count(statements: readonly string[], sql: string): number {
  return statements.filter((each) => each === sql).length;
}

/** The codes of what was rejected, and the values of what was not, in order. */
async function ends(writes: readonly Promise<number>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(writes);
  return settled.map((each) => {
    if (each.status === 'fulfilled') return each.value;
    return each.reason instanceof VarveError ? each.reason.code : String(each.reason);
  });
}

describe('writes that wait at the same time', () => {
  it('SQLITE-9: share one transaction, and resolve once it is on disk', async () => {
    await using opened = await openNumbers();
    const { connection, file, statements } = opened;
    const seen: unknown[][] = [];
    const writes = [1, 2, 3].map(async (n) => {
      const value = await add(connection, n);
      seen.push(numbersIn(file));
      return value;
    });
    expect(await ends(writes)).toEqual([1, 2, 3]);
    expect(seen).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(count(statements, 'COMMIT')).toBe(1);
  });

  it('SQLITE-9: many are more than one transaction, so that others get their turn', async () => {
    await using opened = await openNumbers();
    const { connection, statements } = opened;
    const numbers = Array.from({ length: 200 }, (_, n) => n);
    expect(await ends(numbers.map(async (n) => add(connection, n)))).toEqual(numbers);
    expect(count(statements, 'COMMIT')).toBeGreaterThanOrEqual(4);
    expect(numbersIn(opened.file)).toEqual(numbers);
  });

  it('SQLITE-9: where none fails, each runs once and none can be taken back alone', async () => {
    await using opened = await openNumbers();
    const { connection, file, statements } = opened;
    expect(await ends([1, 2, 3].map(async (n) => add(connection, n)))).toEqual([1, 2, 3]);
    expect(count(statements, 'INSERT INTO numbers VALUES (?)')).toBe(3);
    expect(statements.filter((sql) => sql.includes('one_write'))).toEqual([]);
    expect(numbersIn(file)).toEqual([1, 2, 3]);
  });

  it('SQLITE-9: one that fails is undone alone', async () => {
    await using opened = await openNumbers();
    const { connection, file, statements } = opened;
    const failing = connection.write((): number => {
      connection.run('INSERT INTO numbers VALUES (?)', [7]);
      throw new VarveError('INVALID_INPUT', 'Not this one.');
    });
    const writes = [add(connection, 1), failing, add(connection, 1), add(connection, 2)];
    expect(await ends(writes)).toEqual([1, 'INVALID_INPUT', 'CONFLICT', 2]);
    expect(numbersIn(file)).toEqual([1, 2]);
    expect(count(statements, 'COMMIT')).toBe(1);
  });

  it('SQLITE-9: where the transaction fails, all reject and nothing is left', async () => {
    await using opened = await openNumbers();
    opened.failAt = 'COMMIT';
    const writes = [1, 2].map(async (n) => add(opened.connection, n));
    expect(await ends(writes)).toEqual(['Error: The disk is gone.', 'Error: The disk is gone.']);
    opened.failAt = null;
    expect(await ends([add(opened.connection, 3)])).toEqual([3]);
    expect(numbersIn(opened.file)).toEqual([3]);
  });

  it('SQLITE-9: one that ends the transaction of all is rejected, no other', async () => {
    await using opened = await openNumbers();
    const { connection, file } = opened;
    const ending = connection.write((): number => {
      connection.run('INSERT INTO numbers VALUES (?)', [7]);
      connection.run('ROLLBACK');
      throw new VarveError('PROVIDER_ERROR', 'As on a full disk.');
    });
    const writes = [add(connection, 1), ending, add(connection, 2)];
    expect(await ends(writes)).toEqual([1, 'PROVIDER_ERROR', 2]);
    expect(numbersIn(file)).toEqual([1, 2]);
  });

  it('SQLITE-9: all wait for another process, and are TIMEOUT beyond the limit', async () => {
    await using opened = await openNumbers();
    const { connection, file } = opened;
    using other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const late = [1, 2].map(async (n) => add(connection, n));
    expect(await ends(late)).toEqual(['TIMEOUT', 'TIMEOUT']);
    const patient = [3, 4].map(async (n) => add(connection, n));
    other.exec('ROLLBACK');
    expect(await ends(patient)).toEqual([3, 4]);
    expect(numbersIn(file)).toEqual([3, 4]);
  });

  it('SQLITE-9: after the file is closed they are CANCELLED', async () => {
    await using opened = await openNumbers();
    const writes = [1, 2].map(async (n) => add(opened.connection, n));
    opened.connection.close();
    expect(await ends(writes)).toEqual(['CANCELLED', 'CANCELLED']);
  });
});
