/** The cost of the first search of a process, with a kept index and without one. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { STORE_FILE } from '#cli/choose-store.ts';

const PROGRAM = fileURLToPath(new URL('./first-search-process.ts', import.meta.url));

export interface FirstSearch {
  readonly cpuMs: number;
  readonly wallMs: number;
}

export interface FirstSearches {
  /** One value for each round. */
  readonly kept: readonly FirstSearch[];
  readonly built: readonly FirstSearch[];
  /** Bytes of the index in the file. */
  readonly bytes: number;
}

/** Runs each search in its own process; the one that builds the index keeps it for the other. */
export async function measureFirstSearches(
  dataDir: string,
  {
    tenant,
    questionOf,
    rounds,
  }: {
    readonly tenant: string;
    readonly questionOf: (at: number) => string;
    readonly rounds: number;
  },
): Promise<FirstSearches> {
  const kept: FirstSearch[] = [];
  const built: FirstSearch[] = [];
  using database = new DatabaseSync(path.join(dataDir, STORE_FILE));
  for (let at = 0; at < rounds; at += 1) {
    database.exec('DELETE FROM memory_indexes');
    built.push(await firstSearch(dataDir, tenant, questionOf(at)));
    kept.push(await firstSearch(dataDir, tenant, questionOf(at)));
  }
  const sum = 'SELECT sum(length(bytes)) AS bytes FROM memory_indexes';
  return { kept, built, bytes: Number(database.prepare(sum).get()?.['bytes']) };
}

async function firstSearch(...args: readonly string[]): Promise<FirstSearch> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...args]);
  return JSON.parse(stdout) as FirstSearch;
}
