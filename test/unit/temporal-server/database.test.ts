import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, beforeEach, expect, test } from 'vitest';

import {
  inspectDatabase,
  moveDatabaseAside,
  temporalDatabaseFile,
} from '#providers/temporal/server-database.ts';

let folder = '';
let file = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'varve-database-'));
  file = temporalDatabaseFile(folder, '1.31.2');
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

test('TEMPORAL-6: the file name contains the version of the server', () => {
  expect(path.basename(file)).toBe('temporal-1.31.2.db');
});

test('TEMPORAL-6: a missing file is absent and is not created', async () => {
  expect(await inspectDatabase(file, { thorough: true })).toEqual({ kind: 'Absent' });
  expect(await readdir(folder)).toEqual([]);
});

test('TEMPORAL-6: a file with the tables of the server is usable', async () => {
  writeTables();
  expect(await inspectDatabase(file, { thorough: true })).toEqual({ kind: 'Usable' });
});

test.for([
  ['of random bytes', 'random '.repeat(1_000)],
  ['without tables, from a first start cut short', ''],
])('TEMPORAL-6: a file %s is unusable', async ([, content = '']) => {
  await writeFile(file, content);
  expect(await inspectDatabase(file, { thorough: false })).toMatchObject({ kind: 'Unusable' });
});

test('TEMPORAL-6: a thorough check finds damage inside a file', async () => {
  writeTables();
  const bytes = await readFile(file);
  await writeFile(file, bytes.fill(7, 3 * 4_096));
  expect(await inspectDatabase(file, { thorough: false })).toEqual({ kind: 'Usable' });
  expect(await inspectDatabase(file, { thorough: true })).toMatchObject({ kind: 'Unusable' });
});

test('TEMPORAL-6: a file is moved aside with all its parts', async () => {
  for (const part of ['', '-wal', '-shm']) await writeFile(`${file}${part}`, part);
  const aside = await moveDatabaseAside(file, new Date('2026-11-21T10:20:30.400Z'));
  const base = 'temporal-1.31.2.db.corrupt-20261121T102030Z';
  expect(path.basename(aside)).toBe(base);
  expect((await readdir(folder)).toSorted()).toEqual([base, `${base}-shm`, `${base}-wal`]);
});

test('TEMPORAL-6: of the files moved aside, the last one and other databases stay', async () => {
  const other = path.join(folder, 'temporal-1.30.0.db.corrupt-20260101T000000Z');
  await writeFile(other, '');
  for (const day of ['20', '21']) {
    for (const part of ['', '-wal']) await writeFile(`${file}${part}`, part);
    await moveDatabaseAside(file, new Date(`2026-11-${day}T10:20:30Z`));
  }
  const last = 'temporal-1.31.2.db.corrupt-20261121T102030Z';
  const left = [path.basename(other), last, `${last}-wal`];
  expect((await readdir(folder)).toSorted()).toEqual(left);
});

function writeTables(): void {
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE namespaces (id TEXT); CREATE TABLE executions (id TEXT); BEGIN');
  const insert = database.prepare('INSERT INTO executions VALUES (?)');
  for (let row = 0; row < 1_000; row += 1) insert.run(`execution ${row} `.repeat(4));
  database.exec('COMMIT');
  database.close();
}
