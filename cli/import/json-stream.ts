/** The memories and turns of a JSON file, one object at a time. */
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { VarveError } from '#core/errors.ts';
import {
  type InputFile,
  readDocument,
  refusal,
  NOT_UTF8,
  refuseBinary,
  type InputPlace,
  type Shape,
  unreadableFile,
} from './input-file.ts';
import { LINE_END, lineSplitter } from '../line-splitter.ts';
import type { ImportItem, ReadOptions } from './import-item.ts';
import { type Cursor, READERS, requireValid } from './json-records.ts';

/** One import of the records of a file. */
interface RecordRun {
  readonly file: InputFile;
  readonly shape: Shape;
  readonly session: string;
  /** Time of the first turn without a time of its own. */
  readonly baseTime: number;
  readonly options: ReadOptions;
  /** Called with the progress through the file, 0 to 1. */
  readonly onFraction: (fraction: number) => void;
}

/** Yields items in their order. Checks the whole file first, unless bad ones may be skipped. */
export async function* recordItems(run: RecordRun): AsyncGenerator<ImportItem> {
  const { file, options, onFraction } = run;
  if (file.format === 'json') {
    const entries = await readJsonDocument(file);
    const items: ImportItem[] = [];
    for await (const item of itemsOf(entries, run)) items.push(item);
    yield* items;
    return;
  }
  const passes = options.skipInvalid === true ? 1 : 2;
  let bytes = 0;
  const open = (): AsyncIterable<Entry> =>
    readJsonLines(file.path, {
      signal: options.signal,
      onBytes: (read) => {
        bytes += read;
        onFraction(Math.min(1, bytes / (file.bytes * passes)));
      },
    });
  if (passes === 2) {
    // Only the second pass reports what is left out.
    const checked = { ...run, options: { ...options, onSkip: () => undefined } };
    await exhaust(itemsOf(open(), checked));
  }
  yield* itemsOf(open(), run);
}

async function* itemsOf(
  entries: AsyncIterable<Entry> | Iterable<Entry>,
  run: RecordRun,
): AsyncGenerator<ImportItem> {
  const cursor: Cursor = {
    session: run.session,
    name: run.file.name,
    baseTime: run.baseTime,
    identifiers: run.options.identifiers ?? {},
    objects: 0,
    dated: null,
    exported: null,
    turns: 0,
    called: new Map(),
    times: new Map(),
  };
  for await (const entry of entries) {
    const items = entry.kind === 'bad' ? entry.problem : read(entry, run, cursor);
    cursor.objects += 1;
    if (items instanceof VarveError) {
      if (run.options.skipInvalid !== true) throw items;
      run.options.onSkip?.({ kind: 'invalid', problem: items });
      continue;
    }
    if (items.length === 0 && entry.kind === 'value' && run.shape === 'conversations') {
      run.options.onSkip?.({ kind: 'empty', problem: withoutWords(entry.place) });
    }
    yield* items;
  }
}

function withoutWords(place: InputPlace): VarveError {
  return refusal(place, {
    problem: 'nobody says anything in this conversation',
    expected: 'It is left out.',
  });
}

function read(
  entry: Extract<Entry, { kind: 'value' }>,
  { shape, options: { endTime } }: RecordRun,
  cursor: Cursor,
): readonly ImportItem[] | VarveError {
  try {
    const items = READERS[shape](entry.value, entry.place, cursor);
    for (const item of items) requireValid(item, entry.place, endTime);
    return items;
  } catch (error) {
    if (error instanceof VarveError) return error;
    throw error;
  }
}

async function exhaust(items: AsyncIterable<unknown>): Promise<void> {
  const iterator = items[Symbol.asyncIterator]();
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
    // It only matters that the end is reached.
  }
}

/** Fields by which even a broken document shows that it is meant for import. */
const MEANT = /"(?:chat_messages|mapping|meeting_transcripts|role|layer)"\s*:/;

/**
 * Returns the document's objects. A broken document in a folder that is not meant for import, such
 * as settings with comments, becomes one entry without a shape.
 */
export async function readJsonDocument(file: InputFile): Promise<readonly Entry[]> {
  const text = await readDocument(file);
  if (text.trim() === '') return [];
  const place = { file: file.path };
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (file.inFolder && !MEANT.test(text)) return [{ kind: 'value', value: null, place }];
    const at = /position (\d+)/.exec(error.message)?.[1];
    const line = text.slice(0, Number(at ?? 0)).split('\n').length;
    throw refusal(
      { ...place, ...(at === undefined ? {} : { line }) },
      {
        problem: 'the document is not JSON',
        expected: 'Give one complete document, or one object a line in a .jsonl file.',
      },
    );
  }
  const list = listOf(document);
  if (list === null) return [{ kind: 'value', value: document, place }];
  return list.map((value, at) => ({ kind: 'value', value, place: { ...place, item: at + 1 } }));
}

function listOf(document: unknown): readonly unknown[] | null {
  if (Array.isArray(document)) return document;
  const isChat = typeof document === 'object' && document !== null && 'messages' in document;
  return isChat && Array.isArray(document.messages) ? document.messages : null;
}

/** Longest line; a whole meeting has a few hundred kilobytes. */
export const LINE_BYTES_MAX = 1024 * 1024;

const READ_BYTES = 64 * 1024;
const BOM = '\ufeff';

/** One object of the input, or the problem at its place. */
export type Entry =
  | { readonly kind: 'value'; readonly value: unknown; readonly place: InputPlace }
  | { readonly kind: 'bad'; readonly problem: VarveError };

/** Hooks for reading JSON Lines as a stream, in the memory of one line. */
interface LineHooks {
  readonly onBytes?: (bytes: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Yields the objects of a file, one a line; blank lines are skipped. A bad line is an entry too,
 * and the lines after it follow: the caller decides what it means.
 * @throws VarveError INVALID_INPUT if the file cannot be read or is binary; CANCELLED
 */
export async function* readJsonLines(path: string, hooks: LineHooks = {}): AsyncGenerator<Entry> {
  let line = 0;
  for await (const bytes of rawLines(path, hooks)) {
    line += 1;
    const entry = entryOf(bytes, { file: path, line });
    if (entry !== null) yield entry;
  }
}

function entryOf(bytes: Buffer | null, place: InputPlace): Entry | null {
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
    // The parser's message quotes the line, and memory text must stay out of errors.
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

/** Yields lines without their ends; null for a line over the limit. */
async function* rawLines(path: string, hooks: LineHooks): AsyncGenerator<Buffer | null> {
  const linesOf = lineSplitter(LINE_BYTES_MAX);
  let isFirst = true;
  for await (const chunk of chunksOf(path)) {
    if (hooks.signal?.aborted === true) {
      throw new VarveError('CANCELLED', 'The import was stopped.');
    }
    if (isFirst) refuseBinary(chunk, path);
    isFirst = false;
    yield* linesOf(chunk);
    hooks.onBytes?.(chunk.length);
  }
  yield* linesOf(LINE_END);
}

async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  const stream = createReadStream(path, { highWaterMark: READ_BYTES });
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (error) {
    throw error instanceof VarveError ? error : unreadableFile(path, error);
  } finally {
    stream.destroy();
  }
}
