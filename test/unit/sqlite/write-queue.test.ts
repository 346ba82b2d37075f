import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { VarveError } from '#core/errors.ts';
import { Connection, openLogFlush, type LogFlush } from '#providers/sqlite/connection.ts';
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
async function openNumbers(log?: LogFlush): Promise<Opened> {
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
  const options = { fileName: 'varve.db', busyTimeoutMs: BUSY_TIMEOUT_MS, faults, log };
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

describe('concurrent writes', () => {
  it('SQLITE-9: share one transaction and resolve once it is on disk', async () => {
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

  it('SQLITE-9: are split into several transactions if there are many', async () => {
    await using opened = await openNumbers();
    const { connection, statements } = opened;
    const numbers = Array.from({ length: 200 }, (_, n) => n);
    expect(await ends(numbers.map(async (n) => add(connection, n)))).toEqual(numbers);
    expect(count(statements, 'COMMIT')).toBeGreaterThanOrEqual(4);
    expect(numbersIn(opened.file)).toEqual(numbers);
  });

  it('SQLITE-9: run once each, without savepoints, if none fails', async () => {
    await using opened = await openNumbers();
    const { connection, file, statements } = opened;
    expect(await ends([1, 2, 3].map(async (n) => add(connection, n)))).toEqual([1, 2, 3]);
    expect(count(statements, 'INSERT INTO numbers VALUES (?)')).toBe(3);
    expect(statements.filter((sql) => sql.includes('one_write'))).toEqual([]);
    expect(numbersIn(file)).toEqual([1, 2, 3]);
  });

  it('SQLITE-9: if one fails, only that one is undone', async () => {
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

  it('SQLITE-9: all reject and leave nothing if the transaction fails', async () => {
    await using opened = await openNumbers();
    opened.failAt = 'COMMIT';
    const writes = [1, 2].map(async (n) => add(opened.connection, n));
    expect(await ends(writes)).toEqual(['Error: The disk is gone.', 'Error: The disk is gone.']);
    opened.failAt = null;
    expect(await ends([add(opened.connection, 3)])).toEqual([3]);
    expect(numbersIn(opened.file)).toEqual([3]);
  });

  it('SQLITE-9: if one ends the shared transaction, only that one is rejected', async () => {
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

  it('SQLITE-9: wait for another process, and are TIMEOUT beyond the limit', async () => {
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

  it('SQLITE-9: are CANCELLED after the file is closed', async () => {
    await using opened = await openNumbers();
    const writes = [1, 2].map(async (n) => add(opened.connection, n));
    opened.connection.close();
    expect(await ends(writes)).toEqual(['CANCELLED', 'CANCELLED']);
  });
});

/** Flushes that end when they are told to. */
function heldFlushes() {
  const held: { resolve: () => void; reject: (reason: Error) => void }[] = [];
  const begun = { most: 0, waiting: () => held.length };
  const log: LogFlush = {
    flush() {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      held.push({ resolve, reject });
      begun.most = Math.max(begun.most, held.length);
      return promise;
    },
    requireFile: () => undefined,
    close: () => undefined,
  };
  const take = () => held.splice(0);
  return {
    log,
    begun,
    endAll: () => take().map((each) => each.resolve()),
    failAll: (reason: Error) => take().map((each) => each.reject(reason)),
  };
}

const DISK_GONE = Object.assign(new Error('i/o error'), { code: 'EIO' });
const FOLD = 'PRAGMA wal_checkpoint(FULL)';

/** Lets everything run that waits for no flush. */
async function turns(count = 5): Promise<void> {
  for (let at = 0; at < count; at += 1) await nextTurn();
}

describe('flushes that run beside the writing thread', () => {
  it('SQLITE-10: a write is answered only after its flush ended', async () => {
    const { log, begun, endAll } = heldFlushes();
    await using opened = await openNumbers(log);
    let isAnswered = false;
    const write = add(opened.connection, 1).then(() => {
      isAnswered = true;
    });
    await turns();
    expect([numbersIn(opened.file), begun.waiting(), isAnswered]).toEqual([[1], 1, false]);
    endAll();
    await write;
    expect(isAnswered).toBe(true);
  });

  it('SQLITE-10: the next transaction commits meanwhile, with up to three flushes at once', async () => {
    const { log, begun, endAll } = heldFlushes();
    await using opened = await openNumbers(log);
    const { connection, file } = opened;
    const writes: Promise<number>[] = [];
    for (const n of [1, 2, 3, 4, 5]) {
      writes.push(add(connection, n));
      await turns();
    }
    expect([numbersIn(file), begun.waiting()]).toEqual([[1, 2, 3], 3]);
    endAll();
    await turns();
    // What gathered while all were under way shares one transaction.
    expect([numbersIn(file), begun.waiting()]).toEqual([[1, 2, 3, 4, 5], 1]);
    endAll();
    expect(await ends(writes)).toEqual([1, 2, 3, 4, 5]);
    expect(begun.most).toBe(3);
  });

  it('SQLITE-10: many writes in one turn do not wait for the last of them', async () => {
    const { log, begun, endAll } = heldFlushes();
    await using opened = await openNumbers(log);
    const numbers = Array.from({ length: 30 }, (_, n) => n);
    const writes = numbers.map((n) => add(opened.connection, n));
    // Nothing else had a turn yet.
    expect([numbersIn(opened.file).length, begun.waiting()]).toEqual([24, 2]);
    await turns();
    endAll();
    expect(await ends(writes)).toEqual(numbers);
  });

  it('SQLITE-10: a failed flush rejects its writes, and the log is folded in before the next', async () => {
    const { log, failAll, endAll } = heldFlushes();
    await using opened = await openNumbers(log);
    const { connection, statements } = opened;
    const lost = ends([add(connection, 1), add(connection, 2)]);
    await turns();
    failAll(DISK_GONE);
    expect(await lost).toEqual(['PROVIDER_ERROR', 'PROVIDER_ERROR']);
    const after = ends([add(connection, 3)]);
    await turns();
    endAll();
    expect(await after).toEqual([3]);
    const later = ends([add(connection, 4)]);
    await turns();
    endAll();
    expect(await later).toEqual([4]);
    expect(count(statements, FOLD)).toBe(1);
    expect(statements.indexOf(FOLD)).toBeLessThan(statements.lastIndexOf('BEGIN IMMEDIATE'));
  });

  it('SQLITE-10: nothing is written while the log cannot be folded in', async () => {
    const { log, failAll } = heldFlushes();
    await using opened = await openNumbers(log);
    const { connection, file } = opened;
    const lost = ends([add(connection, 1)]);
    await turns();
    failAll(DISK_GONE);
    expect(await lost).toEqual(['PROVIDER_ERROR']);
    using reader = new DatabaseSync(file);
    reader.exec('BEGIN; SELECT * FROM numbers');
    opened.failAt = FOLD;
    expect(await ends([add(connection, 2)])).toEqual(['Error: The disk is gone.']);
    expect(numbersIn(file)).toEqual([1]);
  });

  it('SQLITE-10: closing waits for the current flush', async () => {
    await using temporary = await temporaryFolder();
    const file = path.join(temporary.folder, 'varve.db');
    await writeFile(file, 'a database');
    await writeFile(`${file}-wal`, 'a log');
    const log = openLogFlush(file);
    const flushing = log.flush();
    log.close();
    await expect(flushing).resolves.toBeUndefined();
  });
});
