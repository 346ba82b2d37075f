import type { ErrorCode } from '#core/error-codes.ts';

/** Why an error occurs, and what to do. A code without a row does not compile. */
export const ERROR_ADVICE: Readonly<Record<ErrorCode, readonly [why: string, advice: string]>> = {
  INVALID_INPUT: [
    'an input does not fit its schema, or a port is taken',
    'correct the fields that `details.issues` names, or choose another port',
  ],
  MISSING_IDENTIFIER: [
    'the call names a layer without its identifier',
    'give the identifier in `details.identifier`',
  ],
  INVALID_LAYER: ['the layer is none of the seven', 'name one of `details.layers`'],
  CONTENT_TOO_LONG: [
    'a text or a scope is longer than its limit',
    'split the text into parts of at most the maximum in `details`',
  ],
  UNAUTHENTICATED: [
    'the token or key is missing, wrong, revoked or expired',
    'send the token of the file `api-token`, or an API key, as a bearer token',
  ],
  FORBIDDEN: [
    'the caller may not do this, or not for that tenant or identifier',
    'leave the identifier out, or call with a key that has the role and the identifier',
  ],
  MEMORY_NOT_FOUND: [
    'no memory that is open to the caller has this id',
    'find the id with `memory.list`, or add the memory',
  ],
  NOT_FOUND: [
    'no session, file, key or other record that is open to the caller has this name',
    'check the name and the tenant',
  ],
  CONFLICT: [
    'another caller was faster, or a key or a data folder is in use',
    'read again and repeat the call, use another key, or stop the other Varve',
  ],
  BUDGET_EXHAUSTED: [
    'the call could exceed the budget of the month',
    'raise the budget (`varve budget grant`), or wait until `details.periodEndsAt`',
  ],
  CONTEXT_LIMIT_TOO_SMALL: [
    'the parts that must stay do not fit: instructions and question, or the newest messages',
    'allow at least `details.required` tokens',
  ],
  FILTER_TOO_BROAD: [
    'a filter selects more than Varve can read',
    'add a condition that selects fewer memories',
  ],
  TENANT_CLAIMED: [
    'another resource or namespace has declared the tenant',
    'choose another tenant id',
  ],
  RATE_LIMITED: [
    'the caller, the tenant or a provider has reached its limit of calls',
    'repeat the call after `details.retryAfterMs` milliseconds',
  ],
  PROVIDER_ERROR: [
    'a store, a model or Temporal does not answer',
    'repeat the call; `varve doctor` says which part is unavailable',
  ],
  PROVIDER_REJECTED: [
    'a store, a model, Temporal or the operating system refused the call',
    'change what the message names',
  ],
  MISSING_PACKAGE: [
    'the call needs a package that is not installed',
    'run the command in the message where Varve runs',
  ],
  MODEL_OUTPUT_INVALID: [
    'a model gave an unusable answer',
    'nothing: Varve asks again, and after three failures lists the scope as a dead letter',
  ],
  TIMEOUT: [
    'a store, a model or Temporal took too long',
    'repeat the call; if it fails again, look for another program that holds the file',
  ],
  CANCELLED: ['the caller or a shutdown ended the call', 'nothing, or repeat the call'],
  CORRUPT: [
    'stored text is damaged, or Varve has a bug',
    'see [health](operating/health.md#damage)',
  ],
};
