/** What options of `varve daily`, `core` and `dream` mean. */
import { z } from 'zod';
import { VarveError } from '#core/errors.ts';
import { subjectOfKey, type Subject } from '#core/subject.ts';

/** What every command on the memory of a subject is told. */
export interface SubjectOptions {
  readonly tenant: string;
  readonly subject: string;
  readonly json?: boolean;
}

/** @throws VarveError INVALID_INPUT for what is not `user/ID` or `agent/ID` */
export function subjectOf(text: string): Subject {
  const subject = subjectOfKey(text);
  if (subject !== null) return subject;
  throw new VarveError('INVALID_INPUT', '--subject takes user/ID or agent/ID, such as user/ann.');
}

/** @throws VarveError INVALID_INPUT naming the option */
export function wholeOf(option: string, text: string, least = 1): number {
  const number = z.coerce
    .number()
    .int()
    .min(least)
    .safeParse(text.trim() === '' ? null : text);
  if (number.success && text.trim() !== '') return number.data;
  throw new VarveError('INVALID_INPUT', `${option} takes a whole number from ${String(least)} on.`);
}

/** How to go on where a list has more than was shown. @param before `nextBefore` of the answer */
export function olderHint(before: string | number | null): readonly string[] {
  return before === null ? [] : [`There are older ones: the same with --before ${String(before)}`];
}

/** Prints an answer as it is, or as people read it. */
export function print(answer: unknown, text: string | null): void {
  process.stdout.write(`${text ?? JSON.stringify(answer, null, 2)}\n`);
}
