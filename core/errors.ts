/** The one error class for every failure that Varve reports (error-codes.ts). */
import { ERRORS, type ErrorCode } from './error-codes.ts';

/** Details that a caller can act on: plain values, never a secret, memory text, path or stack. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

interface ErrorOptions {
  readonly details?: ErrorDetails;
  readonly cause?: unknown;
  /** True if every repetition of the call fails in the same way, whatever the code says. */
  readonly isSettled?: boolean;
}

/**
 * The only error class of Varve. The row of its code in `ERRORS` defines its meaning at every edge.
 * One exception: a settled failure is not retryable, even if its code is.
 */
export class VarveError extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  readonly #isSettled: boolean;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'VarveError';
    this.code = code;
    this.details = options.details ?? {};
    this.#isSettled = options.isSettled ?? false;
  }

  get retryable(): boolean {
    return ERRORS[this.code].retryable && !this.#isSettled;
  }
}

/** Returns after how many milliseconds a failed call may be repeated; null if nobody said so. */
export function retryAfterOf({ details: { retryAfterMs } }: VarveError): number | null {
  return typeof retryAfterMs === 'number' && retryAfterMs >= 0 ? retryAfterMs : null;
}

/** Returns the code of any error that has one, such as `ENOENT` of Node; undefined for others. */
export function codeOf(error: unknown): string | number | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' || typeof code === 'number' ? code : undefined;
}

/** The most UTF-16 units of a value that an error shows. */
const SHOWN_UNITS_MAX = 200;

/** Returns the error for a value of the wrong type, which plain JavaScript lets a caller pass. */
export function unexpected(name: string, value: unknown, expected: string): VarveError {
  const found = shownValue(value).slice(0, SHOWN_UNITS_MAX);
  return new VarveError('INVALID_INPUT', `${name}: expected ${expected}, found ${found}.`);
}

/** JSON has no form for some values, such as one that refers to itself. */
function shownValue(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  try {
    return JSON.stringify(value) ?? 'nothing';
  } catch {
    return `a value of the type ${typeof value}`;
  }
}
