import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';

import { VarveError } from '#core/errors.ts';
import { createClosingFlag } from '#providers/sqlite/search/thread-messages.ts';
import { endThread } from '#providers/sqlite/search/search-thread.ts';
import { byVector, byWords, conditionsOf, GENERATION } from '#test/conformance/search-samples.ts';
import { memoryOf, userScope } from '#test/conformance/samples.ts';

import {
  connect,
  openFile,
  remove,
  write,
  writeMany,
  type Kept,
  type Opened,
} from '../unit/sqlite/search/search-fixture.ts';

const SCOPE = userScope('acme');
const LIST = {
  scopes: [SCOPE],
  conditions: conditionsOf(),
  order: 'oldest',
  after: null,
  limit: 10,
} as const;
/** More than a thread takes at once. */
const CALLS_TOO_MANY = 1_025;
const MANY = 20_000;
const NO_PATIENCE_MS = 1;

function keptOf(n: number): Kept {
  const vectors = [{ generation: GENERATION, vector: [1, 0] }];
  return { memory: memoryOf('acme', n), terms: ['tea'], vectors };
}

async function codeOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
    return 'Answered';
  } catch (error) {
    return error instanceof VarveError ? error.code : error;
  }
}

/** Lets a thread die of an error before it takes another call: this is no message for it. */
function crash(worker: Worker | undefined): void {
  worker?.postMessage(null, []);
}

async function searched({ search }: Opened): Promise<readonly string[]> {
  const { candidates } = await search.search(SCOPE, byWords('tea'));
  return candidates.map(({ memory }) => memory.id);
}

/** Where a thread is when it is told to end. */
const MOMENTS = [
  ['while it loads its program', { isLoaded: false, isAsked: true }],
  ['while it works', { isLoaded: true, isAsked: true }],
  ['when it has nothing to do', { isLoaded: true, isAsked: false }],
] as const;

function callsOf({ search }: Opened): Promise<unknown>[] {
  return [search.search(SCOPE, byVector([1, 0])), search.list('acme', LIST)];
}

describe('small scopes', () => {
  it('are searched without a thread, including writes of other connections', async () => {
    await using opened = await openFile({ threadedFrom: 3 });
    expect(await searched(opened)).toEqual([]);
    using other = connect(opened.file);
    await write(other, [keptOf(1)]);
    expect(await searched(opened)).toEqual([memoryOf('acme', 1).id]);
    await write(opened.connection, [keptOf(2)]);
    expect(await searched(opened)).toHaveLength(2);
    await remove(other, memoryOf('acme', 1));
    expect(await searched(opened)).toEqual([memoryOf('acme', 2).id]);
    expect(opened.threads).toEqual([]);
  });

  it('are searched by a thread, with the same hits, once they reach the limit', async () => {
    await using opened = await openFile({ threadedFrom: 3 });
    await write(opened.connection, [keptOf(1), keptOf(2)]);
    const few = await opened.search.search(SCOPE, byWords('tea'));
    await write(opened.connection, [keptOf(3)]);
    const many = await opened.search.search(SCOPE, byWords('tea'));
    expect(opened.threads).toHaveLength(1);
    expect([few, many].map(({ path, compared }) => [path, compared])).toEqual([
      ['Memory', 2],
      ['Memory', 3],
    ]);
  });

  it.each([
    { reads: 'a few records', contentUnits: 10, threads: 0 },
    { reads: 'megabytes of records', contentUnits: 600_000, threads: 1 },
  ])('are listed by a filter with $threads threads, if that reads $reads', async (given) => {
    await using opened = await openFile({ threadedFrom: 3 });
    const content = 'x'.repeat(given.contentUnits);
    for (const n of [1, 2]) {
      const memory = { ...memoryOf('acme', n, { content }), metadata: { room: n } };
      await write(opened.connection, [{ ...keptOf(n), memory }]);
    }
    const conditions = conditionsOf({ filter: { field: 'room', eq: 2 } });
    const { memories, total } = await opened.search.list('acme', { ...LIST, conditions });
    expect([memories.map(({ id }) => id), total]).toEqual([[memoryOf('acme', 2).id], 1]);
    expect(opened.threads).toHaveLength(given.threads);
  });

  it('are CANCELLED if they are searched after closing', async () => {
    await using opened = await openFile({ threadedFrom: 3 });
    opened.connection.close();
    expect(await codeOf(searched(opened))).toBe('CANCELLED');
  });
});

describe('search threads', () => {
  it('a thread that dies fails its calls, and the next call gets a new thread', async () => {
    await using opened = await openFile();
    await write(opened.connection, [keptOf(1)]);
    await searched(opened);
    crash(opened.threads[0]);
    const call = searched(opened);
    await expect(call).rejects.toMatchObject({ code: 'PROVIDER_ERROR', retryable: true });
    expect(await searched(opened)).toEqual([memoryOf('acme', 1).id]);
    expect(opened.threads).toHaveLength(2);
  });

  it('a thread that dies between calls is replaced', async () => {
    await using opened = await openFile();
    await searched(opened);
    const [worker] = opened.threads;
    const exit = new Promise((resolve) => worker?.once('exit', resolve));
    crash(worker);
    await exit;
    expect(await opened.search.list('acme', LIST)).toMatchObject({ total: 0 });
  });

  it('a call that a full thread cannot take is RATE_LIMITED with a delay', async () => {
    await using opened = await openFile();
    const calls = Array.from({ length: CALLS_TOO_MANY }, async () =>
      opened.search.search(SCOPE, byWords('tea')),
    );
    const [last, ...others] = (await Promise.allSettled(calls)).toReversed();
    expect(last).toMatchObject({
      status: 'rejected',
      reason: { code: 'RATE_LIMITED', details: { retryAfterMs: 500 } },
    });
    expect(others.filter(({ status }) => status === 'rejected')).toEqual([]);
  });

  it('a thread full of calls from one tenant still takes calls of another tenant', async () => {
    await using opened = await openFile();
    const ask = (tenant: string, times: number) =>
      Array.from({ length: times }, () => codeOf(opened.search.list(tenant, LIST)));
    const many = ask('acme', CALLS_TOO_MANY - 1);
    const few = ask('globex', 10);
    const more = ask('acme', 10);
    expect(new Set(await Promise.all(few))).toEqual(new Set(['Answered']));
    expect(new Set(await Promise.all(more))).toEqual(new Set(['RATE_LIMITED']));
    await Promise.all(many);
  });

  it('a call of one tenant does not wait for a burst of another', async () => {
    await using opened = await openFile();
    const answered: string[] = [];
    const ask = async (tenant: string) => {
      // The thread is that of the first scope, whatever the query.
      await opened.search.list(tenant, LIST);
      answered.push(tenant);
    };
    // It opens the file, so that the next calls are taken for long ones.
    await ask('acme');
    await Promise.all([...Array.from({ length: 20 }, () => ask('acme')), ask('globex')]);
    expect(answered.indexOf('globex')).toBeLessThan(10);
  });

  it('closing cancels the current calls and later ones', async () => {
    await using opened = await openFile();
    await write(opened.connection, [keptOf(1)]);
    const calls = [opened.search.search(SCOPE, byWords('tea')), opened.search.list('acme', LIST)];
    const codes = Promise.all(calls.map(async (call) => codeOf(call)));
    await opened.search.close();
    expect(await codes).toEqual(['CANCELLED', 'CANCELLED']);
    expect(await codeOf(opened.search.list('acme', LIST))).toBe('CANCELLED');
  });

  it.each(MOMENTS)('closing ends a thread %s and closes its file', async (_, moment) => {
    await using opened = await openFile();
    if (moment.isLoaded) await searched(opened);
    await writeMany(opened.connection, { scope: SCOPE, count: MANY, generation: GENERATION });
    const calls = moment.isAsked ? callsOf(opened) : [];
    const codes = Promise.all(calls.map(async (call) => codeOf(call)));
    await opened.search.close();
    expect(await codes).toEqual(calls.map(() => 'CANCELLED'));
    expect(opened.threads.map(({ threadId }) => threadId)).toEqual([-1]);
    expect(opened.exitCodes).toEqual([0]);
    // SQLite removes the files beside it with the last connection of all threads.
    opened.connection.close();
    expect(await readdir(path.dirname(opened.file))).toEqual([path.basename(opened.file)]);
  });

  it('a thread that never checks for the end is terminated', async () => {
    const program = "require('node:worker_threads').parentPort.postMessage('At work'); for (;;);";
    const worker = new Worker(program, { eval: true });
    await once(worker, 'message');
    const closing = createClosingFlag();
    expect(await endThread({ worker, closing }, NO_PATIENCE_MS)).toBe('Terminated');
    expect(worker.threadId).toBe(-1);
  });
});
