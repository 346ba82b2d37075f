/**
 * docs/errors.md, made from the table of core/error-codes.ts and what a person can do about each
 * code. `node scripts/run.mjs test/tidy/print-errors.ts > docs/errors.md` rewrites it.
 */
import { pathToFileURL } from 'node:url';
import { ERROR_ADVICE } from '#api/error-advice.ts';
import { ERRORS, type ErrorCode } from '#core/error-codes.ts';

const COLUMNS = [
  'code',
  'retryable',
  'HTTP',
  'tRPC',
  'Temporal retries',
  'condition reason',
  'exit',
  'why',
  'what to do',
] as const;

/** One row per code, in the order of the table. */
export function errorRows(): readonly (readonly string[])[] {
  return (Object.keys(ERRORS) as ErrorCode[]).map((code) => {
    const { retryable, httpStatus, trpc, reason, exit } = ERRORS[code];
    const yesNo = retryable ? 'yes' : 'no';
    const [why, advice] = ERROR_ADVICE[code];
    const columns = [yesNo, String(httpStatus), trpc, yesNo, reason, String(exit), why, advice];
    return [`\`${code}\``, ...columns];
  });
}

/** The rows of the first table of a page, without its head. */
export function rowsOf(page: string): readonly (readonly string[])[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

export function errorsPage(): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = COLUMNS.map(() => '---');
  return [
    '# Errors',
    '',
    'Generated from `core/error-codes.ts`, the only place that defines what a failure means; a ' +
      'test compares the two.',
    'An error carries a code, a message, and details that a caller can act on. It never carries a',
    'secret, memory text or a stack. Only commands name the files and folders that they work on.',
    '',
    ...[COLUMNS, rule, ...errorRows()].map(row),
    '',
    'If an error has `retryable`, follow it rather than this table: it is false for a `CONFLICT`',
    'that no repeat resolves, such as an idempotency key that was used with another body.',
    '',
    'When a workflow calls a model, Varve tries a retryable failure four times in all, with waits',
    'that double from 2 seconds. If a provider says when to retry, Varve asks it again then.',
    '`CANCELLED` becomes a cancellation in Temporal.',
    '',
    'The command `varve` prints `UNAVAILABLE` and ends with 69 if it cannot run on this Node. No',
    'call returns that code.',
    '',
  ].join('\n');
}

const [, started = ''] = process.argv;
if (import.meta.url === pathToFileURL(started).href) process.stdout.write(errorsPage());
