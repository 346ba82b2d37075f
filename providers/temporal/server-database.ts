/**
 * The embedded server's SQLite file. Everything in it can be restored from Varve's own store, so an
 * unusable file is moved aside and the server starts with a new one.
 */
import { existsSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Parts that SQLite keeps beside a database; an old log would damage a new file at once. */
const PARTS = ['', '-wal', '-shm', '-journal'] as const;

export type DatabaseState =
  | { readonly kind: 'Absent' }
  | { readonly kind: 'Usable' }
  | { readonly kind: 'Unusable'; readonly reason: string };

/** Returns the database file of a server version: a newer server cannot read an older file. */
export function temporalDatabaseFile(folder: string, serverVersion: string): string {
  return path.join(folder, `temporal-${serverVersion}.db`);
}

/**
 * Checks whether the server can start on the file. `thorough` reads all of it, which is worth the
 * time only after an unclean stop.
 */
export async function inspectDatabase(
  file: string,
  options: { readonly thorough: boolean },
): Promise<DatabaseState> {
  if (!existsSync(file)) return { kind: 'Absent' };
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
    // The server creates its tables only in a new file, so an interrupted first start leaves a file
    // that no later start repairs.
    database.prepare('SELECT count(*) FROM namespaces').get();
    const fault = options.thorough ? firstFault(database) : undefined;
    return fault === undefined ? { kind: 'Usable' } : { kind: 'Unusable', reason: fault };
  } catch (error) {
    return { kind: 'Unusable', reason: error instanceof Error ? error.message : String(error) };
  } finally {
    database?.close();
  }
}

/** Between the name of a file and the time when it was moved aside. */
const ASIDE = '.corrupt-';

/**
 * Moves the file and its parts aside; returns the new name of the file. Deletes what was moved
 * aside before, or damage again and again would fill the disk.
 */
export async function moveDatabaseAside(file: string, now: Date): Promise<string> {
  const [folder, name] = [path.dirname(file), path.basename(file)];
  const earlier = (await readdir(folder)).filter((each) => each.startsWith(`${name}${ASIDE}`));
  for (const each of earlier) await rm(path.join(folder, each), { force: true });
  const suffix = `${ASIDE}${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
  for (const part of PARTS) {
    if (existsSync(`${file}${part}`)) await rename(`${file}${part}`, `${file}${suffix}${part}`);
  }
  return `${file}${suffix}`;
}

/** Whether the server's output blames its database file. */
export function blamesDatabase(output: string): boolean {
  return /file is not a database|database disk image is malformed|no such (table|column)/i.test(
    output,
  );
}

function firstFault(database: DatabaseSync): string | undefined {
  const row = database.prepare('PRAGMA quick_check(1)').get();
  const verdict = row?.['quick_check'];
  return verdict === 'ok' ? undefined : String(verdict);
}
