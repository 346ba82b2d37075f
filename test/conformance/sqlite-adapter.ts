/** SQLite for the conformance suites: a file of its own, and a process that dies at a statement. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { Platform } from '#core/ports/platform.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { createPlatform } from '#providers/node/platform.ts';
import type { Faults } from '#providers/sqlite/connection.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';

import type { Opened } from './adapter.ts';
import { openCrashable } from './crashable-store.ts';
import { createCrashPoint } from './crash-point.ts';
import { NOW } from './samples.ts';

/** Time stands still, so that two runs leave the same records behind. */
export const PLATFORM: Platform = { ...createPlatform(), clock: () => NOW };

interface SqliteDeaths {
  readonly stepsAt?: 'Statements' | 'Writes';
}

/** What every store of the tests is opened with. */
export const OPENING = { platform: PLATFORM, analyzer: createTextAnalyzer() };

/** A folder that goes away with its scope. */
export async function temporaryFolder(): Promise<{ folder: string } & AsyncDisposable> {
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-sqlite-'));
  return {
    folder,
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A death before anything else leaves the same file as one before the next of these. */
const WRITES = /^\s*(?:INSERT|UPDATE|DELETE|COMMIT)\b/u;

/** @param stepsAt which statements a store may die before; every one if absent */
export async function openSqlite({ stepsAt = 'Statements' }: SqliteDeaths = {}): Promise<Opened> {
  const temporary = await temporaryFolder();
  const file = path.join(temporary.folder, 'varve.db');
  const crashPoint = createCrashPoint();
  const faults: Faults = {
    beforeStatement: (sql) => {
      if (stepsAt === 'Statements' || crashPoint.hasCrashed() || WRITES.test(sql))
        crashPoint.takeStep();
    },
    afterCommit: crashPoint.takeStep,
  };
  const open = () => openSqliteStore({ file, ...OPENING, faults });
  return openCrashable({
    open,
    crashPoint,
    dump: () => Promise.resolve(dumpOf(file)),
    raw: () => Promise.resolve(JSON.stringify(dumpOf(file))),
    // Begin, at least one statement, commit, and the moment after it.
    stepsMin: 4,
    async remove() {
      await temporary[Symbol.asyncDispose]();
    },
  });
}

/**
 * Every row of every table, as another process reads the file, but for the revisions, which rise
 * with every commit and are no part of a record.
 */
export function dumpOf(file: string): Record<string, unknown> {
  using database = new DatabaseSync(file, { readOnly: true });
  const tables = database
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
    .all()
    .map((row) => String(row['name']));
  return Object.fromEntries(
    tables.map((table) => {
      const rows = database.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all();
      return [table, rows.map((row) => ({ ...row, revision: undefined }))];
    }),
  );
}
