/** JSON Lines as a stream: any size of file in the memory of one line. */
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { VarveError } from '#core/errors.ts';
import { NOT_UTF8, refuseBinary } from './input-file.ts';
import { type Place, refusal, unreadable } from './refusal.ts';

/** Longest line; a whole meeting is a few hundred kilobytes. */
const LINE_BYTES_MAX = 1024 * 1024;

const READ_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
const BOM = '\ufeff';

/** One object of the input, or what is wrong at its place. */
export type Entry =
  | { readonly kind: 'value'; readonly value: unknown; readonly place: Place }
  | { readonly kind: 'bad'; readonly problem: VarveError };

export interface LineHooks {
  readonly onBytes?: (bytes: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/** What lines are made of while the stream brings them in parts. */
interface Pending {
  parts: Buffer[];
  bytes: number;
}

/**
 * The objects of a file, one a line; blank lines are passed over. A bad line is an entry too, and
 * the lines after it follow: the caller decides what it means.
 * @throws VarveError INVALID_INPUT where the file cannot be read or is binary; CANCELLED
 */
export async function* readJsonLines(path: string, hooks: LineHooks = {}): AsyncGenerator<Entry> {
  let line = 0;
  for await (const bytes of rawLines(path, hooks)) {
    line += 1;
    const entry = entryOf(bytes, { file: path, line });
    if (entry !== null) yield entry;
  }
}

function entryOf(bytes: Buffer | null, place: Place): Entry | null {
  if (bytes === null) {
    const expected = 'Give one object a line; split a longer one into several.';
    const problem = `the line is longer than ${LINE_BYTES_MAX} bytes`;
    return { kind: 'bad', problem: refusal(place, { problem, expected }) };
  }
  if (!isUtf8(bytes)) return { kind: 'bad', problem: refusal(place, NOT_UTF8) };
  const text = bytes.toString('utf8');
  const json = (place.line === 1 && text.startsWith(BOM) ? text.slice(1) : text).trim();
  if (json === '') return null;
  try {
    return { kind: 'value', value: JSON.parse(json), place };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // The parser's message quotes the line, which is memory text and stays out of errors.
    const whole = json === '{' || json === '[';
    const problem = refusal(place, {
      problem: 'the line is not JSON',
      expected: whole
        ? 'One JSON document over several lines goes into a .json file.'
        : 'Give one complete object a line, e.g. {"role":"user","content":"Hello"}.',
    });
    return { kind: 'bad', problem };
  }
}

/** Lines without their ends; null for a line over the limit, whose bytes are let go. */
async function* rawLines(path: string, hooks: LineHooks): AsyncGenerator<Buffer | null> {
  const pending: Pending = { parts: [], bytes: 0 };
  let first = true;
  for await (const chunk of chunksOf(path)) {
    if (hooks.signal?.aborted === true) {
      throw new VarveError('CANCELLED', 'The import was stopped.');
    }
    if (first) refuseBinary(chunk, path);
    first = false;
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      collect(pending, chunk.subarray(start, end));
      yield taken(pending);
      start = end + 1;
    }
    collect(pending, chunk.subarray(start));
    hooks.onBytes?.(chunk.length);
  }
  if (pending.bytes > 0) yield taken(pending);
}

async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  const stream = createReadStream(path, { highWaterMark: READ_BYTES });
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (error) {
    throw error instanceof VarveError ? error : unreadable(path, error);
  } finally {
    stream.destroy();
  }
}

function collect(pending: Pending, part: Buffer): void {
  pending.bytes += part.length;
  if (pending.bytes > LINE_BYTES_MAX) pending.parts = [];
  else pending.parts.push(part);
}

function taken(pending: Pending): Buffer | null {
  const isWhole = pending.bytes <= LINE_BYTES_MAX;
  const [only] = pending.parts;
  const line = pending.parts.length === 1 ? only : Buffer.concat(pending.parts);
  pending.parts = [];
  pending.bytes = 0;
  return isWhole ? (line ?? null) : null;
}
