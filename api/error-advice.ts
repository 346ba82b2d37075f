import type { ErrorCode } from '#core/error-codes.ts';

/** Why an error occurs, and what to do. A code without a row does not compile. */
export const ERROR_ADVICE: Readonly<Record<ErrorCode, readonly [why: string, advice: string]>> = {
  INVALID_INPUT: ['an input does not fit its schema', 'read `details.issues` and correct the call'],
  MISSING_IDENTIFIER: [
    'the call names a layer without its identifier',
    'give the identifier in `details.identifier`',
  ],
  INVALID_LAYER: ['there is no such layer', 'use one of `details.layers`'],
  CONTENT_TOO_LONG: [
    'a text or a scope exceeds its limit',
    'split the text; `details` has the maximum',
  ],
  UNAUTHENTICATED: [
    'the token is missing or wrong',
    'send the token of the file `api-token` as a bearer token',
  ],
  FORBIDDEN: ['the caller may not act for that tenant or identifier', 'use another principal'],
  MEMORY_NOT_FOUND: ['the memory to update does not exist', 'add it instead'],
  NOT_FOUND: ['something other than a memory does not exist', 'check the name'],
  CONFLICT: [
    'another caller was faster, or a key, a port or a data folder is taken',
    'read again and repeat; stop the other varve; use a new key',
  ],
  BUDGET_EXHAUSTED: [
    'the next call could exceed the budget of the month',
    'raise the budget in the policy, or wait until `details.periodEndsAt`',
  ],
  CONTEXT_LIMIT_TOO_SMALL: [
    'the required parts do not fit: instructions and query, or newest messages',
    'give at least `details.required` tokens',
  ],
  FILTER_TOO_BROAD: ['a filter selects more than Varve can read', 'narrow the filter'],
  TENANT_CLAIMED: ['another owner has declared the tenant', 'choose another tenant id'],
  RATE_LIMITED: ['too many calls', 'repeat after `details.retryAfterMs`'],
  PROVIDER_ERROR: [
    'a part that Varve needs does not answer',
    'Varve retries it; `varve doctor` says which part',
  ],
  PROVIDER_REJECTED: ['a part refused the call', 'the message says what to change'],
  MISSING_PACKAGE: [
    'a part needs a package that is not installed',
    'where Varve runs, run the command in the message',
  ],
  MODEL_OUTPUT_INVALID: [
    'the answer of a model is unusable',
    'Varve asks again; after three failures, the scope becomes a dead letter',
  ],
  TIMEOUT: ['a part took too long', 'repeat; look for another program that holds the file'],
  CANCELLED: ['the caller or a shutdown ended it', 'nothing'],
  CORRUPT: [
    'stored text is damaged, or Varve has a bug',
    'see [health](operating/health.md#damage)',
  ],
};
