/**
 * Copies JSON Lines from standard input to a file: an import reads its input twice, to check it
 * first.
 */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { VarveError } from '#core/errors.ts';
import { STANDARD_INPUT } from '../shared-command-options.ts';
import { slugOf } from './import-item.ts';

const DIGEST_LENGTH = 16;

export interface InputPath extends AsyncDisposable {
  readonly path: string;
}

/**
 * Returns the path unchanged; for `-`, the path of a file with the input, removed at the end.
 * @param name of the input that `-` reads: with the same name, an input that has grown is an update
 * @throws VarveError INVALID_INPUT for a name without a letter or digit
 */
export async function inputPathOf(
  named: string,
  input: AsyncIterable<Uint8Array>,
  name?: string,
): Promise<InputPath> {
  if (name !== undefined && !/[\p{L}\p{N}]/u.test(name)) {
    throw new VarveError(
      'INVALID_INPUT',
      `--name takes a name with a letter or digit, such as chat, not ${JSON.stringify(name)}.`,
    );
  }
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
  // Keys and sessions begin with the file's name, so the same input updates and another one adds.
  const place = path.join(folder, 'standard-input');
  const own = name === undefined ? digest.digest('hex').slice(0, DIGEST_LENGTH) : slugOf(name);
  const file = path.join(place, `${own}.jsonl`);
  await mkdir(place);
  await rename(unnamed, file);
  const owned = held.move();
  return { path: file, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
