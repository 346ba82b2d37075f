/**
 * Maps a failed request to a VarveError. The header of core/ports/kubernetes-api.ts is the
 * contract. A body may be a Status of the API server, text of a proxy on the way, or empty.
 */
import { VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import { parsedJson } from '#core/parsed-json.ts';
import { oneLine } from '#core/text/lines.ts';

/** Longer pauses are cut to this; the server asks again afterwards. */
const RETRY_AFTER_MS_MAX = 10 * 60 * 1_000;
/** The server's message is cut to this length, since it may quote a whole schema. */
const MESSAGE_LENGTH_MAX = 500;
const CAUSES_MAX = 10;

const CODES: ReadonlyMap<number, ErrorCode> = new Map([
  [400, 'PROVIDER_REJECTED'],
  [401, 'UNAUTHENTICATED'],
  [403, 'FORBIDDEN'],
  [404, 'NOT_FOUND'],
  [409, 'CONFLICT'],
  [410, 'CONFLICT'],
  [422, 'PROVIDER_REJECTED'],
  [429, 'RATE_LIMITED'],
]);

/** Advice for codes whose server message does not say what to do. */
const ADVICE: Readonly<Partial<Record<ErrorCode, string>>> = {
  UNAUTHENTICATED: 'Check that its credentials have not run out.',
  FORBIDDEN: 'Give its user or ServiceAccount this permission.',
  NOT_FOUND: 'Check that its custom resource definitions are installed.',
  CONFLICT: 'Read the object again before the next attempt.',
  PROVIDER_REJECTED: 'Check that its custom resource definitions are of the same release.',
  RATE_LIMITED: 'Try again after the pause it asks for.',
};

export interface Refusal {
  readonly httpStatus: number;
  readonly body: string;
  readonly retryAfter: string | undefined;
  /** If the object is a Secret, none of the server's message is repeated. */
  readonly isSecret: boolean;
}

interface Status {
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly { readonly field: string; readonly reason: string }[];
  readonly retryAfterSeconds: number | null;
  /** Whether the server names a missing object, and not just an unknown path. */
  readonly isOfObject: boolean;
}

export function refusalError(refusal: Refusal): VarveError {
  const { httpStatus } = refusal;
  const status = readStatus(refusal.body);
  const code = CODES.get(httpStatus) ?? 'PROVIDER_ERROR';
  const said = status.message === '' || refusal.isSecret ? '' : `: ${status.message}`;
  const sentence = `The Kubernetes API answered ${String(httpStatus)}${said}`;
  const advice = adviceOf(code, { httpStatus, status });
  const retryAfterMs = pauseOf(refusal.retryAfter, status.retryAfterSeconds);
  return new VarveError(code, `${sentence}${sentence.endsWith('.') ? '' : '.'} ${advice}`, {
    details: {
      httpStatus,
      reason: status.reason === '' ? reasonOf(httpStatus) : status.reason,
      ...(retryAfterMs === null ? {} : { retryAfterMs }),
      ...(status.causes.length === 0 ? {} : { causes: status.causes }),
    },
  });
}

function adviceOf(
  code: ErrorCode,
  { httpStatus, status }: { readonly httpStatus: number; readonly status: Status },
): string {
  if (httpStatus === 404 && status.isOfObject) return 'Create it first.';
  if (httpStatus === 410) return 'List the objects again.';
  return ADVICE[code] ?? 'Try again later.';
}

/** Whether a 404 says that the object is missing, rather than its kind. */
export function isMissingObject({ httpStatus, body }: Refusal): boolean {
  return httpStatus === 404 && readStatus(body).isOfObject;
}

/** The error for no answer, or half of one. Causes of undici hold hosts and codes, no headers. */
export function connectionError(cause: unknown): VarveError {
  const code = codeOf(cause);
  return new VarveError(
    'PROVIDER_ERROR',
    'The Kubernetes API cannot be reached. Check its address and that it runs.',
    {
      details: { httpStatus: 0, reason: 'ConnectionFailed', ...(code === '' ? {} : { code }) },
      cause,
    },
  );
}

export function timeLimitError(limitMs: number): VarveError {
  return new VarveError('PROVIDER_ERROR', 'The Kubernetes API did not answer in time.', {
    details: { httpStatus: 0, reason: 'Timeout', limitMs },
  });
}

export function cancelledError(): VarveError {
  return new VarveError('CANCELLED', 'The request to the Kubernetes API was cancelled.', {
    details: { httpStatus: 0, reason: 'Cancelled' },
  });
}

/** The error for an answer that is too long or not JSON. Its text is not repeated. */
export function answerError(reason: 'AnswerTooLong' | 'AnswerInvalid'): VarveError {
  const what = reason === 'AnswerTooLong' ? 'more than it may' : 'something that is no answer';
  return new VarveError(
    'PROVIDER_ERROR',
    `The Kubernetes API sent ${what}. Check that its address is that of an API server.`,
    { details: { httpStatus: 0, reason } },
  );
}

/** The error for unavailable credentials. It repeats no output of a plugin, which may be secret. */
export function credentialsError(): VarveError {
  return new VarveError(
    'UNAUTHENTICATED',
    'The credentials for the Kubernetes API cannot be read. Check the files and the plugin that ' +
      'the kubeconfig names.',
    { details: { httpStatus: 0, reason: 'CredentialsUnreadable' } },
  );
}

function readStatus(body: string): Status {
  const { reason, message, details } = fieldsOf(parsedJson(body));
  const { causes, retryAfterSeconds, name } = fieldsOf(details);
  return {
    reason: typeof reason === 'string' ? reason : '',
    message: typeof message === 'string' ? shortLine(message) : '',
    causes: Array.isArray(causes) ? causes.slice(0, CAUSES_MAX).map(causeOf) : [],
    retryAfterSeconds: typeof retryAfterSeconds === 'number' ? retryAfterSeconds : null,
    isOfObject: typeof name === 'string' && name !== '',
  };
}

function causeOf(cause: unknown): { field: string; reason: string } {
  const { field, reason } = fieldsOf(cause);
  return {
    field: typeof field === 'string' ? field : '',
    reason: typeof reason === 'string' ? reason : '',
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function shortLine(text: string): string {
  const line = oneLine(text);
  return line.length <= MESSAGE_LENGTH_MAX ? line : `${line.slice(0, MESSAGE_LENGTH_MAX)}…`;
}

/** The pause in milliseconds. The API server sends whole seconds, in the header or the Status. */
function pauseOf(header: string | undefined, seconds: number | null): number | null {
  const asked = /^\d+$/u.test(header ?? '') ? Number(header) : seconds;
  return asked === null || asked < 0 ? null : Math.min(asked * 1_000, RETRY_AFTER_MS_MAX);
}

/** The reason for an HTTP status that came without one, e.g. from a proxy on the way. */
function reasonOf(httpStatus: number): string {
  return httpStatus === 410 ? 'Expired' : `Status${String(httpStatus)}`;
}

function codeOf(cause: unknown): string {
  const { code } = fieldsOf(cause);
  return typeof code === 'string' ? code : '';
}

/**
 * Parses an answer.
 * @throws VarveError PROVIDER_ERROR if it is not JSON
 */
export function parsedAnswer(text: string): unknown {
  const value = parsedJson(text);
  if (value === undefined) throw answerError('AnswerInvalid');
  return value;
}
