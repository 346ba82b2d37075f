/** Errors of JSON-RPC with a code of ours, also those that the SDK makes by itself. */
import { z } from 'zod';
import { ERRORS, isErrorCode, type ErrorCode } from '#core/errors.ts';
import type { Log } from '#core/ports/platform.ts';
import { currentRequest } from '../request-log.ts';

const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;
/** By the code of the protocol; what it has no row for is the fault of whoever sent it. */
const CODES: Readonly<Record<number, ErrorCode>> = { [-32_601]: 'NOT_FOUND' };
const ISSUES_SHOWN_MAX = 3;
/** Of `new URL`, by which the SDK reads the name of a resource. */
const NO_URL = 'Invalid URL';

/** An answer with an error; anything else is left as it is. */
const Failed = z.looseObject({
  error: z.looseObject({
    code: z.number(),
    message: z.string(),
    data: z.unknown().optional(),
  }),
});
const Coded = z.looseObject({ code: z.string().refine(isErrorCode) });
/** What the SDK says of parameters that do not fit the method, as the message of its error. */
const Issues = z.array(
  z.looseObject({ path: z.array(z.union([z.string(), z.number()])), code: z.string() }),
);

/** @param answer one of JSON-RPC, or several */
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
  if (code !== INTERNAL_ERROR) return shownError(code, message, CODES[code] ?? 'INVALID_INPUT');
  const places = issuesIn(message);
  if (places === null) {
    log.error({ ...currentRequest(), error: message }, 'MCP call failed');
    const words = 'Something failed that should not; the server log has it.';
    return shownError(code, words, 'CORRUPT');
  }
  const words = `These do not fit the method: ${places.join(', ')}.`;
  return shownError(INVALID_PARAMS, words, 'INVALID_INPUT');
}

function shownError(code: number, words: string, ours: ErrorCode) {
  const data = { code: ours, retryable: ERRORS[ours].retryable };
  return { code, message: `${ours}: ${words}`, data };
}

/** The places that do not fit; null where a message is of another kind. */
function issuesIn(message: string): readonly string[] | null {
  if (message === NO_URL) return ['params.uri'];
  try {
    const issues = Issues.parse(JSON.parse(message));
    return issues.slice(0, ISSUES_SHOWN_MAX).map(({ path }) => path.join('.'));
  } catch {
    return null;
  }
}
