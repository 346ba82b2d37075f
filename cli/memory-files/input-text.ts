/** A text that a command is given in a file or on standard input. */
import type { DocumentAnswer } from '#api/operations/documents.ts';
import { VarveError } from '#core/errors.ts';
import { createReadStream } from 'node:fs';

/** The longest that any command takes, in UTF-8; what is longer is refused before it is read. */
const BYTES_MAX = 1_048_576;
export const STANDARD_INPUT = '-';

/** What is needed of standard input. */
export type TextInput = AsyncIterable<Uint8Array> & { readonly isTTY?: boolean };

/** @throws VarveError INVALID_INPUT where it cannot be read, CONTENT_TOO_LONG with the maximum */
export async function readText(name: string, input: TextInput): Promise<string> {
  if (name === STANDARD_INPUT) return decoded(await bounded(input), 'Standard input');
  try {
    return decoded(await bounded(createReadStream(name)), 'The file');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error) || error instanceof VarveError) throw error;
    const isAbsent = error.code === 'ENOENT';
    const why = isAbsent ? 'There is no such file' : 'The file cannot be read';
    throw new VarveError('INVALID_INPUT', `${why}; --file takes the name of one, or -.`, {
      cause: error,
    });
  }
}

async function bounded(input: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    size += chunk.byteLength;
    if (size > BYTES_MAX) {
      throw new VarveError('CONTENT_TOO_LONG', `A text has at most ${String(BYTES_MAX)} bytes.`, {
        details: { bytesMax: BYTES_MAX },
      });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function decoded(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new VarveError('INVALID_INPUT', `${what} is not UTF-8.`, { cause });
  }
}

/** A file that is longer than one answer, put together. */

/** Answers of one file; each has a million characters. */
const ANSWERS_MAX = 100;
/** What every answer begins with: the title of the file and an empty line. */
const TITLE = /^# .*\n\n?/u;

/** Null where there is none. */
export async function wholeFile(
  read: (after: number) => Promise<DocumentAnswer | null>,
): Promise<DocumentAnswer | null> {
  const first = await read(0);
  if (first === null) return null;
  const texts = [first.text];
  const lines = [...first.lines];
  let { outdatedLines } = first;
  let last = first;
  for (let answers = 1; last.nextAfter !== null && answers < ANSWERS_MAX; answers += 1) {
    const next = await read(last.nextAfter);
    if (next === null) break;
    texts.push(next.text.replace(TITLE, ''));
    lines.push(...next.lines);
    outdatedLines += next.outdatedLines;
    last = next;
  }
  return { ...last, text: texts.join('\n'), lines, outdatedLines };
}
