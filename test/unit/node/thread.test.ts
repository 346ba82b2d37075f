import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';

import { startThread } from '#providers/node/start-thread.ts';

const PROGRAM = new URL('./thread-program.ts', import.meta.url);

describe('startThread', () => {
  it('starts a program of TypeScript without the WebAssembly that strips types', async () => {
    expect(await firstMessage(startThread(PROGRAM, { workerData: 'as given' }))).toEqual({
      workerData: 'as given',
      strippers: [],
    });
    // What Node has compiled and kept needs no stripping either.
    const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
    expect(await firstMessage(new Worker(PROGRAM, { env }))).toMatchObject({
      strippers: ['NativeModule internal/deps/amaro/dist/index'],
    });
  });

  it('fails like a thread of its own where the program throws', async () => {
    const thread = startThread(PROGRAM, { workerData: 'throw' });
    await expect(once(thread, 'message')).rejects.toThrow('as it was told');
  });

  it('refuses a program that is not there, before a thread starts', () => {
    const program = new URL('./missing.ts', import.meta.url);
    expect(() => startThread(program, {})).toThrow('missing.ts');
  });
});

async function firstMessage(thread: Worker): Promise<unknown> {
  const [message] = (await once(thread, 'message')) as [unknown];
  return message;
}
