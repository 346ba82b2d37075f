/** JSON Lines on standard input as a file: an import reads its input twice, to check it first. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { STANDARD_INPUT } from '../shared-command-options.ts';

const NAME_LENGTH = 16;

export interface InputPath extends AsyncDisposable {
  readonly path: string;
}

/** The path as it is, or for `-` that of a file with what the input has, removed in the end. */
export async function inputPathOf(
  named: string,
  input: AsyncIterable<Uint8Array>,
): Promise<InputPath> {
  if (named !== STANDARD_INPUT) {
    return { path: named, [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-import-'));
  await using held = new AsyncDisposableStack();
  held.defer(() => rm(folder, { recursive: true, force: true }));
  const unnamed = path.join(folder, 'unnamed');
  const digest = createHash('sha256');
  await pipeline(
    input,
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        digest.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(unnamed),
  );
  // Keys begin with the name of the file: the same input updates, and another one adds.
  const place = path.join(folder, 'standard-input');
  const file = path.join(place, `${digest.digest('hex').slice(0, NAME_LENGTH)}.jsonl`);
  await mkdir(place);
  await rename(unnamed, file);
  const owned = held.move();
  return { path: file, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
