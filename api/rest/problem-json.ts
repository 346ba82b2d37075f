/** A failure as a problem document (RFC 9457). */
import { type VarveError } from '#core/errors.ts';
import { ERRORS } from '#core/error-codes.ts';
import { problemType } from './errors-page.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/**
 * Returns the JSON of a problem document.
 * @param status if it says more than the status of the code
 */
export function problemDocument(
  { code, message, retryable, details }: VarveError,
  status: number = ERRORS[code].httpStatus,
): string {
  const problem = { type: problemType(code), title: code, status, detail: message };
  return JSON.stringify({ ...problem, code, retryable, details });
}
