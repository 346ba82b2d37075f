/** One file of the input, and how to read a whole document. */
import { isUtf8 } from 'node:buffer';
import { open, readFile } from 'node:fs/promises';
import type { z } from 'zod';
import { codeOf, VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';

/** How a file is read. What its JSON means is decided by its first record. */
export type Format = 'markdown' | 'text' | 'json' | 'jsonl';

/** What the objects of a JSON file are. */
export type Shape = 'chat' | 'conversations' | 'meetings' | 'memories' | 'export';

export interface InputFile {
  /** As given by the user, or below the given folder: opens the file and names it in errors. */
  readonly path: string;
  /** The folder's own name and the path in it. Names the file in keys, wherever the folder is. */
  readonly name: string;
  readonly format: Format;
  readonly bytes: number;
  /** Whether a folder was given, in which files that are not meant for import are skipped. */
  readonly inFolder: boolean;
}

/** A document is held in memory as a whole, so larger ones are refused. */
const DOCUMENT_BYTES_MAX = 16 * 1024 * 1024;

/** Bytes at the beginning of a file that are checked for binary content. */
const HEAD_BYTES = 8_192;

const BOM = '\ufeff';

/**
 * Returns a document's text without byte order mark, with lines that end in "\n".
 * @throws VarveError INVALID_INPUT if it is too large, binary or not UTF-8.
 */
export async function readDocument(file: InputFile): Promise<string> {
  const place = { file: file.path };
  refuseTooLarge(file);
  const bytes = await readFile(file.path).catch((error: unknown) => {
    throw unreadableFile(file.path, error);
  });
  refuseBinary(bytes, file.path);
  if (!isUtf8(bytes)) {
    throw refusal({ ...place, line: firstBadLine(bytes) }, NOT_UTF8);
  }
  const text = bytes.toString('utf8');
  return (text.startsWith(BOM) ? text.slice(1) : text).replaceAll('\r\n', '\n');
}

export const NOT_UTF8 = {
  problem: 'the text is not UTF-8',
  expected: 'Save the file as UTF-8, e.g. with "iconv -f LATIN1 -t UTF-8".',
};

/** @throws VarveError INVALID_INPUT if a file's beginning shows UTF-16 or binary content. */
export function refuseBinary(head: Buffer, path: string): void {
  const [first, second] = head;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw refusal(
      { file: path },
      {
        problem: 'the text is UTF-16',
        expected: 'Save the file as UTF-8, e.g. with "iconv -f UTF-16 -t UTF-8".',
      },
    );
  }
  if (head.subarray(0, HEAD_BYTES).includes(0)) {
    throw refusal(
      { file: path },
      {
        problem: 'this is a binary file (it has a NUL byte)',
        expected: 'Give text in UTF-8: Markdown, plain text, JSON or JSON Lines.',
      },
    );
  }
}

/** @throws VarveError INVALID_INPUT for a document that is too large to read. */
export function refuseTooLarge(file: InputFile): void {
  if (file.bytes > DOCUMENT_BYTES_MAX) throw tooLarge(file);
}

/** Returns the first bytes of a file. */
export async function readHead(path: string): Promise<Buffer> {
  try {
    await using handle = await open(path);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    throw unreadableFile(path, error);
  }
}

function firstBadLine(bytes: Buffer): number {
  let line = 1;
  let start = 0;
  while (start < bytes.length) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline === -1 ? bytes.length : newline;
    if (!isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
    line += 1;
  }
  return line;
}

function tooLarge(file: InputFile): VarveError {
  const mebibytes = (file.bytes / 1024 / 1024).toFixed(1);
  const isJson = file.format === 'json';
  return refusal(
    { file: file.path },
    {
      problem: `one document of ${mebibytes} MiB is too large, the limit is 16 MiB`,
      expected: isJson
        ? 'Write it as JSON Lines, one object a line (.jsonl): those are read at any size.'
        : 'Split it into several files, e.g. one a chapter, and import their folder.',
      details: { bytes: file.bytes, bytesMax: DOCUMENT_BYTES_MAX },
    },
  );
}

/** A place in the input: the file as the user named it, and the line or item if there is one. */
export interface InputPlace {
  readonly file: string;
  readonly line?: number;
  /** Position in a JSON array, from 1. */
  readonly item?: number;
}

interface Refusal {
  readonly code?: Extract<ErrorCode, 'INVALID_INPUT' | 'CONTENT_TOO_LONG'>;
  /** The problem, as the rest of a sentence that begins with the place. */
  readonly problem: string;
  /** What to do or what was expected, as a sentence. */
  readonly expected: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** Makes the error for input that cannot be read: where, what was expected, an example. */
export function refusal(place: InputPlace, refused: Refusal): VarveError {
  const { code = 'INVALID_INPUT', problem, expected, details, cause } = refused;
  return new VarveError(code, `${placeName(place)}: ${problem}. ${expected}`, {
    details: { ...place, ...details },
    cause,
  });
}

/** Translates an error of the file system, whose own message would add nothing. */
export function unreadableFile(file: string, error: unknown): VarveError {
  const code = String(codeOf(error) ?? 'unknown');
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return refusal(
      { file },
      {
        problem: 'there is no such file or folder',
        expected: 'Give a folder or a .md, .txt, .rst, .jsonl or .json file, e.g. "docs/".',
        cause: error,
      },
    );
  }
  return refusal(
    { file },
    { problem: `it cannot be read (${code})`, expected: 'Check its permissions.', cause: error },
  );
}

/** Parses an object, or throws a refusal that names the first wrong field and shows an example. */
export function parsed<T>(
  schema: z.ZodType<T>,
  value: unknown,
  at: { place: InputPlace; example: string },
): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join('.') ?? '';
  // For a union, the library only says that none of its types fits.
  const stated = issue?.message === 'Invalid input' ? undefined : issue?.message;
  const message = (stated ?? 'it is missing, or of another type').replace(/^Invalid input: /, '');
  throw refusal(at.place, {
    problem: field === '' ? message : `"${field}": ${message}`,
    expected: `An example: ${at.example}.`,
    details: field === '' ? {} : { field },
  });
}

function placeName({ file, line, item }: InputPlace): string {
  if (line !== undefined) return `${file}, line ${line}`;
  return item === undefined ? file : `${file}, item ${item}`;
}
