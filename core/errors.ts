/** The one class that carries every failure that Varve reports (error-codes.ts). */
import { ERRORS, type ErrorCode } from './error-codes.ts';

/** What a caller can act on: plain values, never a secret, memory text, path or stack. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

export interface ErrorOptions {
  readonly details?: ErrorDetails;
  readonly cause?: unknown;
  /** True where every repeat of the call ends in the same way, whatever its code says. */
  readonly isSettled?: boolean;
}

/**
 * The only error class of Varve. Its meaning at every edge is its code's row in `ERRORS`, except
 * that a settled failure of a code that may pass is not retryable.
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

/** How much of a value an error shows. */
const SHOWN_UNITS_MAX = 200;

/** What JavaScript lets through: a value of another shape than the one that is meant. */
export function unexpected(name: string, value: unknown, expected: string): VarveError {
  const shown = typeof value === 'function' ? 'a function' : (JSON.stringify(value) ?? 'nothing');
  const found = shown.slice(0, SHOWN_UNITS_MAX);
  return new VarveError('INVALID_INPUT', `${name}: expected ${expected}, found ${found}.`);
}
