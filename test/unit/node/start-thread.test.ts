import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';

import { startThread } from '#providers/node/start-thread.ts';

const PROGRAM = new URL('./thread-program.ts', import.meta.url);

describe('startThread', () => {
  it('starts a TypeScript program without the WebAssembly that strips types', async () => {
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

  it('fails like any thread if the program throws', async () => {
    const thread = startThread(PROGRAM, { workerData: 'throw' });
    await expect(once(thread, 'message')).rejects.toThrow('as it was told');
  });

  it('refuses a missing program before a thread starts', () => {
    const program = new URL('./missing.ts', import.meta.url);
    expect(() => startThread(program, {})).toThrow('missing.ts');
  });
});

async function firstMessage(thread: Worker): Promise<unknown> {
  const [message] = (await once(thread, 'message')) as [unknown];
  return message;
}
