/** Probes of a process: whether it is alive, and whether it is ready for calls. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listening } from './http-port.ts';

/** What is wrong and how to fix it; empty if nothing is. Findings name no tenant. */
export interface ProbeAnswer {
  readonly ok: boolean;
  readonly findings: readonly string[];
}

/** A part that the process needs, as of its last check. */
export interface PartCheck {
  /** One word, such as `store`. */
  readonly name: string;
  readonly ok: boolean;
  /** What is wrong; null if nothing is. */
  readonly reason: string | null;
  /** How long it has been wrong; null if it is not. */
  readonly seconds: number | null;
}

/** Answers at once from known state, so that an answer itself proves that the event loop runs. */
export interface ProbeSource {
  /** Not ok if only a restart helps. */
  healthz(): ProbeAnswer;
  /** Not ok while calls should go elsewhere. */
  readyz(): ProbeAnswer;
  /** The parts that `readyz` depends on; absent if parts are not checked. */
  checks?(): readonly PartCheck[];
}

type ProbePage = 'healthz' | 'readyz';

const PATHS: Readonly<Record<string, ProbePage>> = {
  '/healthz': 'healthz',
  '/readyz': 'readyz',
};

/** Returns the requested probe; null for any other page. */
export function probeOf({ method, url }: IncomingMessage): ProbePage | null {
  return method === 'GET' ? (PATHS[url?.split('?', 1)[0] ?? ''] ?? null) : null;
}

/**
 * Answers 200 or 503, with a line for each finding. `/readyz?verbose` has a line for each part, as
 * Kubernetes does; with `Accept: application/json`, the answer is JSON.
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
 * Starts a server with these pages alone, for a process without an API.
 * @throws VarveError INVALID_INPUT if the port is taken
 */
export async function startProbeServer(options: {
  readonly host: string;
  /** 0 for any free port. */
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
