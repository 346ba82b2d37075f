import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';

import { VarveError } from '#core/errors.ts';
import { byVector, byWords, conditionsOf, GENERATION } from '#test/conformance/search-samples.ts';
import { memoryOf, userScope } from '#test/conformance/samples.ts';

import { openFile, write, writeMany, type Kept } from './search-fixture.ts';

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

/** Ends a thread as a crash does; answers once it is gone. */
async function kill(worker: Worker | undefined): Promise<void> {
  await worker?.terminate();
}

describe('search threads', () => {
  it('MEM-26: a thread that ends fails its calls, and the next call gets a new one', async () => {
    await using opened = await openFile();
    await write(opened.connection, [keptOf(1)]);
    const call = opened.search.search(SCOPE, byWords('tea'));
    const failed = call.catch((error: unknown) => error);
    await kill(opened.threads[0]);
    expect(await failed).toMatchObject({ code: 'PROVIDER_ERROR', retryable: true });
    const { candidates } = await opened.search.search(SCOPE, byWords('tea'));
    expect(candidates.map(({ memory }) => memory.id)).toEqual([memoryOf('acme', 1).id]);
    expect(opened.threads).toHaveLength(2);
  });

  it('MEM-26: a thread that ends between calls is replaced', async () => {
    await using opened = await openFile();
    await opened.search.search(SCOPE, byWords('tea'));
    await kill(opened.threads[0]);
    expect(await opened.search.list('acme', LIST)).toMatchObject({ total: 0 });
  });

  it('MEM-27: what a thread can no longer take is RATE_LIMITED with a delay', async () => {
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

  it('MEM-01: closing fails the calls under way, and later ones', async () => {
    await using opened = await openFile();
    await write(opened.connection, [keptOf(1)]);
    const calls = [opened.search.search(SCOPE, byWords('tea')), opened.search.list('acme', LIST)];
    const codes = Promise.all(calls.map(async (call) => codeOf(call)));
    await opened.search.close();
    expect(await codes).toEqual(['CANCELLED', 'CANCELLED']);
    expect(await codeOf(opened.search.list('acme', LIST))).toBe('CANCELLED');
  });

  it('MEM-01: closing ends a thread in the midst of its work', async () => {
    await using opened = await openFile();
    await writeMany(opened.connection, { scope: SCOPE, count: MANY, generation: GENERATION });
    const [found, listed] = [
      codeOf(opened.search.search(SCOPE, byVector([1, 0]))),
      codeOf(opened.search.list('acme', LIST)),
    ];
    const [worker] = opened.threads;
    if (worker !== undefined) await once(worker, 'online');
    await opened.search.close();
    expect(await Promise.all([found, listed])).toEqual(['CANCELLED', 'CANCELLED']);
    expect(worker?.threadId).toBe(-1);
  });
});
