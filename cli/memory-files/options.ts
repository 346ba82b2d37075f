/** What options of `varve daily`, `core` and `dream` mean. */
import { z } from 'zod';
import { VarveError } from '#core/errors.ts';
import { subjectOfKey, type Subject } from '#core/subject.ts';
import { forOutput } from '../visible-text.ts';

/** The options of every command on the memory of a subject. */
export interface SubjectOptions {
  readonly tenant: string;
  readonly subject: string;
  /** As it was given. */
  readonly dataDir?: string | undefined;
  readonly json?: boolean;
}

/** @throws VarveError INVALID_INPUT for what is not `user/ID` or `agent/ID` */
export function subjectOf(text: string): Subject {
  const subject = subjectOfKey(text);
  if (subject !== null) return subject;
  throw new VarveError('INVALID_INPUT', '--subject takes user/ID or agent/ID, such as user/ann.');
}

/** @throws VarveError INVALID_INPUT naming the option */
export function wholeOf(
  option: string,
  text: string,
  { least = 1, most = Infinity }: { readonly least?: number; readonly most?: number } = {},
): number {
  const number = z.coerce
    .number()
    .int()
    .min(least)
    .max(most)
    .safeParse(text.trim() === '' ? null : text);
  if (number.success && text.trim() !== '') return number.data;
  const end = most === Infinity ? 'on' : `to ${String(most)}`;
  const message = `${option} takes a whole number from ${String(least)} ${end}, and not "${text}".`;
  throw new VarveError('INVALID_INPUT', message);
}

/** @throws VarveError INVALID_INPUT for what is no day of the calendar */
export function dayOf(text: string): string {
  const day = z.iso.date().safeParse(text);
  if (day.success) return day.data;
  throw new VarveError('INVALID_INPUT', '--day takes a day, YYYY-MM-DD, such as 2026-11-21.');
}

/** @throws VarveError INVALID_INPUT for what cannot be the id of a dream */
export function dreamIdOf(option: string, text: string): string {
  const id = z.guid().safeParse(text);
  if (id.success) return id.data;
  const message = `${option} takes the id of a dream, as varve dream list shows it.`;
  throw new VarveError('INVALID_INPUT', message);
}

/** How to go on where a list has more than was shown. @param before `nextBefore` of the answer */
export function olderHint(before: string | number | null): readonly string[] {
  return before === null ? [] : [`There are older ones: the same with --before ${String(before)}`];
}

/** Prints a file: to a program as it is, on a terminal with its control signs seen. */
export function printFile(answer: unknown, text: string | null): void {
  print(answer, text === null ? null : forOutput(text, process.stdout));
}

/** Says what a file that is nothing would not: where a program reads it, beside it. */
export function printNote(answer: unknown, note: string | null): void {
  if (note === null || process.stdout.isTTY) print(answer, note);
  else process.stderr.write(`varve: ${note}\n`);
}

/** Prints an answer as it is, or as people read it. */
export function print(answer: unknown, text: string | null): void {
  process.stdout.write(`${text ?? JSON.stringify(answer, null, 2)}\n`);
}
