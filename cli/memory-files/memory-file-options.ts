/** Parses the options and texts of `varve daily`, `core` and `dream`. */
import { createReadStream } from 'node:fs';
import { z } from 'zod';
import type { DocumentAnswer } from '#api/schemas/documents.ts';
import { VarveError } from '#core/errors.ts';
import { subjectOfKey, type Subject } from '#core/subject.ts';
import { STANDARD_INPUT } from '../shared-command-options.ts';
import { forOutput, shellWord } from '../terminal-text.ts';

/** Options of printed commands: the tenant and folder of the command that ran. */
export interface CommandPlace {
  readonly tenant: string;
  /** As given by the user. A folder from the environment also applies to the next command. */
  readonly dataDir?: string | undefined;
}

/** The options of a command on the data of a tenant. */
export interface TenantOptions extends CommandPlace {
  readonly json?: boolean;
}

/** The options of every command on the memory of a subject. */
export interface SubjectOptions extends TenantOptions {
  readonly subject: string;
}

/** @throws VarveError INVALID_INPUT for what is not `user/ID` or `agent/ID` */
export function subjectFromOption(text: string): Subject {
  const subject = subjectOfKey(text);
  if (subject !== null) return subject;
  const message = `--subject takes user/ID or agent/ID, such as user/ann, not "${text}".`;
  throw new VarveError('INVALID_INPUT', message);
}

/** @throws VarveError INVALID_INPUT if it is not a calendar day */
export function dayOption(text: string): string {
  const day = z.iso.date().safeParse(text);
  if (day.success) return day.data;
  const message = `--day takes a day, YYYY-MM-DD, such as 2026-11-21, not "${text}".`;
  throw new VarveError('INVALID_INPUT', message);
}

/** @throws VarveError INVALID_INPUT if it cannot be the id of a dream */
export function dreamIdOf(option: string, text: string): string {
  const id = z.guid().safeParse(text);
  if (id.success) return id.data;
  const form = `${option} takes the id of a dream, as varve dream list shows it`;
  const message = `${form}, not "${text}".`;
  throw new VarveError('INVALID_INPUT', message);
}

/**
 * Says how to continue if a list has more than was shown. @param before `nextBefore` of the answer
 */
export function olderHint(before: string | number | null): readonly string[] {
  return before === null ? [] : [`There are older ones: the same with --before ${String(before)}`];
}

/** Prints a file: unchanged for a program; on a terminal, control characters are made visible. */
export function printFile(answer: unknown, text: string | null): void {
  print(answer, text === null ? null : forOutput(text, process.stdout));
}

/** Prints a note about an empty file; to standard error if a program reads the output. */
export function printNote(answer: unknown, note: string | null): void {
  if (note === null || process.stdout.isTTY) print(answer, note);
  else process.stderr.write(`varve: ${note}\n`);
}

/** Prints an answer: its text for people, or JSON if that is null. */
export function print(answer: unknown, text: string | null): void {
  process.stdout.write(`${text ?? JSON.stringify(answer, null, 2)}\n`);
}

const DEFAULT_TENANT = 'default';

/** Returns a `varve` command line with these words and the options of the running command. */
export function commandLine(words: readonly string[], { tenant, dataDir }: CommandPlace): string {
  const where = [
    ...(tenant === DEFAULT_TENANT ? [] : ['--tenant', tenant]),
    ...(dataDir === undefined ? [] : ['--data-dir', dataDir]),
  ];
  return ['varve', ...words, ...where].map(shellWord).join(' ');
}

/** Longest text that any command accepts, in UTF-8 bytes; a longer one is refused early. */
const BYTES_MAX = 1_048_576;

/** The part of standard input that is needed. */
type TextInput = AsyncIterable<Uint8Array> & { readonly isTTY?: boolean };

/** @throws VarveError INVALID_INPUT if it cannot be read, CONTENT_TOO_LONG with the maximum */
export async function readText(name: string, input: TextInput): Promise<string> {
  if (name === STANDARD_INPUT) return decoded(await bounded(input), 'Standard input');
  try {
    return decoded(await bounded(createReadStream(name)), 'The file');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error) || error instanceof VarveError) throw error;
    const isAbsent = error.code === 'ENOENT';
    const why = isAbsent ? 'There is no such file' : 'The file cannot be read';
    throw new VarveError(
      'INVALID_INPUT',
      `${why}. Give --file the name of a file, or - for standard input.`,
      {
        cause: error,
      },
    );
  }
}

/** Returns the text of an argument, or of standard input. @throws as `readText` */
export async function givenText(text: string | undefined, input: TextInput): Promise<string> {
  if (text !== undefined && text !== STANDARD_INPUT) return text;
  if (text === STANDARD_INPUT || input.isTTY !== true) return readText(STANDARD_INPUT, input);
  throw new VarveError(
    'INVALID_INPUT',
    'Give the text as an argument, or on standard input with -.',
  );
}

async function bounded(input: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const bytes = await bytesUpTo(BYTES_MAX, input);
  if (bytes !== null) return bytes;
  const message = `A text has at most ${String(BYTES_MAX)} bytes; give less at a time.`;
  throw new VarveError('CONTENT_TOO_LONG', message, { details: { bytesMax: BYTES_MAX } });
}

/** Reads an input; returns null if it has more bytes. */
export async function bytesUpTo(
  max: number,
  input: AsyncIterable<Uint8Array>,
): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    size += chunk.byteLength;
    if (size > max) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function decoded(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new VarveError('INVALID_INPUT', `${what} is not UTF-8; save it as UTF-8.`, { cause });
  }
}

/** Limit of answers for one file; each has up to a million characters. */
const ANSWERS_MAX = 100;
/** The beginning of every answer: the title of the file and an empty line. */
const TITLE = /^# .*\n\n?/u;

/** Reads a file that is longer than one answer, and joins the answers; null if there is none. */
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
