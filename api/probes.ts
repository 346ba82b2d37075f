/** Probes of a process: is it alive, and is it ready for calls. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening } from './http-port.ts';

/** What is wrong and how to fix it; empty if nothing is. They name no tenant. */
export interface ProbeAnswer {
  readonly ok: boolean;
  readonly findings: readonly string[];
}

/** One of the parts that a process needs, as it was when it was asked last. */
export interface PartCheck {
  /** One word, such as `store`. */
  readonly name: string;
  readonly ok: boolean;
  /** What is wrong; null where nothing is. */
  readonly reason: string | null;
  /** For how long it has been wrong; null where it is not. */
  readonly seconds: number | null;
}

/** Answered at once out of what is known, so that an answer itself proves that the loop turns. */
export interface ProbeSource {
  /** Not ok where only a new process helps. */
  healthz(): ProbeAnswer;
  /** Not ok while calls should go elsewhere. */
  readyz(): ProbeAnswer;
  /** What `readyz` rests on, part by part; absent if parts are not checked. */
  checks?(): readonly PartCheck[];
}

type ProbePage = 'healthz' | 'readyz';

const PATHS: Readonly<Record<string, ProbePage>> = {
  '/healthz': 'healthz',
  '/readyz': 'readyz',
};

/** Which page is asked for; null where it is none of these. */
export function probeOf({ method, url }: IncomingMessage): ProbePage | null {
  return method === 'GET' ? (PATHS[url?.split('?', 1)[0] ?? ''] ?? null) : null;
}

/**
 * Answers 200 or 503, with a line for each finding. `/readyz?verbose` has a line for each part, as
 * pages of Kubernetes do; with `Accept: application/json` the same comes as JSON.
 */
export function answerProbe(
  request: Pick<IncomingMessage, 'url' | 'headers'>,
  response: ServerResponse,
  { source, page }: { readonly source: ProbeSource; readonly page: ProbePage },
): void {
  const { ok, findings } = source[page]();
  const checks = page === 'readyz' ? source.checks?.() : undefined;
  const isJson = request.headers.accept?.includes('application/json') === true;
  const type = isJson ? 'application/json' : 'text/plain; charset=utf-8';
  response.statusCode = ok ? 200 : 503;
  response.setHeader('content-type', type);
  response.setHeader('cache-control', 'no-store');
  if (isJson) response.end(JSON.stringify({ ok, findings, checks: checks ?? [] }));
  else if (checks === undefined || !isVerbose(request)) {
    response.end([ok ? 'ok' : 'not ok', ...findings, ''].join('\n'));
  } else {
    const end = `readyz check ${ok ? 'passed' : 'failed'}`;
    response.end([...checks.map(lineOf), end, ''].join('\n'));
  }
}

function isVerbose({ url = '' }: Pick<IncomingMessage, 'url'>): boolean {
  return new URLSearchParams(url.split('?', 2)[1]).has('verbose');
}

function lineOf({ name, ok, reason, seconds }: PartCheck): string {
  if (ok) return `[+]${name} ok`;
  const since = seconds === null ? '' : ` for ${String(seconds)} s`;
  return `[-]${name} failed: ${reason ?? 'unknown'}${since}`;
}

/**
 * A server with these pages alone, for a process without an API.
 * @throws VarveError INVALID_INPUT where the port is taken
 */
export async function startProbeServer(options: {
  readonly host: string;
  /** 0 for a free port. */
  readonly port: number;
  readonly source: ProbeSource;
}): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => {
    const page = probeOf(request);
    const { source } = options;
    if (page !== null) return answerProbe(request, response, { source, page });
    response.statusCode = 404;
    return response.end('There are only /healthz and /readyz here.\n');
  });
  const setting = 'VARVE_PROBE_PORT';
  return listening(server, { ...options, what: 'probe', setting });
}
