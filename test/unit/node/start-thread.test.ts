import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdir, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';

import { startThread } from '#providers/node/start-thread.ts';
import { temporaryFolder } from '#test/e2e/varve-process.ts';

const STARTER = new URL('./thread-starter.ts', import.meta.url);
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

  it('keeps the stripped sources for later processes, until one changes or is damaged', async () => {
    await using folder = await temporaryFolder();
    const program = path.join(folder.path, 'program.ts');
    await writeFile(path.join(folder.path, 'package.json'), '{"type":"module"}');
    const env = { ...process.env, NODE_COMPILE_CACHE: path.join(folder.path, 'compiled') };
    const args = [fileURLToPath(STARTER), pathToFileURL(program).href];
    const started = async (said: string) => {
      await writeFile(program, thatSays(said));
      const { stdout } = await promisify(execFile)(process.execPath, args, { env });
      return JSON.parse(stdout) as unknown;
    };
    // The first process also strips the types of its own sources.
    await started('first');
    expect(await started('first')).toEqual({ said: 'first', strippers: [] });
    const strippers = ['NativeModule internal/deps/amaro/dist/index'];
    expect(await started('second')).toEqual({ said: 'second', strippers });
    expect(await started('second')).toEqual({ said: 'second', strippers: [] });
    for (const kept of await strippedIn(env.NODE_COMPILE_CACHE)) await truncate(kept, 70);
    expect(await started('second')).toEqual({ said: 'second', strippers });
    expect(await started('second')).toEqual({ said: 'second', strippers: [] });
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

/** The paths of the kept sources below a folder. */
async function strippedIn(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder, { recursive: true });
  const kept = files.filter((file) => path.basename(file).startsWith('stripped-'));
  expect(kept.length).toBeGreaterThan(0);
  return kept.map((file) => path.join(folder, file));
}

/** A program of a thread, in TypeScript. */
function thatSays(said: string): string {
  return `import { parentPort } from 'node:worker_threads';
    const said: string = ${JSON.stringify(said)};
    parentPort?.postMessage(said);`;
}

async function firstMessage(thread: Worker): Promise<unknown> {
  const [message] = (await once(thread, 'message')) as [unknown];
  return message;
}
