import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

import { seeded } from '#bench/search/made-up-memories.ts';
import type { Connection } from '#providers/sqlite/connection.ts';
import { IndexCache } from '#providers/sqlite/search/index-cache.ts';
import { readKept } from '#providers/sqlite/search/kept-index.ts';
import { connect, openFile, rounded } from '#test/unit/sqlite/search/search-fixture.ts';

import { userScope } from './samples.ts';
import { conditionsOf } from './search-samples.ts';
import { temporaryFolder } from './sqlite-adapter.ts';

const WRITER = fileURLToPath(new URL('../unit/sqlite/search/keeping-writer.ts', import.meta.url));
const KILLS = 4;
/** On busy cores a process takes seconds to begin. */
const TEST_MS_MAX = 240_000;
const SEED = 20_261_124;
/** Searches that a process gets done before it is killed, and some milliseconds more. */
const SEARCHES_MAX = 8;
const MILLISECONDS_MAX = 60;
const ROOM = 100_000_000;
const SCOPE = userScope('acme');
const LIMIT = 4_000;

async function runAndKill(file: string, run: number, random: () => number): Promise<void> {
  const child = spawn(process.execPath, [WRITER, file, String(run)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let left = 1 + Math.floor(random() * SEARCHES_MAX);
  for await (const _ of createInterface({ input: child.stdout })) {
    left -= 1;
    if (left === 0) setTimeout(() => child.kill('SIGKILL'), random() * MILLISECONDS_MAX);
  }
  expect(await ended).toEqual([null, 'SIGKILL']);
}

/** What the first search of a process finds, by both legs. */
function answerIn(connection: Connection) {
  const found = new IndexCache(connection, ROOM, 1).indexOf(SCOPE)?.search({
    conditions: conditionsOf({}),
    terms: ['tea', 'owl'],
    vectors: [{ generation: 'g1', vector: [1, 2, 0] }],
    limit: LIMIT,
  });
  return { ...found, hits: found?.hits.map(rounded) };
}

it(
  'an index left by a killed process finds the same memories as a fresh one',
  {
    timeout: TEST_MS_MAX,
  },
  async () => {
    await using temporary = await temporaryFolder();
    const file = path.join(temporary.folder, 'varve.db');
    await (await openFile({ file }))[Symbol.asyncDispose]();
    const random = seeded(SEED);
    let kept = 0;
    for (let run = 0; run < KILLS; run += 1) {
      await runAndKill(file, run, random);
      using connection = connect(file);
      if ((await connection.read(() => readKept(connection, SCOPE))) !== null) kept += 1;
      const found = await connection.read(() => answerIn(connection));
      expect(found.compared).toBeGreaterThan(0);
      // Without what was kept, every memory is read. The next process goes on with what was kept.
      connection.script('BEGIN; DELETE FROM memory_indexes');
      expect(found).toEqual(answerIn(connection));
      connection.script('ROLLBACK');
    }
    expect(kept).toBeGreaterThan(0);
  },
);
