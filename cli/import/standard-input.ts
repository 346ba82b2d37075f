/** Copies standard input to a file: an import reads its input twice, to check it first. */
import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { VarveError } from '#core/errors.ts';
import { LINE_END, lineSplitter } from '../line-splitter.ts';
import { STANDARD_INPUT } from '../shared-command-options.ts';
import { slugOf } from './import-item.ts';
import { refuseBinary } from './input-file.ts';
import { LINE_BYTES_MAX } from './json-stream.ts';

const DIGEST_LENGTH = 16;

/** How errors name the input. */
const SHOWN = 'standard input';

interface InputPath extends AsyncDisposable {
  readonly path: string;
  /** Name of the input in place of that of its path; undefined for a file under its own. */
  readonly name: string | undefined;
  /** An error for the user, who does not know about the copy. */
  told(error: VarveError): VarveError;
}

interface InputOptions {
  /** Under the same name, an input that has grown is an update. */
  readonly name?: string | undefined;
  readonly signal?: AbortSignal;
}

/**
 * Returns the path unchanged; for `-`, the path of a file with the input, removed at the end.
 * @throws VarveError INVALID_INPUT for a name without a letter or digit, and for binary input;
 * CANCELLED
 */
export async function inputPathOf(
  named: string,
  input: AsyncIterable<Uint8Array>,
  { name, signal }: InputOptions = {},
): Promise<InputPath> {
  if (name !== undefined && !/[\p{L}\p{N}]/u.test(name)) {
    throw new VarveError(
      'INVALID_INPUT',
      `--name takes a name with a letter or digit, such as chat, not ${JSON.stringify(name)}.`,
    );
  }
  if (named !== STANDARD_INPUT) {
    const own = name === undefined ? undefined : `${slugOf(name)}${path.extname(named)}`;
    const none = { [Symbol.asyncDispose]: () => Promise.resolve() };
    return { path: named, name: own, told: (error) => error, ...none };
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-import-'));
  await using held = new AsyncDisposableStack();
  held.defer(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'standard-input.jsonl');
  const digest = createHash('sha256');
  await copy(input, file, { digest, signal });
  // Without a name, the same input updates, and another one adds.
  const own = name === undefined ? digest.digest('hex').slice(0, DIGEST_LENGTH) : slugOf(name);
  const owned = held.move();
  return {
    path: file,
    name: `${own}.jsonl`,
    told: (error) => withoutPath(error, file),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** @throws VarveError INVALID_INPUT for binary input; CANCELLED */
async function copy(
  input: AsyncIterable<Uint8Array>,
  file: string,
  { digest, signal }: { readonly digest: Hash; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const hashed = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of boundedLines(chunks)) {
      digest.update(chunk);
      yield chunk;
    }
  };
  try {
    await pipeline(input, hashed, createWriteStream(file), signal === undefined ? {} : { signal });
  } catch (error) {
    if (signal?.aborted === true) throw new VarveError('CANCELLED', 'The import was stopped.');
    throw error;
  }
}

/** In place of a line that is too long, so that the copy stays small; its reader refuses it. */
const TOO_LONG = Buffer.alloc(LINE_BYTES_MAX + 1, '-');

async function* boundedLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const linesOf = lineSplitter(LINE_BYTES_MAX);
  const copied = (chunk: Buffer): Buffer =>
    Buffer.concat(linesOf(chunk).flatMap((line) => [line ?? TOO_LONG, LINE_END]));
  let isFirst = true;
  for await (const bytes of chunks) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (isFirst) refuseBinary(chunk, SHOWN);
    isFirst = false;
    yield copied(chunk);
  }
  yield copied(LINE_END);
}

/** The copy is gone when the error is read. */
function withoutPath(error: VarveError, file: string): VarveError {
  const { code, message, details, cause } = error;
  const shown = details?.['file'] === file ? { ...details, file: SHOWN } : details;
  return new VarveError(code, message.replaceAll(file, SHOWN), { details: shown, cause });
}
