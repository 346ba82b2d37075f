import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

import { reservedOf } from '#core/budget/budget-account.ts';
import { EMPTY_SOURCE_HASH, sourceHashOf, sourceLane } from '#core/hash.ts';
import { memorySource } from '#core/sources/source.ts';
import type { Store } from '#core/ports/store.ts';
import { SCHEMA_VERSION } from '#providers/sqlite/migrate.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';

import { allSources } from './refresh.ts';
import { digest, memoryOf, NOW, userScope } from './samples.ts';
import { dumpOf, OPENING, temporaryFolder } from './sqlite-adapter.ts';

const WRITER = fileURLToPath(new URL('./sqlite-writer.ts', import.meta.url));
const ADDS = 200;
const RESERVATIONS = 25;
const LIMIT_TOKENS = 50;
const BUDGET = {
  limitTokens: LIMIT_TOKENS,
  limitMicroDollars: null,
  onExhausted: 'Reject',
} as const;
/** Enough that the writer is killed during its work. */
const ADDS_BEFORE_KILL = 60;
const PROCESSES = 4;
/** Writers of one process, whose adds share transactions. */
const WRITERS_OF_EACH = 8;
const WRITERS = PROCESSES * WRITERS_OF_EACH;
const TEST_MS_MAX = 180_000;
const STEPS_MAX = 40;

interface Writer {
  readonly child: ChildProcess;
  /** Ids of the memories whose promises resolved. */
  readonly added: string[];
  readonly ended: Promise<unknown>;
}

function startWriter(file: string, ...numbers: number[]): Writer {
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(process.execPath, [WRITER, file, ...numbers.map(String)], {
    stdio: [...stdio],
  });
  const added: string[] = [];
  if (child.stdout !== null) {
    createInterface({ input: child.stdout }).on('line', (id) => {
      added.push(id);
    });
  }
  return { child, added, ended: once(child, 'close') };
}

/** Ends the writer by a kill once it has added enough. */
function killMidway({ child, added }: Writer): void {
  child.stdout?.on('data', () => {
    if (added.length >= ADDS_BEFORE_KILL) child.kill('SIGKILL');
  });
}

async function expectTrueCounts(store: Store, acknowledged: readonly string[]): Promise<number> {
  const scope = userScope('acme');
  const record = await store.scopes.get(scope);
  const sources = await allSources(store, scope, NOW);
  const ids = new Set(sources.map(({ id }) => id));
  expect(acknowledged.filter((id) => !ids.has(id))).toEqual([]);
  expect(record).toMatchObject({ sourceCount: ids.size, changes: ids.size, version: ids.size });
  expect(record.sourceHash).toBe(sourceHashOf(digest, sources));
  expect(await store.health()).toMatchObject({ ok: true, findings: [] });
  return ids.size;
}

describe('several processes on one SQLite file', () => {
  it(
    'SCHEMA-4: all succeed if they open a new file at once',
    { timeout: TEST_MS_MAX },
    async () => {
      await using temporary = await temporaryFolder();
      const file = path.join(temporary.folder, 'varve.db');
      const writers = [0, 1, 2].map((n) => startWriter(file, n, 1));
      const here = Array.from({ length: 4 }, async () => {
        await using store = await openSqliteStore({ file, ...OPENING });
        expect((await store.health()).schemaVersion).toBe(SCHEMA_VERSION);
      });
      await Promise.all([...here, ...writers.map(({ ended }) => ended)]);
      expect(writers.map(({ child }) => child.exitCode)).toEqual([0, 0, 0]);
    },
  );

  it(
    'three writers, one of them killed, lose no acknowledged write',
    { timeout: TEST_MS_MAX },
    async () => {
      await using temporary = await temporaryFolder();
      const file = path.join(temporary.folder, 'varve.db');
      const writers = [0, 1, 2].map((n) => startWriter(file, n * 1_000, ADDS, RESERVATIONS));
      const [victim] = writers;
      if (victim !== undefined) killMidway(victim);
      await Promise.all(writers.map(({ ended }) => ended));
      expect(writers.map(({ child }) => child.signalCode)).toEqual(['SIGKILL', null, null]);

      await using store = await openSqliteStore({ file, ...OPENING });
      const acknowledged = writers.flatMap(({ added }) => added);
      const count = await expectTrueCounts(store, acknowledged);
      // The victim may have died between a commit and its word of it.
      expect(count - acknowledged.length).toBeOneOf([0, 1]);

      const account = await store.accounts.get('acme', '2026-11', BUDGET);
      expect(account.spent.tokens + reservedOf(account).tokens).toBe(LIMIT_TOKENS);
      const entries = await store.accounts.entries('acme', { limit: 100 });
      expect(entries).toHaveLength(LIMIT_TOKENS);
    },
  );

  it(
    `STORE-43: ${WRITERS} writers of ${PROCESSES} processes, one of them killed, lose nothing`,
    async () => {
      await using temporary = await temporaryFolder();
      const file = path.join(temporary.folder, 'varve.db');
      const writers = Array.from({ length: PROCESSES }, (_, n) =>
        startWriter(file, n * 1_000, ADDS, 0, -1, WRITERS_OF_EACH),
      );
      const [victim] = writers;
      if (victim !== undefined) killMidway(victim);
      await Promise.all(writers.map(({ ended }) => ended));
      expect(writers.map(({ child }) => child.signalCode)).toEqual(['SIGKILL', null, null, null]);

      await using store = await openSqliteStore({ file, ...OPENING });
      const acknowledged = writers.flatMap(({ added }) => added);
      const count = await expectTrueCounts(store, acknowledged);
      // What shared the last transaction of the victim is all there, or none of it.
      expect(count - acknowledged.length).toBeLessThanOrEqual(WRITERS_OF_EACH);
      for (const { added } of writers.slice(1)) expect(added).toHaveLength(ADDS);
    },
    TEST_MS_MAX,
  );

  it(
    'an add that is killed at any step is complete or absent',
    { timeout: TEST_MS_MAX },
    async () => {
      await using temporary = await temporaryFolder();
      let deaths = 0;
      for (let step = 0; step < STEPS_MAX; step += 1) {
        const file = path.join(temporary.folder, `${step}.db`);
        const writer = startWriter(file, 0, 1, 0, step);
        await writer.ended;
        if (writer.child.signalCode === null) break;
        deaths += 1;
        expect(writer.added).toEqual([]);
        await using store = await openSqliteStore({ file, ...OPENING });
        const { sourceCount, sourceHash } = await store.scopes.get(userScope('acme'));
        expect(dumpOf(file)['memories']).toHaveLength(sourceCount);
        const lane = sourceLane(digest, memorySource(memoryOf('acme', 0)));
        expect(sourceHash).toBe(sourceCount === 0 ? EMPTY_SOURCE_HASH : lane);
        expect(await store.health()).toMatchObject({ ok: true });
      }
      expect(deaths).toBeGreaterThanOrEqual(4);
    },
  );
});
