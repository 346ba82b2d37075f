/** What is said of input that cannot be read: where, what was expected, an example. */
import type { z } from 'zod';
import { type ErrorCode, VarveError } from '#core/errors.ts';

/** A place in the input: the file as the user named it, and a line or an item where it has one. */
export interface Place {
  readonly file: string;
  readonly line?: number;
  /** Position in a JSON array, from 1. */
  readonly item?: number;
}

export interface Refusal {
  readonly code?: Extract<ErrorCode, 'INVALID_INPUT' | 'CONTENT_TOO_LONG'>;
  /** What is wrong, as the rest of a sentence that begins with the place. */
  readonly problem: string;
  /** What to do or what was expected, as a sentence. */
  readonly expected: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

export function refusal(place: Place, refused: Refusal): VarveError {
  const { code = 'INVALID_INPUT', problem, expected, details, cause } = refused;
  return new VarveError(code, `${placeName(place)}: ${problem}. ${expected}`, {
    details: { ...place, ...details },
    cause,
  });
}

/** Translates a failure of the file system; the system's own message would add nothing. */
export function unreadable(file: string, error: unknown): VarveError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
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

/** The object parsed, or a refusal that names the first field at fault and shows an example. */
export function parsed<T>(
  schema: z.ZodType<T>,
  value: unknown,
  at: { place: Place; example: string },
): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join('.') ?? '';
  const message = (issue?.message ?? 'it has another shape').replace(/^Invalid input: /, '');
  throw refusal(at.place, {
    problem: field === '' ? message : `"${field}": ${message}`,
    expected: `An example: ${at.example}.`,
    details: field === '' ? {} : { field },
  });
}

function placeName({ file, line, item }: Place): string {
  if (line !== undefined) return `${file}, line ${line}`;
  return item === undefined ? file : `${file}, item ${item}`;
}
