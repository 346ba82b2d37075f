/**
 * Errors of the MCP protocol, such as an unknown method, with the code of Varve: the SDK answers
 * them in its own words.
 */
import { z } from 'zod';
import { ERRORS, isErrorCode, type ErrorCode } from '#core/error-codes.ts';
import type { Log } from '#core/ports/platform.ts';
import { currentRequest } from '../request-log.ts';

const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;
/** Our codes for those of the protocol; every other code is a fault of the caller. */
const CODES: Readonly<Record<number, ErrorCode>> = { [-32_601]: 'NOT_FOUND' };
const ISSUES_SHOWN_MAX = 3;
/** The message of `new URL`, with which the SDK parses the name of a resource. */
const NO_URL = 'Invalid URL';

/** The SDK writes the code into its messages too. */
const SDK_PREFIX = /^MCP error -?\d+: /u;

/** An answer with an error; anything else passes unchanged. */
const Failed = z.looseObject({
  error: z.looseObject({
    code: z.number(),
    message: z.string(),
    data: z.unknown().optional(),
  }),
});
const Coded = z.looseObject({ code: z.string().refine(isErrorCode) });
/** The issues in the message of an SDK error about parameters that do not fit the method. */
const Issues = z.array(
  z.looseObject({ path: z.array(z.union([z.string(), z.number()])), code: z.string() }),
);

/**
 * Adds the Varve code to errors of the protocol that lack it, and says them in our words.
 * @param answer one JSON-RPC answer, or several
 */
export function withCodes(answer: unknown, log: Log): unknown {
  if (Array.isArray(answer)) return answer.map((each) => withCodes(each, log));
  const failed = Failed.safeParse(answer);
  if (!failed.success) return answer;
  const { error } = failed.data;
  if (Coded.safeParse(error.data).success) return answer;
  return { ...failed.data, error: codedError(error, log) };
}

type ProtocolError = z.output<typeof Failed>['error'];

function codedError({ code, message }: ProtocolError, log: Log) {
  if (code !== INTERNAL_ERROR) {
    return shownError(code, message.replace(SDK_PREFIX, ''), CODES[code] ?? 'INVALID_INPUT');
  }
  const places = issuesIn(message);
  if (places === null) {
    log.error({ ...currentRequest(), error: message }, 'MCP call failed');
    const words = 'An unexpected error occurred; the server log has the details.';
    return shownError(code, words, 'CORRUPT');
  }
  const words = `These do not fit the method: ${places.join(', ')}.`;
  return shownError(INVALID_PARAMS, words, 'INVALID_INPUT');
}

function shownError(code: number, words: string, ours: ErrorCode) {
  const data = { code: ours, retryable: ERRORS[ours].retryable };
  return { code, message: `${ours}: ${words}`, data };
}

/** Returns the places that do not fit; null for a message of another kind. */
function issuesIn(message: string): readonly string[] | null {
  if (message === NO_URL) return ['params.uri'];
  try {
    const issues = Issues.parse(JSON.parse(message));
    return issues.slice(0, ISSUES_SHOWN_MAX).map(({ path }) => path.join('.'));
  } catch {
    return null;
  }
}
