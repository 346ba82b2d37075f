/** The error of a failed call: the server's code, or the client's if there was no answer. */

interface FailureOptions {
  /** A code of docs/errors.md. */
  readonly code: string;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Milliseconds after which the server wants the next try; null if it did not say. */
  readonly retryAfterMs?: number | null;
  readonly cause?: unknown;
}

export class VarveClientError extends Error {
  override readonly name = 'VarveClientError';
  readonly code: string;
  readonly retryable: boolean;
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;
  readonly retryAfterMs: number | null;

  constructor(message: string, options: FailureOptions) {
    super(message, { cause: options.cause });
    this.code = options.code;
    this.retryable = options.retryable;
    this.status = options.status;
    this.details = options.details ?? {};
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

/** Reads the error from a response; a proxy's response has no code of Varve. */
export async function failureOf(response: Response): Promise<VarveClientError> {
  const { status } = response;
  const retryAfterMs = retryAfterOf(response.headers.get('retry-after'));
  const problem = await problemOf(response);
  if (problem === null) {
    const isBusy = status === 429 || status === 502 || status === 503 || status === 504;
    const code = isBusy ? 'PROVIDER_ERROR' : 'INVALID_INPUT';
    const message = `The address answered ${String(status)} without a problem of Varve.`;
    return new VarveClientError(message, { code, retryable: isBusy, status, retryAfterMs });
  }
  const { detail, code, retryable, details } = problem;
  return new VarveClientError(detail, { code, retryable, status, details, retryAfterMs });
}

/** The error of a call without an answer, which the server may have executed. */
export function unreachable(
  url: string,
  { cause, timeoutMs, isLate }: { cause: unknown; timeoutMs: number; isLate: boolean },
): VarveClientError {
  const { origin } = new URL(url);
  const message = isLate
    ? `${origin} did not answer within ${String(timeoutMs)} ms.`
    : `${origin} cannot be reached; expected the address of a running Varve (varve start).`;
  const code = isLate ? 'TIMEOUT' : 'PROVIDER_ERROR';
  return new VarveClientError(message, { code, retryable: true, status: 0, cause });
}

interface Problem {
  readonly detail: string;
  readonly code: string;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;
}

async function problemOf(response: Response): Promise<Problem | null> {
  try {
    const body = (await response.json()) as Partial<Problem> | null;
    if (typeof body?.code !== 'string' || typeof body.detail !== 'string') return null;
    const { detail, code, retryable = false, details = {} } = body;
    return { detail, code, retryable, details };
  } catch {
    return null;
  }
}

/** Reads seconds, the form that Varve's server sends. */
function retryAfterOf(header: string | null): number | null {
  return header !== null && /^\d+$/u.test(header) ? Number(header) * 1_000 : null;
}
