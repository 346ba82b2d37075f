/** Finds what is wrong with an answer, whatever the request was. */
import { isErrorCode } from '#core/error-codes.ts';
import { TEXT_MARK } from './inputs.ts';
import { ANSWER_WITHIN_MS, type Answer, type Sent } from './wire.ts';
import { BOB_CANARY, OTHER_CANARY } from './harness.ts';

export interface Asked {
  readonly sent: Sent;
  readonly answer: Answer;
  /** What the caller may hear nothing of. */
  readonly foreign: readonly string[];
  /** What no error may contain: secrets and folders. */
  readonly secret: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

const INSIDE =
  /\bat \S+ \(|node_modules|node:internal|file:\/\/\/(?!etc)|\.m?[jt]s:\d+|SQLITE_|MongoServer/u;

export function findingsOf(asked: Asked): readonly string[] {
  const { sent, answer } = asked;
  const { status, body, isLate } = answer;
  if (isLate) return [`no answer within ${String(ANSWER_WITHIN_MS)} ms`];
  const leaks = asked.foreign.filter((each) => body.includes(each));
  const findings = leaks.map(() => "another's data in the answer");
  if (status === null) return sent.isWhole ? [...findings, 'no answer'] : findings;
  if (status >= 500) findings.push(`status ${String(status)}`);
  if (sent.method === 'HEAD') return findings;
  return [...findings, ...errorFindings(asked)];
}

function errorFindings({ answer, secret }: Asked): readonly string[] {
  const { status, body } = answer;
  const errors = errorsIn(body);
  const isError = (status ?? 0) >= 400;
  const without = errors
    .filter((each) => codeOf(each) === null)
    .map(() => 'an error without a code');
  const silent = isError && errors.length === 0 ? ['an error status without an error body'] : [];
  if (!isError && errors.length === 0) return [];
  const said = isError ? body : JSON.stringify(errors);
  const told = [TEXT_MARK, OTHER_CANARY, BOB_CANARY].some((word) => said.includes(word));
  const hidden = secret.some((word) => said.includes(word));
  return [
    ...without,
    ...silent,
    ...(told ? ['memory text in an error'] : []),
    ...(hidden ? ['a secret or a folder in an error'] : []),
    ...(INSIDE.test(said) ? ['the inside of the server in an error'] : []),
  ];
}

/** Problems, errors of tRPC one by one, errors of JSON-RPC, and failed calls of tools. */
function errorsIn(body: string): readonly Fields[] {
  const parsed = parse(body);
  const each = Array.isArray(parsed) ? (parsed as unknown[]) : [parsed];
  return each.filter(isFields).filter((one) => {
    const { result } = one;
    const isProblem = 'detail' in one && 'code' in one;
    return isProblem || 'error' in one || (isFields(result) && result['isError'] === true);
  });
}

function codeOf({ code, error, result }: Fields): string | null {
  const meta = isFields(result) && isFields(result['_meta']) ? result['_meta'] : {};
  const data = isFields(error) && isFields(error['data']) ? error['data'] : {};
  const failure = isFields(meta['varve/error']) ? meta['varve/error'] : {};
  return [code, data['code'], failure['code']].find(isErrorCode) ?? null;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return null;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
