/**
 * docs/errors.md, made from the table of core/errors.ts and what a person can do about each code.
 * `node scripts/run.mjs test/tidy/print-errors.ts > docs/errors.md` writes it anew.
 */
import { pathToFileURL } from 'node:url';
import { ERRORS, type ErrorCode } from '#core/errors.ts';

/** Why it comes, and what to do. A code without a row does not compile. */
const ADVICE: Readonly<Record<ErrorCode, readonly [why: string, advice: string]>> = {
  INVALID_INPUT: ['an input does not fit its schema', 'read `details.issues`, correct the call'],
  MISSING_IDENTIFIER: [
    'a layer was named whose identifier is not given',
    'give the identifier in `details.identifier`',
  ],
  INVALID_LAYER: ['there is no such layer', 'take one of `details.layers`'],
  CONTENT_TOO_LONG: [
    'a text, or a scope, is above its limit',
    'split the text; `details` has the maximum',
  ],
  UNAUTHENTICATED: ['the token is missing or wrong', 'send the one in `api-token` as bearer'],
  FORBIDDEN: ['the caller may not act for that tenant or identifier', 'use another principal'],
  MEMORY_NOT_FOUND: ['an update of a memory that is not there', 'add it instead'],
  NOT_FOUND: ['something other than a memory is not there', 'check the name'],
  CONFLICT: [
    'somebody else was faster, or a key, a port or a data folder is taken',
    'read again and repeat; stop the other varve',
  ],
  BUDGET_EXHAUSTED: [
    'the next call could pass the budget of the month',
    'raise the budget in the policy, or wait until `details.periodEndsAt`',
  ],
  CONTEXT_LIMIT_TOO_SMALL: [
    'what must stay does not fit: instructions and query, newest messages',
    'give at least `details.required` tokens',
  ],
  FILTER_TOO_BROAD: ['a filter selects more than can be looked at', 'narrow the filter'],
  TENANT_CLAIMED: ['another owner has declared the tenant', 'choose another tenant id'],
  RATE_LIMITED: ['too much at once', 'repeat after `details.retryAfterMs`'],
  PROVIDER_ERROR: [
    'a part that Varve needs does not answer',
    'it is tried again by itself; `varve doctor` says which part',
  ],
  PROVIDER_REJECTED: ['a part refused the call', 'the message says what to change'],
  MODEL_OUTPUT_INVALID: [
    'a model answered in no usable form',
    'it is asked again; after three times the scope is put aside',
  ],
  TIMEOUT: ['a part took too long', 'repeat; look for another program that holds the file'],
  CANCELLED: ['the caller or a shutdown ended it', 'nothing'],
  CORRUPT: [
    'stored text is damaged, or Varve has a bug',
    'see [health](operating/health.md#damage)',
  ],
};

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
    const [why, advice] = ADVICE[code];
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
    'Made from `core/errors.ts`, which alone decides what a failure means; a test compares both.',
    'An error carries a code, a message, and details that a caller can act on. It never carries a',
    'secret, memory text, a path or a stack.',
    '',
    ...[COLUMNS, rule, ...errorRows()].map(row),
    '',
    'Where a workflow calls a model, a retryable failure is tried four times in all, with pauses',
    'that double from 2 seconds. A provider that says when to come back is asked again then.',
    '`CANCELLED` becomes a cancellation in Temporal.',
    '',
  ].join('\n');
}

const [, started = ''] = process.argv;
if (import.meta.url === pathToFileURL(started).href) process.stdout.write(errorsPage());
