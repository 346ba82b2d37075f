/** What a model reads about a call that failed: our code, the message, and what to do next. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { ErrorCode, VarveError } from '#core/errors.ts';

/** Where the details of a failure are, for a client that reads more than the text. */
const ERROR_FIELD = 'varve/error';

/** Where the message alone does not say it; else by whether a repeated call may succeed. */
const NEXT: Partial<Record<ErrorCode, string>> = {
  INVALID_INPUT: 'Correct the arguments and call again.',
  MISSING_IDENTIFIER: 'Take another layer, or name the identifier where the tool takes it.',
  INVALID_LAYER: 'Take one of the layers in the schema of the tool.',
  CONTENT_TOO_LONG: 'Split the text and call once for each part.',
  FORBIDDEN: 'Leave that identifier out; who set the server up decides whom it speaks for.',
  UNAUTHENTICATED: 'Tell the user that the token of this server is missing or wrong.',
  MEMORY_NOT_FOUND: 'Find the id with search_memory.',
  NOT_FOUND: 'Find the id with search_memory.',
  CONTEXT_LIMIT_TOO_SMALL: 'Call again with a larger maxTokens, or without it.',
  FILTER_TOO_BROAD: 'Narrow the filter and call again.',
  BUDGET_EXHAUSTED: 'Tell the user that the budget of this month is used up.',
};
const AGAIN = 'The same call may succeed in a moment.';
const TELL = 'Go on without it, and tell the user what failed.';

export function toolFailure({ code, message, retryable, details }: VarveError): CallToolResult {
  const next = NEXT[code] ?? (retryable ? AGAIN : TELL);
  return {
    isError: true,
    content: [{ type: 'text', text: `${code}: ${message}\nNext: ${next}` }],
    _meta: { [ERROR_FIELD]: { code, retryable, details } },
  };
}
